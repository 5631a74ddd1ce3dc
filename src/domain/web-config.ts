import * as z from 'zod'
import { envName, httpUrl } from './config.ts'
import { connectionName } from './connection.ts'
import { LIMITS } from './limits.ts'

/** Names of fields from the outside in, with dots between: `web.results`. */
const fieldPath = z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/, 'names of fields with dots between')
const listPath = z.string().regex(/^(?:\.|[^\s.]+(?:\.[^\s.]+)*)$/, 'names of fields with dots between, or one dot')
const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'the name of a header')

/** How a search service is asked and how its JSON answer is read; `results` is the path of the list (`.`: the answer itself), the rest are paths in an entry. */
const searchMapping = z
  .strictObject({
    method: z.enum(['GET', 'POST']).optional(),
    /** Parameter of the address (GET) or field of the JSON body (POST) that takes the words; that which takes the number of results. */
    query: z.string().min(1).max(100),
    count: z.string().min(1).max(100).optional(),
    parameters: z
      .record(z.string().min(1).max(100), z.union([z.string().max(1_000), z.number(), z.boolean()]))
      .optional(),
    key_header: headerName.optional(),
    key_prefix: z.string().max(100).optional(),
    /** Takes the key where no header does. */
    key_parameter: z.string().min(1).max(100).optional(),
    results: listPath,
    title: fieldPath,
    url: fieldPath,
    snippet: fieldPath.optional(),
    date: fieldPath.optional(),
  })
  .refine((mapping) => mapping.key_header === undefined || mapping.key_parameter === undefined, {
    path: ['key_parameter'],
    error: 'either key_header or key_parameter',
  })
export type SearchMapping = z.infer<typeof searchMapping>

/** Who finds pages. `keys`: what else may hold the key. */
export const webSearchWith = <K extends z.ZodType>(keys: K) =>
  z
    .strictObject({
      provider: z.enum(['searxng', 'brave', 'tavily', 'custom']),
      url: httpUrl.optional(),
      api_key_env: keys,
      /** The connection of the tenant whose secret is the key; it is for the origin of the service. */
      connection: connectionName.optional(),
      /** Of a `custom` provider. */
      mapping: searchMapping.optional(),
    })
    .refine((s) => (s.provider !== 'searxng' && s.provider !== 'custom') || s.url !== undefined, {
      path: ['url'],
      error: 'an absolute http or https address',
    })
    .refine((s) => (s.provider === 'custom') === (s.mapping !== undefined), {
      path: ['mapping'],
      error: 'a mapping for the provider custom, and for no other',
    })

/** Headers that say how a request is to be read, or where it goes. */
const OUR_HEADERS = /^(?:content-(?:type|length|encoding)|accept|host|connection|transfer-encoding)$/i

/** Who runs the scripts of pages that show nothing without them. `keys`: what else may hold the key. */
export const webRenderWith = <K extends z.ZodType>(keys: K) =>
  z
    .strictObject({
      provider: z.enum(['cloudflare', 'custom']),
      /** The Cloudflare account whose Browser Rendering is used. */
      account_id: z
        .string()
        .regex(/^[0-9a-f]{32}$/, 'the id of an account, 32 hex digits')
        .optional(),
      /** Of a `custom` service: what stands for `{url}` in it is the page's address; without that the address is sent as JSON, `{"url": …}`. */
      url: z.string().max(LIMITS.web.urlCharsMax).refine(isTemplate, 'an absolute http or https address').optional(),
      api_key_env: keys,
      /** The connection of the tenant whose secret is the key; it is for the origin of the service. */
      connection: connectionName.optional(),
      /** Takes the key as it is; without it `authorization` does, as a bearer. */
      key_header: headerName.refine((name) => !OUR_HEADERS.test(name), 'a header that says nothing else').optional(),
      timeout_ms: z
        .int()
        .min(1)
        .max(10 * 60_000)
        .optional(),
    })
    .refine((r) => r.provider !== 'cloudflare' || (r.account_id !== undefined && hasKey(r)), {
      path: ['account_id'],
      error: 'account_id, and api_key_env or connection, for the provider cloudflare',
    })
    .refine((r) => (r.provider === 'custom') === (r.url !== undefined), {
      path: ['url'],
      error: 'an absolute http or https address for the provider custom, and for no other',
    })
    .refine((r) => r.provider !== 'custom' || r.account_id === undefined, {
      path: ['account_id'],
      error: 'an account for the provider cloudflare, and for no other',
    })
    .refine((r) => !hasKey(r) || r.url === undefined || keepsKey(r.url), {
      path: ['url'],
      error: 'an https address, or one of this machine, where a key is sent',
    })

const webSearch = webSearchWith(envName.optional())
const webRender = webRenderWith(envName.optional())
export type WebSearchConfig = z.infer<typeof webSearch>
export type WebRenderConfig = z.infer<typeof webRender>

const hasKey = ({ api_key_env: variable, connection }: { api_key_env?: unknown; connection?: unknown }) =>
  variable !== undefined || connection !== undefined

/** What is sent to this machine is seen by nobody on the way. */
function keepsKey(url: string): boolean {
  const parsed = URL.parse(url.replaceAll('{url}', ''))
  return parsed?.protocol !== 'http:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname)
}

function isTemplate(url: string): boolean {
  const parsed = URL.parse(url.replaceAll('{url}', ''))
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.origin === URL.parse(url.replaceAll('{url}', 'x'))?.origin
  )
}

const hostPort = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s/:@]+):\d{1,5}$/, 'a host with its port, such as 127.0.0.1:9002')

/** How the web is reached, beside the services that are asked. */
export const webFields = {
  allow_private_hosts: z.array(hostPort).max(100).optional(),
  trusted_hosts: z.array(z.string().min(1).max(260)).max(1_000).optional(),
  timeout_ms: z
    .int()
    .min(1)
    .max(10 * 60_000)
    .optional(),
  body_bytes_max: z
    .int()
    .min(1_024)
    .max(32 * 1_024 * 1_024)
    .optional(),
}

export const webConfig = z.strictObject({
  ...webFields,
  search: webSearch.optional(),
  render: webRender.optional(),
})
