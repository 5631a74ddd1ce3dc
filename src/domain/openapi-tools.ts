import * as z from 'zod'
import { httpUrl } from './config.ts'
import { connectionName } from './connection.ts'
import { LIMITS } from './limits.ts'
import { mcpServerName } from './mcp.ts'
import type { JsonSchema } from './tool.ts'
import { count, onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { SECRET_MASK } from '../lib/text.ts'

/** `config`: of the server's own file. */
const API_ORIGINS = ['config', 'tenant'] as const

/** Who we are to an API, as an administrator wrote it. Values may name secrets of the config as `{{secret:NAME}}`. */
export interface ApiAuth {
  /** The connection whose secret is the authorization. */
  connection?: string | undefined
  bearer?: string | undefined
  basic?: { username: string; password: string } | undefined
  headers?: Readonly<Record<string, string>> | undefined
  query?: Readonly<Record<string, string>> | undefined
}

/** An API whose operations are tools. */
export interface ApiSource {
  /** Ids of its tools begin with it. */
  name: string
  /** Where its document is read; null: it was sent. */
  url: string | null
  /** Where its operations are; null: where the document says. */
  baseUrl: string | null
  /** Which of its operations are tools; null: all. */
  include: readonly string[] | null
  auth: ApiAuth | null
  /** The same as it is kept, encrypted; beside no `auth`: it cannot be opened here. */
  sealedAuth?: string
  /** Where the operations were when an administrator named them: the only origin that `auth` is sent to. Null: the config names none. */
  trustedOrigin: string | null
  /** What it is for; null: it is no worker of plans. */
  description: string | null
  enabled: boolean
  origin: (typeof API_ORIGINS)[number]
  /** Another one whenever anything of it, or of its operations, changes. */
  version: string
}

/** Where in a request an argument goes. */
export const PARAMETER_PLACES = ['path', 'query', 'querystring', 'header', 'cookie'] as const
export type ParameterPlace = (typeof PARAMETER_PLACES)[number]

/** How a value is written there (OpenAPI 3.2, "Style Values"). `json`: as JSON. */
export const PARAMETER_STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'json',
] as const
export type ParameterStyle = (typeof PARAMETER_STYLES)[number]

export interface ApiParameter {
  /** Name of the argument; `name` is that of the request. */
  key: string
  name: string
  in: ParameterPlace
  style: ParameterStyle
  explode: boolean
  required: boolean
  /** Characters that addresses set apart are left as they are. */
  allowReserved?: true
}

/** How one field of a form is written. */
export interface FormField {
  style: ParameterStyle
  explode: boolean
}

export interface ApiBody {
  key: string
  mediaType: string
  required: boolean
  /** `file`: the argument is the path of a file of the workspace. */
  form: 'json' | 'urlencoded' | 'multipart' | 'text' | 'file'
  /** Fields of a form that are not written as forms write them by default. */
  fields: Readonly<Record<string, FormField>>
  /** Fields of a multipart form that are files of the workspace. */
  files: readonly string[]
}

/** One operation of an API, as its document says it. */
export interface ApiOperation {
  /** Unique in its API. */
  name: string
  /** In capitals. */
  method: string
  path: string
  /** Where it is, if that is not the address of the API. */
  baseUrl?: string
  description: string
  parameters: readonly ApiParameter[]
  body: ApiBody | null
  /** JSON Schema of the arguments. */
  inputSchema: JsonSchema
}

/** What of a document is not used. `operation` null: it is about the whole. */
const apiWarning = /* @__PURE__ */ onDemand(() => z.object({ operation: z.string().nullable(), message: z.string() }))
export type ApiWarning = ShapeOf<typeof apiWarning>

/** What was read of a document. */
export interface ApiCatalogue {
  /** Of the source that it is of. */
  version: string
  title: string
  /** Of the API, as its document says. */
  apiVersion: string
  /** Where the operations are. */
  baseUrl: string
  operations: readonly ApiOperation[]
  warnings: readonly ApiWarning[]
  /** Unix ms. */
  readTime: number
  /** Why the document could not be read the last time; null: it could. */
  error: string | null
}

/** The same without the operations themselves. */
export type ApiCatalogueHead = Omit<ApiCatalogue, 'operations'> & { operationsCount: number }

const { authCharsMax, authValuesMax, includeMax, includeCharsMax } = LIMITS.openapi

const secret = z
  .string()
  .min(1)
  .max(authCharsMax)
  .regex(/^[^\p{Cc}]*$/u, 'a value without control characters')
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'the name of a header')
/** What belongs to the request itself. */
const RESERVED =
  /^(?:host|content-length|content-type|transfer-encoding|connection|expect|upgrade|idempotency-key|proxy-.*|sec-.*|x-forwarded-.*|cf-.*)$/i

const values = (name: z.ZodString) =>
  z.record(name, secret).refine((given) => Object.keys(given).length <= authValuesMax, {
    error: `at most ${authValuesMax} values`,
  })

