import { isBrought, isForAll } from '../../domain/open-paths.ts'
import type * as z from 'zod'
import { type AnswerKind, listOf, type ListOf, type RouteText } from './describe.ts'
import { PROBLEM, type RefusalText } from './error-shape.ts'
import { NAMED, refTo, type SchemaName, type Schemas } from './schemas.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import { listPage } from '../../lib/shape.ts'
import { type AppError, STATUS } from '../../domain/errors.ts'
import { problemTitle, problemType } from '../../domain/problem.ts'
import { pageWords, wordsAt } from './words.ts'

/** Good answers of a route, as OpenAPI has them. */

type Content = Record<string, JsonSchema>
type Contents = Readonly<Record<number, Content>>

const ref = (name: string): JsonSchema => ({ schema: { $ref: refTo(name) } })
const json = (schema: JsonSchema, type = 'application/json'): Content => ({ [type]: { schema } })

const EVENT_STREAM: JsonSchema = {
  schema: {
    type: 'string',
    contentMediaType: 'text/event-stream',
    description:
      'Server-Sent Events. `id:` is SEQ, or SEQ.N of a delta; `event:` the type; `data:` the JSON of an Event or DeltaEvent. ' +
      '`retry: 1000` comes first, a comment every 10 s. Resume with Last-Event-ID or ?after=.',
  },
  'x-event-schema': { anyOf: [{ $ref: refTo('Event') }, { $ref: refTo('DeltaEvent') }] },
}

const CHUNK_STREAM: JsonSchema = {
  schema: {
    type: 'string',
    contentMediaType: 'text/event-stream',
    description: 'Server-Sent Events without names: `data:` is the JSON of a StreamResponse.',
  },
  'x-event-schema': { $ref: refTo('StreamResponse') },
}

const framesOf = (chunk: JsonSchema): Content => ({
  'text/event-stream': {
    schema: {
      type: 'string',
      contentMediaType: 'text/event-stream',
      description: 'Server-Sent Events without names: `data:` is the JSON of a chunk; the last one is `[DONE]`.',
    },
    'x-event-schema': chunk,
  },
})

const ofText = (type: string): Content => ({ [type]: { schema: { type: 'string' } } })
const ofBytes = (type: string): Content => ({ [type]: { schema: { type: 'string', format: 'binary' } } })

const run: Contents = {
  200: { 'application/json': ref('AgentResponse'), 'text/event-stream': EVENT_STREAM },
  202: { 'application/json': ref('RunAccepted') },
}

/** Answers of the routes that have more than one form. */
const OF_KIND: Readonly<Record<Exclude<AnswerKind, 'json'>, Contents>> = {
  session: { 200: { 'application/json': ref('SessionData') } },
  new_session: {
    201: {
      'application/json': ref('SessionData'),
      'text/event-stream': EVENT_STREAM,
    },
    202: { 'application/json': ref('RunAccepted') },
  },
  run,
  skill_run: run,
  stateless_run: { 200: { 'application/json': ref('AgentResponse'), 'text/event-stream': CHUNK_STREAM } },
  events: { 200: { 'text/event-stream': EVENT_STREAM } },
  socket: { 101: {} },
  text: { 200: ofText('text/plain') },
  metrics: { 200: ofText('text/plain') },
  files: { 200: ofBytes('application/zip') },
  skill: { 200: { ...ofText('text/markdown'), ...ofBytes('application/zip') } },
  // A file comes as the type that it is kept as.
  bytes: { 200: { ...ofBytes('application/octet-stream'), ...ofBytes('*/*') }, 304: {} },
  audit: {
    200: {
      'application/x-ndjson': {
        schema: { type: 'string', description: 'An AuditEntry a line, oldest first.' },
        'x-line-schema': { $ref: refTo('AuditEntry') },
      },
    },
  },
  user_export: {
    200: {
      'application/x-ndjson': {
        schema: {
          type: 'string',
          description:
            'A JSON object a line. `type`: preference, conversation, task, session (its `document` is a SessionExport), link or usage.',
        },
      },
    },
    202: { 'application/json': ref('UserJob') },
  },
  page: { 200: ofText('text/html'), 304: {} },
  page_or_text: { 200: { ...ofText('text/html'), ...ofText('text/plain') } },
  none: { 204: {} },
}

