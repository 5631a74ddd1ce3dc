import type * as z from 'zod'
import { type AnswerKind, listOf, type ListOf, type RouteText } from './describe.ts'
import { NAMED, type SchemaName } from './named.ts'
import { type JsonSchema, refTo, type Schemas } from './schemas.ts'
import * as answers from '../shapes/answers.ts'

/** Good answers of a route, as OpenAPI has them. */

type Content = Record<string, JsonSchema>
type Contents = Readonly<Record<number, Content>>

const ref = (name: string): JsonSchema => ({ schema: { $ref: refTo(name) } })
const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } })

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

const text = (type: string): Content => ({ [type]: { schema: { type: 'string' } } })
const bytes = (type: string): Content => ({ [type]: { schema: { type: 'string', format: 'binary' } } })

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
  text: { 200: text('text/plain') },
  metrics: { 200: text('text/plain') },
  files: { 200: bytes('application/zip') },
  bytes: { 200: bytes('*/*'), 304: {} },
  audit: {
    200: {
      'application/x-ndjson': {
        schema: { type: 'string', description: 'An AuditEntry a line, oldest first.' },
        'x-line-schema': { $ref: refTo('AuditEntry') },
      },
    },
  },
  page: { 200: text('text/html'), 304: {} },
  none: { 204: {} },
}

/** JSON beside another form. */
const LISTS: Partial<Record<AnswerKind, ListOf>> = {
  files: listOf('File'),
}

function schemaNamed(name: SchemaName | ListOf): z.ZodType {
  return typeof name === 'string' ? NAMED[name] : answers.listOf(NAMED[name.listOf])
}

/** Contents of the good answers of a route by status. */
export function goodAnswers(route: RouteText, name: string, schemas: Schemas): Contents {
  const kind = route.answers ?? (route.returns ? 'json' : 'none')
  const shape = route.returns ?? LISTS[kind]
  const own: Content = shape ? json(schemas.name(name, schemaNamed(shape))) : {}
  const known: Contents = kind === 'json' ? { 200: json({ type: 'object' }) } : OF_KIND[kind]
  const [first] = Object.keys(known).map(Number)
  const statuses = route.status ?? Object.keys(known).map(Number)
  return Object.fromEntries(
    statuses.map((status) => {
      const content = known[status] ?? known[first ?? 200] ?? {}
      return [status, status === 304 || status === 204 || status === 101 ? {} : { ...content, ...own }]
    }),
  )
}