/** How an API is told who we are. */
const apiAuth = z
  .strictObject({
    connection: connectionName.optional(),
    bearer: secret.optional(),
    basic: z
      .strictObject({
        username: z
          .string()
          .max(authCharsMax)
          .regex(/^[^:\p{Cc}]*$/u, 'a name without a colon'),
        password: z
          .string()
          .max(authCharsMax)
          .regex(/^[^\p{Cc}]*$/u, 'a password without control characters'),
      })
      .optional(),
    headers: values(
      headerName.refine((name) => !RESERVED.test(name), 'a header that a request may be given'),
    ).optional(),
    query: values(z.string().min(1).max(100)).optional(),
  })
  .superRefine((auth, context) => {
    const { connection, bearer, basic } = auth
    const ways = [connection, bearer, basic, auth.headers, auth.query].filter((way) => way !== undefined)
    if (ways.length === 0)
      context.addIssue({
        code: 'custom',
        message: 'one of connection, bearer, basic, headers and query; null for an API that asks for none',
      })
    const isNamed = Object.keys(auth.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')
    const authorisations = [connection !== undefined, bearer !== undefined, basic !== undefined, isNamed].filter(
      Boolean,
    )
    if (authorisations.length > 1)
      context.addIssue({
        code: 'custom',
        path: [isNamed ? 'headers' : basic === undefined ? 'bearer' : 'basic'],
        message: 'one of connection, bearer, basic and the header authorization: a request has one authorization',
      })
  })

const include = z
  .array(z.string().min(1).max(includeCharsMax))
  .min(1, 'at least one pattern; leave it out for all operations')
  .max(includeMax)

const fields = {
  base_url: httpUrl.nullable().optional(),
  include: include.nullable().optional(),
  auth: apiAuth.nullable().optional(),
  description: z.string().trim().max(LIMITS.mcp.descriptionCharsMax).nullable().optional(),
  enabled: z.boolean().optional(),
}

/** A document as it is sent: its JSON, or its text in JSON or YAML. */
const apiDocument = z.union([z.record(z.string(), z.unknown()), z.string().min(1)])

/** An API as it is added: by the address of its document, or with the document itself. */
export const newOpenApiTools = z
  .strictObject({ name: mcpServerName, url: httpUrl.optional(), document: apiDocument.optional(), ...fields })
  .superRefine(oneDocument)

/** What of it is to change. A value of `auth` that is `***` stays as it is. */
export const openApiToolsPatch = z
  .strictObject({ url: httpUrl.optional(), document: apiDocument.optional(), ...fields })
  .superRefine((given, context) => {
    if (given.url !== undefined && given.document !== undefined) oneDocument(given, context)
  })

export type NewOpenApiTools = z.infer<typeof newOpenApiTools>
export type OpenApiToolsPatch = z.infer<typeof openApiToolsPatch>

/** One of the config file. */
export const configOpenApiTools = z
  .strictObject({ url: httpUrl.optional(), document: z.record(z.string(), z.unknown()).optional(), ...fields })
  .superRefine(oneDocument)
  .refine(({ auth, base_url: base, document }) => !auth || typeof base === 'string' || document !== undefined, {
    path: ['base_url'],
    error: 'the address that auth is for: what a document at a url says may change, and auth is to go nowhere else',
  })
export type ConfigOpenApiTools = z.infer<typeof configOpenApiTools>

function oneDocument(given: { url?: unknown; document?: unknown }, context: z.RefinementCtx): void {
  if ((given.url === undefined) !== (given.document === undefined)) return
  context.addIssue({
    code: 'custom',
    path: [given.url === undefined ? 'url' : 'document'],
    message: 'either url, the address of an OpenAPI document, or document, the document itself',
  })
}

const listedOperation = /* @__PURE__ */ onDemand(() =>
  z.object({ id: z.string(), name: z.string(), method: z.string(), path: z.string(), description: z.string() }),
)

const shownAuth = /* @__PURE__ */ onDemand(() => {
  const masked = z.literal(SECRET_MASK)
  return z.object({
    origin: z.string().nullable(),
    connection: z.string().exactOptional(),
    bearer: masked.exactOptional(),
    basic: z.object({ username: masked, password: masked }).exactOptional(),
    headers: z.record(z.string(), masked).exactOptional(),
    query: z.record(z.string(), masked).exactOptional(),
  })
})

/** An API as a list shows it: how many tools it has. */
export const listedOpenApiTools = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('openapi_tools'),
    name: z.string(),
    url: z.string().nullable(),
    base_url: z.string().nullable(),
    include: z.array(z.string()).nullable(),
    auth: shownAuth().nullable(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    source: z.enum(API_ORIGINS),
    status: z.enum(['ok', 'error', 'unknown', 'disabled']),
    error: z.string().nullable(),
    title: z.string().nullable(),
    version: z.string().nullable(),
    read_time: time().nullable(),
    tools_count: count(),
  }),
)
export type ListedOpenApiTools = ShapeOf<typeof listedOpenApiTools>

/** An API as it is shown, with its tools. */
export const openApiTools = /* @__PURE__ */ onDemand(() =>
  listedOpenApiTools().extend({
    warnings: z.array(apiWarning()),
    tools: z.array(listedOperation().extend({ input_schema: record() })),
  }),
)
export type OpenApiToolsInfo = ShapeOf<typeof openApiTools>
