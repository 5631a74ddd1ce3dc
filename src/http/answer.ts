import type { Context } from 'hono'
import { whileValid } from '../access/while-valid.ts'
import type { Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Origin } from '../domain/telemetry.ts'
import { isId } from '../lib/id.ts'
import { directoryObject } from '../objects/env.ts'
import { parseTraceparent } from '../telemetry/trace-context.ts'
import type { AnswerForm } from '../session/call.ts'
import type { CallOptions, RunAnswer, SessionText, WhenBusy } from '../session/call.ts'
import { auditNote } from './middleware/audited.ts'
import type { AppEnv } from './context.ts'
import { REPLAYED } from './middleware/replayed.ts'
import { problem } from './problem.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** How a call wants to be answered, and the key under which it may come again. */
export function callOptions(c: Context<AppEnv>, whenBusy: WhenBusy = 'reject'): CallOptions {
  return { form: answerForm(c), key: c.get('idempotency').key, whenBusy, payer: payerOf(c), origin: originOf(c) }
}

/** The caller's key, if it has a budget: it pays for what the call runs. */
export function payerOf(c: Context<AppEnv>): string | null {
  const { id, limits } = c.get('principal')
  return limits?.day || limits?.month ? id : null
}

/** The request that a run was asked for by, and the trace that it belongs to. */
export function originOf(c: Context<AppEnv>): Origin {
  const traceparent = c.req.header('traceparent')
  return { request_id: c.get('requestId'), ...(traceparent && parseTraceparent(traceparent) ? { traceparent } : {}) }
}

/** The form that the headers of a call ask for: `Prefer: respond-async` before `Accept: text/event-stream`. */
function answerForm(c: Context<AppEnv>): AnswerForm {
  if (/(^|[\s,;])respond-async([\s,;]|$)/i.test(c.req.header('prefer') ?? '')) return 'background'
  return wantsEvents(c) ? 'stream' : 'wait'
}

export function wantsEvents(c: Context<AppEnv>): boolean {
  return /text\/event-stream/i.test(c.req.header('accept') ?? '')
}

/** The answer of a call that runs. `status` is that of a good answer that is not asynchronous. */
export function respond(c: Context<AppEnv>, id: string, result: Result<RunAnswer>, status: 200 | 201 = 200): Response {
  if (!result.ok) return problem(c, result.error)
  const answer = result.value
  if (answer.decided?.length) auditNote(c, { details: { decisions: answer.decided } })
  if (answer.replayed) c.header(REPLAYED, 'true')
  if (answer.form === 'stream') return c.body(whileKeyHolds(c, answer.body), status, SSE_HEADERS)
  if (answer.form === 'wait') return c.json(answer.response, status)
  c.header('location', `/v1/sessions/${id}`)
  c.header('preference-applied', 'respond-async')
  return c.json(answer.accepted, 202)
}

/** A stream that ends when the key that opened it is revoked, or it or a token expires. Keys of the config change with a deploy. */
export function whileKeyHolds(c: Context<AppEnv>, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { kind, id, tenant, expiresTime = Infinity } = c.get('principal')
  const isMade = kind === 'key' && isId('key', id)
  if (!isMade && expiresTime === Infinity) return stream
  const isValid = async () =>
    Date.now() < expiresTime && (!isMade || (await directoryObject(c.env, tenant).holdsKey(id)))
  return whileValid(stream, { isValid, now: Date.now, everyMs: LIMITS.access.keyLookMs })
}

/** A SessionData as the session wrote it. */
export function sessionBody(c: Context<AppEnv>, result: Result<SessionText>, status: 200 | 201 = 200): Response {
  if (!result.ok) return problem(c, result.error)
  if (result.value.replayed) c.header(REPLAYED, 'true')
  return c.body(result.value.body, status, { 'content-type': JSON_TYPE, etag: result.value.etag })
}
