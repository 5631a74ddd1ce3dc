import { version } from '../../../package.json'
import { STATUS } from '../../domain/errors.ts'
import { isOfConsole } from '../../domain/open-paths.ts'
import { type RouteText, routeTextOf } from './describe.ts'
import { answerWords, codesOf, goodAnswers, Problems } from './answers.ts'
import { jsonSchemaOf, NAMED, Schemas } from './schemas.ts'
import { type Linkable, answerLinks, webhooks } from './relations.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import type { SchemaTexts } from './texts/common.ts'
import { takeWords } from './words.ts'
import { OPERATION_TEXTS } from './texts/operations.ts'
import { HEADERS, operationId, pathParameter, QUERY_PARAMETERS, SHARED_PARAMETERS, tagOf, TAGS } from './parts.ts'

/** What is served. */
export interface Served {
  routes: readonly { method: string; path: string; handler: object }[]
  /** What doors say of schemas of their own. */
  words?: readonly DoorWords[]
}

/** What a door says of its schemas, and examples of them, by their names in the document. */
export interface DoorWords {
  texts: SchemaTexts
  examples: Readonly<Record<string, unknown>>
}

interface Route {
  method: string
  /** With `{name}` for parameters. */
  path: string
  text: RouteText
  /** Takes Idempotency-Key. */
  isKeyed: boolean
}

/** The OpenAPI 3.1 document of an app, of what is said of each of its routes. */
export function openApi(app: Served): JsonSchema {
  const { words = [] } = app
  takeWords(words.map(({ texts }) => texts))
  const schemas = new Schemas(Object.assign({}, ...words.map(({ examples }) => examples)))
  const problems = new Problems(schemas)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const routes = describedRoutes(app)
  const all = routes.map((route): Linkable => ({ path: route.path, id: idOf(route) }))
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, schemas, problems, all) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'yaa',
      version,
      description:
        'An agent backend for the edge: sessions that survive, bounded runs, approvals. Errors are problems (RFC 9457); ' +
        'their `code` is stable. Lists are pages: `limit`, `cursor`, `next_cursor`. Every POST takes Idempotency-Key.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: TAGS.filter(({ name }) => usedTags(app).has(name)),
    security: [{ key: [] }],
    paths,
    webhooks: webhooks(),
    components: {
      schemas: schemas.components(),
      responses: problems.components(),
      parameters: SHARED_PARAMETERS,
      headers: HEADERS,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, also as `Authorization: YAA-API-KEY KEY`; or a JWT where the server takes them.',
        },
      },
    },
  }
}

/** Every route of which something is said. */
function describedRoutes(app: Served): Route[] {
  return app.routes.flatMap(({ method, path, handler }) => {
    const text = routeTextOf(handler)
    const isKeyed = method === 'POST' && text?.scope !== undefined
    return text ? [{ method, path: templateOf(path), text, isKeyed }] : []
  })
}

/** A path of hono as OpenAPI writes it. */
export function templateOf(path: string): string {
  // A verb behind a parameter stands in its pattern, as in `:id{[^/:]+:cancel}`.
  const template = path.replaceAll(
    /\/:(\w+)(?:\{([^}]*)\})?/g,
    (_, name: string, form = '') => `/{${name}}${/:\w+$/.exec(String(form))?.[0] ?? ''}`,
  )
  return template.length > 1 ? template.replace(/\/$/, '') : template
}

function usedTags(app: Served): ReadonlySet<string> {
  return new Set(describedRoutes(app).map(({ path }) => tagOf(path)))
}

function idOf({ method, path, text }: Route): string {
  return text.id ?? operationId(method, path)
}

function operation(route: Route, schemas: Schemas, problems: Problems, all: readonly Linkable[]): JsonSchema {
  const { path, text } = route
  const id = idOf(route)
  const body = requestBody(id, text, schemas)
  const { scope } = text
  return {
    operationId: id,
    tags: [tagOf(path)],
    summary: text.summary,
    description: descriptionOf(id, text),
    ...(scope ? { 'x-scope': scope } : {}),
    ...(text.open === undefined ? {} : { security: [] }),
    parameters: parametersOf(route),
    ...(body ? { requestBody: body } : {}),
    responses: responsesOf(route, goodResponses(route, `${capital(id)}Answer`, schemas, all), problems),
  }
}

