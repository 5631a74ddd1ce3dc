import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { withinBytes } from '../lib/bytes.ts'
import { endedStream, whileValid } from '../lib/streams.ts'
import type { Scope } from '../domain/access.ts'
import { type AppError, ok, type Result, STATUS } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { act } from '../service/act.ts'
import { mayEnd, stillHolds } from '../service/caller.ts'
import { openRunStream, type OpenConnection } from '../service/limits.ts'
import { unknownSession } from '../service/given-out.ts'
import { type CommandOf, COMMANDS, type CommandType, type CommandOutcome, type Order, run } from '../service/run.ts'
import type { AnswerForm, SessionText, View } from '../session/call.ts'
import type { StoredResponse, KeptAnswer } from '../store/claims.ts'
import { jsonOf, jsonWithParts, queryOf } from './body.ts'
import { callerOf, serviceOf } from './caller.ts'
import { type AppEnv, problem } from './context.ts'
import { again, idempotencyOf, REPLAYED } from './idempotency.ts'
import { shownResponse } from './money.ts'
import { asksFor, hasAlready } from './negotiate.ts'
import { errorWords, PROBLEM } from './openapi/error-shape.ts'
import { described, type RouteText } from './openapi/describe.ts'

/** How the input of a route is read, and what the document says of that. */
export interface Reading<Input> {
  read: (c: Context<AppEnv>) => Promise<Result<Input>>
  facts: Pick<RouteText, 'body' | 'query'>
}

export const nothing: Reading<null> = { read: async () => ok(null), facts: {} }

export function json<Schema extends z.ZodType>(body: Schema): Reading<z.output<Schema>> {
  return { read: (c) => jsonOf(c, body), facts: { body } }
}

/** The same of a body whose parts may bring bytes along. */
export function jsonParts<Schema extends z.ZodType>(body: Schema): Reading<z.output<Schema>> {
  return { read: (c) => jsonWithParts(c, body), facts: { body } }
}

/** Unknown parameters are refused like unknown fields. */
export function query<Schema extends z.ZodObject>(schema: Schema): Reading<z.output<Schema>> {
  return { read: async (c) => queryOf(c, schema), facts: { query: schema } }
}

const NO_FIELDS = z.strictObject({})

/** What is read of a POST whose body says nothing: there is none, or an object without fields. */
export function alone<Input>({ read, facts }: Reading<Input>): Reading<Input> {
  const readAlone = async (c: Context<AppEnv>) => {
    const given = await jsonOf(c, NO_FIELDS)
    return given.ok ? read(c) : given
  }
  return { read: readAlone, facts }
}

/** Of a POST whose path says all. */
export const noFields = alone(nothing)

/** A body, and parameters of the query. */
export function jsonAnd<Schema extends z.ZodType, Beside extends z.ZodObject>(
  body: Schema,
  schema: Beside,
): Reading<{ body: z.output<Schema>; query: z.output<Beside> }> {
  const read = async (c: Context<AppEnv>) => {
    const asked = queryOf(c, schema)
    if (!asked.ok) return asked
    const given = await jsonOf(c, body)
    return given.ok ? ok({ body: given.value, query: asked.value }) : given
  }
  return { read, facts: { body, query: schema } }
}

/** A good answer of a route. */
export interface Answer {
  /** Of JSON; absent: none. */
  body?: object
  /** Default: 200, without a body 204. */
  status?: ContentfulStatusCode
  location?: string
  etag?: string
  /** Beside the body, this once: when the request comes again, without. */
  secret?: object
  /** It was done before. */
  replayed?: boolean
  /** In the place of all that: what is no JSON. */
  response?: Response
}

/** What a route is asked. */
export interface Call<Input> {
  c: Context<AppEnv>
  tenant: string
  input: Input
  /** A parameter of the path. */
  param: (name: string) => string
  /** The key under which the request may come again. */
  key: string | null
  /** What the request is answered when it comes again, for the transaction that makes something: a process that dies in between leaves
   *  both or neither. Null: it has no key. */
  done: (answer: Answer) => StoredResponse | null
  /** Says more of it to the audit: names, ids and hashes, never content. */
  note: (details: Record<string, unknown>) => void
}

/** `body`: for the document, where it is not what is read. */
interface RouteSpec<Input> extends Omit<RouteText, 'query'> {
  scope: Scope
  reads: Reading<Input>
  /** Why there cannot be what the path names, without anything being asked for it. */
  refuse?: (c: Context<AppEnv>) => AppError | null | Promise<AppError | null>
}