/** JSON beside another form. */
const LISTS: Partial<Record<AnswerKind, ListOf>> = {
  files: listOf('WorkspaceFile'),
}

function schemaNamed(shape: SchemaName | ListOf | z.ZodType): z.ZodType {
  if (typeof shape === 'string') return NAMED[shape]
  return 'listOf' in shape ? listPage(NAMED[shape.listOf]) : shape
}

/** Contents of the good answers of a route by status. */
export function goodAnswers(route: RouteText, name: string, schemas: Schemas): Contents {
  const kind = route.answers ?? (route.returns ? 'json' : 'none')
  const shape = route.returns ?? LISTS[kind]
  const frames: Content = route.frames ? framesOf(schemas.name(name.replace(/Answer$/, 'Chunk'), route.frames)) : {}
  // A door that answers with a stream alone.
  const nothing: Contents = route.status?.includes(204) ? { 204: {} } : {}
  if (route.frames && kind === 'none') return { 200: frames, ...nothing }
  const own: Content = { ...(shape ? json(schemas.name(name, schemaNamed(shape)), route.mediaType) : {}), ...frames }
  const known: Contents = kind === 'json' ? { 200: shape ? own : json({ type: 'object' }) } : OF_KIND[kind]
  const [first] = Object.keys(known).map(Number)
  const statuses = route.status ?? Object.keys(known).map(Number)
  return Object.fromEntries(
    statuses.map((status) => {
      const content = known[status] ?? known[first ?? 200] ?? {}
      // JSON first: makers of clients that know one form take that.
      return [status, status === 304 || status === 204 || status === 101 ? {} : { ...own, ...content, ...own }]
    }),
  )
}

/** What a good answer of a kind is, where no schema says it. */
const ANSWER_TEXTS: Readonly<Partial<Record<AnswerKind, string>>> = {
  run: 'How the run stands when this request ends; as `text/event-stream` its events, as they happen.',
  skill_run: 'How the run stands when this request ends; as `text/event-stream` its events, as they happen.',
  stateless_run: 'How the run stands when this request ends; as `text/event-stream` its pieces, as they come.',
  events: 'A page of events; as `text/event-stream` all that come, until the client leaves.',
  text: 'The whole text, as it is.',
  metrics: 'Counters, a line each.',
  files: 'A page of files; as `application/zip` all of them.',
  bytes: 'The bytes of the file.',
  audit: 'A page of entries; as `application/x-ndjson` all of them, one a line.',
  user_export: 'All that there is of the person, one JSON object a line.',
  page: 'A page for browsers.',
  page_or_text: 'A page for browsers; as `text/plain` what it says.',
  json: 'A JSON document.',
}

/** What a good answer of a route is, in words. */
export function answerWords({ answers, returns }: RouteText): string {
  const kind = answers ?? (returns ? 'json' : 'none')
  const known = kind === 'json' && returns ? undefined : ANSWER_TEXTS[kind]
  const schema = kind === 'session' || kind === 'new_session' ? 'SessionData' : returns
  if (known !== undefined || schema === undefined) return known ?? 'Done; there is no body.'
  if (typeof schema === 'string') return wordsAt(schema)?.text ?? schema
  return 'listOf' in schema ? pageWords(schema.listOf) : 'The answer, in the shape that the protocol has for it.'
}

type Code = AppError['code']

/** What every route may answer. */
const ALWAYS = ['headers_too_large', 'internal_error', 'unavailable', 'storage_failed'] as const satisfies Code[]