/** What it does beside its summary, and what it asks of a caller. */
function descriptionOf(id: string, { scope, open, about }: RouteText): string {
  const asks = typeof open === 'string' ? open : scope && `Scope \`${scope}\`.`
  return [OPERATION_TEXTS[id] ?? about, asks].filter(Boolean).join(' ')
}

function responsesOf(route: Route, good: Record<string, JsonSchema>, problems: Problems): Record<string, JsonSchema> {
  const refusals = problems.of(codesOf(route), route.text.refusals)
  const both = Object.entries(good).flatMap(([status, answer]) => {
    const refusal = refusals[status]
    return refusal ? [[status, problems.with(answer, refusal)]] : []
  })
  return {
    ...good,
    ...refusals,
    ...problems.failed(route.text),
    ...pagesOf(route, refusals, problems),
    ...Object.fromEntries(both),
  }
}

/** Where the console is, it comes under the status of what the whole server refuses. */
function pagesOf({ path, text }: Route, refusals: Record<string, JsonSchema>, problems: Problems) {
  if (text.answers !== 'page' || !isOfConsole(path)) return {}
  const codes = ['forbidden', 'not_configured'] as const
  const found = codes.flatMap((code) => {
    const refusal = refusals[STATUS[code]]
    return refusal ? [[STATUS[code], problems.asPage(refusal)]] : []
  })
  return Object.fromEntries(found)
}

function parametersOf({ path, text, isKeyed }: Route): JsonSchema[] {
  const runs = /run|new_session/.test(text.answers ?? '')
  const named = [
    ...(isKeyed ? ['Idempotency-Key'] : []),
    ...(runs && text.answers !== 'stateless_run' ? ['Prefer'] : []),
    ...(runs ? ['traceparent', 'tracestate'] : []),
    ...(text.headers ?? []),
  ]
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
    ...Object.entries(text.query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      description: QUERY_PARAMETERS[name] ?? 'See the schema.',
      // What a cursor is made of is the server's.
      schema: name === 'cursor' ? { type: 'string', minLength: 1 } : jsonSchemaOf(schema),
    })),
    ...named.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

function requestBody(id: string, text: RouteText, schemas: Schemas): JsonSchema | null {
  if (text.takesBytes)
    return { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }, required: true }
  const schema = typeof text.body === 'string' ? NAMED[text.body] : text.body
  if (!schema) return null
  const content = {
    'application/json': { schema: schemas.name(`${capital(id)}Body`, schema) },
    ...(text.takesMarkdown ? { 'text/markdown': { schema: { type: 'string' } } } : {}),
    ...(text.takesYaml ? { 'application/yaml': { schema: { type: 'string' } } } : {}),
    ...(text.takesZip ? { 'application/zip': { schema: { type: 'string', format: 'binary' } } } : {}),
  }
  return { content, required: !schema.safeParse({}).success }
}

function goodResponses(
  route: Route,
  name: string,
  schemas: Schemas,
  all: readonly Linkable[],
): Record<string, JsonSchema> {
  const { path, text, isKeyed } = route
  return Object.fromEntries(
    Object.entries(goodAnswers(text, name, schemas)).map(([status, content]) => {
      const names = [
        ...(status === '201' || status === '202' ? ['Location'] : []),
        ...(hasTag(text) ? ['ETag'] : []),
        ...(isKeyed ? ['Idempotent-Replayed'] : []),
      ]
      const headers = Object.fromEntries(names.map((one) => [one, { $ref: `#/components/headers/${one}` }]))
      const known = { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...headers }
      const isEmpty = Object.keys(content).length === 0
      const links = answerLinks({ path, id: idOf(route) }, status, all)
      const more = { ...(isEmpty ? {} : { content }), ...(Object.keys(links).length > 0 ? { links } : {}) }
      return [status, { description: DESCRIPTIONS[status] ?? answerWords(text), headers: known, ...more }]
    }),
  )
}

function hasTag({ answers, headers = [] }: Route['text']): boolean {
  const isTagged = answers === 'session' || answers === 'new_session' || answers === 'bytes'
  return isTagged || headers.includes('If-None-Match')
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  101: 'The socket is open: text frames are events.',
  201: 'Made; `Location` says where.',
  202: 'Accepted; it goes on in the background.',
  204: 'Done; there is nothing to say.',
  304: 'It is as you know it.',
}

function capital(word: string): string {
  return (word[0]?.toUpperCase() ?? '') + word.slice(1)
}
