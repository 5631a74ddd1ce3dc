import * as z from 'zod'

/** The parts of OpenAPI 3.1 that the document uses, and nothing else but `x-` fields. Source: spec.openapis.org/oas/v3.1.0, §4.8. */

const extended = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject(shape).superRefine((object, context) => {
    for (const key of Object.keys(object))
      if (!(key in shape) && !key.startsWith('x-'))
        context.addIssue({ code: 'custom', path: [key], message: 'is no field' })
  })

const reference = z.strictObject({ $ref: z.string().startsWith('#/') })
const orReference = <T extends z.ZodType>(schema: T) => z.union([reference, schema])
const schema = z.record(z.string(), z.unknown())
const name = z.string().regex(/^[a-zA-Z0-9._-]+$/)
const named = <T extends z.ZodType>(value: T) => z.record(name, value)

const example = extended({ summary: z.string().optional(), value: z.unknown() })
const media = extended({ schema, examples: z.record(z.string(), example).optional() })
const content = z.record(z.string().regex(/^[\w*.+-]+\/[\w*.+-]+$/), media)
const header = extended({ description: z.string().optional(), schema })
const link = extended({ operationId: z.string(), parameters: z.record(z.string(), z.string().startsWith('$re')) })
const response = extended({
  description: z.string().min(1),
  links: z.record(name, link).optional(),
  headers: z.record(z.string(), orReference(header)).optional(),
  content: content.optional(),
})
const parameter = extended({
  name: z.string().min(1),
  in: z.enum(['query', 'header', 'path', 'cookie']),
  description: z.string().optional(),
  required: z.boolean().optional(),
  schema,
}).refine((one) => one.in !== 'path' || one.required === true, 'a parameter of the path is required')
const security = z.array(z.record(z.string(), z.array(z.string())))
const operation = extended({
  operationId: z.string(),
  tags: z.array(z.string()).min(1),
  summary: z.string().min(1),
  description: z.string().optional(),
  security: security.optional(),
  parameters: z.array(orReference(parameter)),
  requestBody: extended({ content, required: z.boolean().optional() }).optional(),
  responses: z
    .record(z.string().regex(/^[1-5]\d\d$/), orReference(response))
    .refine((all) => Object.keys(all).length > 0),
})
const pathItem = z.partialRecord(
  z.enum(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']),
  operation,
)

export const openApiShape = extended({
  openapi: z.literal('3.1.0'),
  info: extended({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: extended({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(extended({ url: z.string() })),
  tags: z.array(extended({ name: z.string(), description: z.string() })),
  security,
  paths: z.record(z.string().startsWith('/'), pathItem),
  webhooks: z.record(name, pathItem),
  components: extended({
    schemas: named(schema),
    responses: named(response),
    parameters: named(parameter),
    headers: named(header),
    securitySchemes: named(
      extended({ type: z.literal('http'), scheme: z.string(), description: z.string().optional() }),
    ),
  }),
})