/** A route that reads, or changes what is the tenant's: the service says whether it may, and keeps and records it. */
export function route<Input>(
  { reads, refuse, ...text }: RouteSpec<Input>,
  work: (call: Call<Input>) => Result<Answer> | Promise<Result<Answer>>,
) {
  const { scope, audit } = text
  const handler = async (c: Context<AppEnv>) => {
    const { tenant } = c.get('principal')
    const param = (name: string) => c.req.param(name) ?? ''
    const order = {
      scope,
      action: audit?.action ?? null,
      target: (audit?.target === undefined ? Object.values(c.req.param())[0] : param(audit.target)) ?? null,
      refuse: async () => (await refuse?.(c)) ?? null,
      idempotency: c.req.method === 'POST' ? idempotencyOf(c) : null,
      read: () => reads.read(c),
      ...(audit?.fields ? { fieldsOf: (input: Input) => input } : {}),
      endOf: (answer: Answer) => ({ status: statusOf(answer), made: lastPart(answer.location) }),
      keptOf,
    }
    const done = await act(serviceOf(c), callerOf(c), order, async (input, { key, note }) =>
      work({
        c,
        tenant,
        input,
        param,
        key,
        done: (answer) => (key === null ? null : { key, answer: keptOf(answer) }),
        note,
      }),
    )
    if (!done.ok) return problem(c, done.error)
    return done.value.stored ? again(c, done.value.stored) : shown(c, done.value.done)
  }
  return described({ ...text, ...reads.facts }, handler)
}

interface CommandSpec<Input> extends Omit<RouteText, 'query' | 'scope' | 'audit'> {
  reads: Reading<Input>
  /** Of a good answer that is not asynchronous; default: 200. */
  good?: 200 | 201
  /** What is acted upon, where that is not the session of the path. */
  target?: string
  /** Of the body; default: that of every request. */
  bytesMax?: number
  /** How its streams are shown; default: as Server-Sent Events. */
  stream?: { view: View; contentType: string }
}

/** A route that is one command of a session: the request is read, the service does it, and the answer is shown. */
export function command<T extends CommandType, Input>(
  type: T,
  { reads, good = 200, target, bytesMax, stream, ...text }: CommandSpec<Input>,
  commandOf: (input: Input, c: Context<AppEnv>) => CommandOf<T>,
) {
  const { scope, action, makes } = COMMANDS[type]
  const handler = (c: Context<AppEnv>) => {
    const form = answerForm(c)
    return inPlace(c, form === 'stream', async ({ taken, streamed }) => {
      const done = await ordered(c, {
        type,
        sessionId: makes ? null : (c.req.param('id') ?? ''),
        ...(target === undefined ? {} : { target: c.req.param(target) ?? '' }),
        idempotency: idempotencyOf(c, bytesMax),
        read: async () => {
          const input = await taken(() => reads.read(c))
          return input.ok ? ok(commandOf(input.value, c)) : input
        },
        form,
        view: stream?.view,
        status: { good, begun: 202 },
      })
      if (!done.ok) return problem(c, done.error)
      const { answer, sessionId } = done.value
      if (makes || isAccepted(answer)) c.header('location', `/v1/sessions/${sessionId}`)
      if (!('form' in answer)) return sessionBody(c, answer, good)
      if (answer.form === 'wait') return c.json(shownResponse(answer.response), good)
      if (answer.form === 'stream') return streamed(answer.body, { status: good, contentType: stream?.contentType })
      if (answer.form === 'whole') return c.body(answer.body, good)
      c.header('preference-applied', 'respond-async')
      return c.json(answer.accepted, 202)
    })
  }
  return described({ ...text, ...reads.facts, scope, audit: { action } }, handler)
}

/** Gives an order to the service. */
export async function ordered<T extends CommandType>(
  c: Context<AppEnv>,
  order: Order<T>,
): Promise<Result<CommandOutcome<T>>> {
  if (order.sessionId !== null) c.set('session', order.sessionId)
  const done = await run(serviceOf(c), callerOf(c), order)
  if (!done.ok) return done
  c.set('session', done.value.sessionId)
  if (done.value.replayed) c.header(REPLAYED, 'true')
  return done
}

/** Ids that were not given out are refused without waking an object. */
export function sessionInPath(c: Context<AppEnv>): Promise<AppError | null> {
  return unknownSession(serviceOf(c), c.get('principal').tenant, c.req.param('id') ?? '')
}

/** A page of a list. */
export function list(data: readonly unknown[], nextCursor: string | null = null): Answer {
  return { body: { object: 'list', data, next_cursor: nextCursor } }
}

/** The page of entries of which one more was asked for than it holds, if there are. */
export function page<T>(
  found: readonly T[],
  max: number,
  cursorOf: (last: T) => string | null,
  shownAs: (one: T) => unknown = (one) => one,
): Answer {
  const data = withinBytes(found.slice(0, max), LIMITS.http.pageBytesMax)
  const last = data.at(-1)
  return list(data.map(shownAs), found.length > data.length && last !== undefined ? cursorOf(last) : null)
}

/** The cursor behind an entry of a list by id. */
export const lastId = ({ id }: { id: string }): string => id

interface StreamOptions {
  status?: 200 | 201
  contentType?: string | undefined
}

