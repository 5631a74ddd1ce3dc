import type { Attempt, AttemptError, Callback, Delivery } from '../domain/callback.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import { parseRetryAfter } from '../lib/wait.ts'
import { describeAddressProblem } from '../net/failure-texts.ts'
import type { GuardedFetch, GuardedOutcome, GuardedResponse, NetFailure } from '../net/outcome.ts'
import { attemptError } from './attempt-texts.ts'
import { feishuRefusal } from './feishu.ts'
import { bodyOf, type PayloadPorts } from './payload.ts'
import { signedHeaders } from './sign.ts'

export interface SendPorts extends PayloadPorts {
  fetch: GuardedFetch
  now: Now
}

/** How a try went. `retryAfterMs`: how long the receiver asks to be left alone; null: it does not say. */
export interface Sent {
  attempt: Attempt
  retryAfterMs: number | null
}

/** Try a delivery once. A redirect is an answer that is no 2xx; nothing is thrown for what the network does. */
export async function send(
  ports: SendPorts,
  callback: Callback,
  delivery: Pick<Delivery, 'id' | 'event' | 'time' | 'data'>,
): Promise<Sent> {
  const time = ports.now()
  const body = await bodyOf(ports, callback, delivery, time)
  const outcome = await ports.fetch(callback.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'yaa',
      ...signedHeaders(callback, delivery.id, body, time),
    },
    body,
    maxRedirects: 0,
    timeoutMs: LIMITS.callback.attemptMs,
    bodyBytesMax: LIMITS.callback.answerBytesMax,
  })
  return sentOf(outcome, callback, ports.language, time, ports.now())
}

function sentOf(outcome: GuardedOutcome, callback: Callback, language: Language, time: number, now: number): Sent {
  const answer = answerOf(outcome)
  const error = outcome.ok ? refusalOf(outcome.response, callback, language) : failureOf(outcome, language)
  return {
    attempt: {
      time,
      ms: now - time,
      status: answer?.status ?? null,
      answer: answer && textOf(answer.bytes.subarray(0, LIMITS.callback.answerShownBytes)),
      error,
    },
    retryAfterMs: answer && parseRetryAfter(answer.headers.get('retry-after'), now),
  }
}

/** What came of an answer, a cut one too. */
function answerOf(outcome: GuardedOutcome): GuardedResponse | null {
  if (outcome.ok) return outcome.response
  return outcome.code === 'too_large' ? outcome.partial : null
}

function refusalOf({ status, bytes }: GuardedResponse, callback: Callback, language: Language): AttemptError | null {
  if (status === 410) return attemptError('gone', language)
  if (status >= 300 && status < 400) return attemptError('redirect', language, { status })
  if (status < 200 || status >= 300) return attemptError('http_status', language, { status })
  const reason = callback.template === 'feishu' ? feishuRefusal(textOf(bytes)) : null
  return reason === null ? null : attemptError('refused_by_template', language, { reason })
}

function failureOf(failure: NetFailure, language: Language): AttemptError {
  if (failure.code === 'address_refused')
    return { code: 'address_refused', detail: describeAddressProblem(failure.detail, language) }
  if (failure.code === 'timeout') return attemptError('timeout', language, { limit: failure.timeoutMs / 1_000 })
  if (failure.code === 'too_large') return attemptError('answer_too_large', language, { limit: failure.bodyBytesMax })
  return attemptError('unreachable', language)
}

/** The text of bytes, without what a terminal would act upon. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll(/[^\P{Cc}\t\n\r]/gu, '')
}
