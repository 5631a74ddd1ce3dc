import type { Context } from 'hono'
import { whileValid } from '../lib/streams.ts'
import type { Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { mayEnd, stillHolds } from '../service/caller.ts'
import type { AnswerForm, SessionText } from '../session/call.ts'
import { serviceOf, type AppEnv } from './context.ts'
import { REPLAYED } from './middleware/replayed.ts'
import { problem } from './problem.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** The form that the headers of a call ask for: `Prefer: respond-async` before `Accept: text/event-stream`. */
export function answerForm(c: Context<AppEnv>): AnswerForm {
  if (/(^|[\s,;])respond-async([\s,;]|$)/i.test(c.req.header('prefer') ?? '')) return 'background'
  return wantsEvents(c) ? 'stream' : 'wait'
}

export function wantsEvents(c: Context<AppEnv>): boolean {
  return /text\/event-stream/i.test(c.req.header('accept') ?? '')
}

/** A stream that ends when the key that opened it is revoked, or it or a token expires. */
export function whileKeyHolds(c: Context<AppEnv>, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const principal = c.get('principal')
  if (!mayEnd(principal)) return stream
  const isValid = () => stillHolds(serviceOf(c), principal)
  return whileValid(stream, { isValid, now: Date.now, everyMs: LIMITS.access.keyLookMs })
}

/** A SessionData as the session wrote it. */
export function sessionBody(c: Context<AppEnv>, result: Result<SessionText>, status: 200 | 201 = 200): Response {
  if (!result.ok) return problem(c, result.error)
  if (result.value.replayed) c.header(REPLAYED, 'true')
  return c.body(result.value.body, status, { 'content-type': JSON_TYPE, etag: result.value.etag })
}
