declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface SwaggerUiOptions {
    url: string
    domNode: Element
    /** Null: documents are sent to no validator. */
    validatorUrl: null
    deepLinking: boolean
    docExpansion: 'list' | 'full' | 'none'
    defaultModelsExpandDepth: number
    filter: boolean
    persistAuthorization: boolean
    queryConfigEnabled: boolean
  }
  export default function SwaggerUI(options: SwaggerUiOptions): unknown
}