/** Why a route may refuse: every code that it can answer with. */
export function codesOf({ path, text, isKeyed }: { path: string; text: RouteText; isKeyed: boolean }): Code[] {
  const codes = new Set<Code>([...ALWAYS, ...(text.errors ?? [])])
  const add = (...more: Code[]) => more.forEach((code) => codes.add(code))
  if (text.open === undefined) add('unauthorized', 'rate_limited', 'issuer_unavailable')
  if (!isForAll(path)) add('not_configured')
  if (!isForAll(path) && !isBrought(path)) add('forbidden')
  if (text.scope === 'admin' && text.audit) add('audit_unavailable')
  if (text.query) add('invalid_input')
  if (/\{/.test(path)) add('not_found', 'invalid_input')
  if (text.body ?? text.takesBytes) add('invalid_input', 'body_too_large', 'unsupported_media_type')
  if (isKeyed)
    add(
      'invalid_input',
      'body_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'idempotency_in_progress',
    )
  if (text.answers === 'run' || text.answers === 'new_session' || text.answers === 'skill_run')
    add('needs_newer', 'run_in_progress', 'unpriced_model', 'queue_full', 'nothing_to_continue')
  if (text.answers === 'new_session' || text.answers === 'skill_run') add('too_many')
  return [...codes]
}

/** Refusals by status, each a reference to the same answer of other routes. */
export class Problems {
  readonly #responses = new Map<string, JsonSchema>()
  readonly #schemas: Schemas

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  of(codes: readonly Code[], text: RefusalText = OF_PROBLEM): Record<string, JsonSchema> {
    const statuses = [...new Set(codes.map((code) => STATUS[code]))].toSorted((a, b) => a - b)
    return Object.fromEntries(
      statuses.map((status) => [
        String(status),
        this.#reference(status, codes.filter((code) => STATUS[code] === status).toSorted(), text),
      ]),
    )
  }

  /** A refusal whose status is also that of a page, which says what to do. */
  asPage(refusal: JsonSchema): JsonSchema {
    const response = this.#responses.get(nameIn(refusal)) ?? {}
    return { ...response, content: { ...(response['content'] as JsonSchema | undefined), ...ofText('text/html') } }
  }

  /** An answer whose status is also that of a refusal: both. */
  with(good: JsonSchema, refusal: JsonSchema): JsonSchema {
    const { content } = this.#responses.get(nameIn(refusal)) ?? {}
    return {
      ...good,
      content: { ...(good['content'] as JsonSchema | undefined), ...(content as JsonSchema | undefined) },
    }
  }

  /** Where a run that failed is told by a status that refuses nothing. */
  failed({ failed, refusals = OF_PROBLEM }: RouteText): Record<string, JsonSchema> {
    if (failed === undefined) return {}
    const schema = this.#schemas.name(refusals.name, refusals.schema())
    const headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
    const content = { [mediaTypeOf(refusals)]: { schema } }
    return { [failed.status]: { description: failed.means, headers, content } }
  }

  /** `components.responses`. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#responses)
  }

  #reference(status: number, codes: readonly Code[], text: RefusalText): JsonSchema {
    const name = [...(text === OF_PROBLEM ? [] : [text.name]), status, ...codes].join('.')
    this.#responses.set(name, problemResponse(codes, text, this.#schemas.name(text.name, text.schema())))
    return { $ref: `#/components/responses/${name}` }
  }
}

const nameIn = (reference: JsonSchema): string => String(reference['$ref']).split('/').at(-1) ?? ''

const mediaTypeOf = ({ contentType }: RefusalText): string => contentType.split(';')[0] ?? ''

function problemResponse(codes: readonly Code[], text: RefusalText, schema: JsonSchema): JsonSchema {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: text.exampleOf(code) }]))
  return {
    description: codes.map((code) => `\`${code}\`: ${problemTitle(code)}.`).join(' '),
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...headersOf(codes) },
    // One schema for all of them: makers of clients cannot merge what would narrow it.
    content: { [mediaTypeOf(text)]: { schema, examples } },
    'x-codes': codes,
  }
}

/** As our own API says refusals. */
const OF_PROBLEM: RefusalText = {
  contentType: PROBLEM.contentType,
  name: 'Problem',
  schema: () => NAMED.Problem,
  exampleOf: (code) => ({
    type: problemType(code),
    title: problemTitle(code),
    status: STATUS[code],
    detail: `${problemTitle(code)}.`,
    code,
    request_id: 'req_01kahz4m8n3t5v7x9z1b3d5f7h',
    ...(code === 'invalid_input' ? { errors: [{ path: 'limit', message: '1 to 100' }] } : {}),
  }),
}

function headersOf(codes: readonly Code[]): Record<string, JsonSchema> {
  const names = new Set(codes.flatMap((code) => HEADERS[code] ?? []))
  return Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const HEADERS: Partial<Record<string, readonly string[]>> = {
  unavailable: ['Retry-After'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  unauthorized: ['WWW-Authenticate'],
}