/** The place of a stream among those of its tenant. */
export interface StreamPlace {
  /** The input, and the place with it; a bad input takes none. */
  taken: <T>(read: () => Promise<Result<T>>) => Promise<Result<T>>
  streamed: (source: ReadableStream<Uint8Array>, options?: StreamOptions) => Response
}

/** Answers a call that begins something. Where the answer may be a stream, its place is taken when the input is read, before anything
 *  begins. */
export async function inPlace(
  c: Context<AppEnv>,
  mayStream: boolean,
  answer: (place: StreamPlace) => Promise<Response>,
): Promise<Response> {
  const held: { connection: OpenConnection | null; isUsed: boolean } = { connection: null, isUsed: false }
  const taken: StreamPlace['taken'] = async (read) => {
    const input = await read()
    if (!input.ok || !mayStream) return input
    const opened = await openRunStream(serviceOf(c), c.get('principal').tenant)
    if (!opened.ok) return opened
    held.connection = opened.value
    return input
  }
  const streamed: StreamPlace['streamed'] = (source, options = {}) => {
    held.isUsed = true
    return eventStream(c, source, { ...options, connection: held.connection })
  }
  try {
    return await answer({ taken, streamed })
  } finally {
    if (!held.isUsed) await held.connection?.close()
  }
}

/** A stream of events, which ends when the key that opened it is revoked, or it or a token expires. `connection`: as the tenant counts it; null: it
 *  does not. */
export function eventStream(
  c: Context<AppEnv>,
  source: ReadableStream<Uint8Array>,
  {
    status = 200,
    contentType = 'text/event-stream; charset=utf-8',
    connection,
  }: StreamOptions & { connection: OpenConnection | null },
): Response {
  const stream = connection ? endedStream(source, () => c.executionCtx.waitUntil(connection.close())) : source
  const principal = c.get('principal')
  const isValid = () => stillHolds(serviceOf(c), principal)
  const last = breakingEvent(c, { code: 'unauthorized' })
  const held = mayEnd(principal)
    ? whileValid(stream, { isValid, now: Date.now, everyMs: LIMITS.access.keyLookMs, last })
    : stream
  return c.body(held, status, { 'content-type': contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
}

/** What the door of the request says before it breaks a stream off; absent: nothing. */
function breakingEvent(c: Context<AppEnv>, error: AppError): Uint8Array | undefined {
  const { eventOf, eventName } = c.get('errors') ?? PROBLEM
  const about = { requestId: c.get('requestId'), status: STATUS[error.code], words: errorWords(error) }
  const data = eventOf?.(error, about)
  const name = eventName === undefined ? '' : `event: ${eventName}\n`
  return data && new TextEncoder().encode(`${name}data: ${JSON.stringify(data)}\n\n`)
}

export function wantsEvents(c: Context<AppEnv>): boolean {
  return asksFor(c, 'text/event-stream')
}

/** A SessionData as the session wrote it. */
export function sessionBody(
  c: Context<AppEnv>,
  { body, etag, replayed }: SessionText,
  status: 200 | 201 = 200,
): Response {
  if (replayed) c.header(REPLAYED, 'true')
  if (/^(GET|HEAD)$/.test(c.req.method) && hasAlready(c, etag)) {
    if (typeof body !== 'string') c.executionCtx.waitUntil(body.cancel())
    return c.body(null, 304, { etag })
  }
  return c.body(body, status, { 'content-type': 'application/json; charset=utf-8', etag })
}

/** The form that the headers of a call ask for: `Prefer: respond-async` before `Accept: text/event-stream`. */
function answerForm(c: Context<AppEnv>): AnswerForm {
  if (/(^|[\s,;])respond-async([\s,;]|$)/i.test(c.req.header('prefer') ?? '')) return 'background'
  return wantsEvents(c) ? 'stream' : 'wait'
}

function isAccepted(answer: CommandOutcome['answer']): boolean {
  return 'form' in answer && answer.form === 'background'
}

function shown(c: Context<AppEnv>, answer: Answer): Response {
  const { body, location, etag, secret, replayed, response } = answer
  if (location !== undefined) c.header('location', location)
  if (etag !== undefined) c.header('etag', etag)
  if (replayed) c.header(REPLAYED, 'true')
  if (response) return response
  return body ? c.json({ ...body, ...secret }, answer.status ?? 200) : c.body(null, 204)
}

function keptOf(answer: Answer): KeptAnswer {
  const { location, body = {} } = answer
  const about = { status: statusOf(answer), contentType: 'application/json', ...(location ? { location } : {}) }
  return { ...about, body: JSON.stringify(body) }
}

function statusOf({ response, status, body }: Answer): number {
  return response?.status ?? status ?? (body ? 200 : 204)
}

function lastPart(path: string | undefined): string | undefined {
  const last = path?.split('/').at(-1)
  return last === undefined ? undefined : decodeURIComponent(last)
}
