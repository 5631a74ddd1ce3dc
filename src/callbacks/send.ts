import type { Attempt, AttemptError, Callback, Delivery } from '../domain/callback.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import { type Mask, maskOf } from '../lib/mask.ts'
import { parseRetryAfter } from '../lib/wait.ts'
import {
  describeAddressProblem,
  type GuardedFetch,
  type GuardedOutcome,
  type GuardedResponse,
  type NetFailure,
} from '../net/outcome.ts'
import { feishuRefusal } from './feishu.ts'
import { bodyOf, type PayloadPorts, signedHeaders } from './payload.ts'
import { taskPushBody, taskPushHeaders } from './task-push.ts'

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
export async function sendDelivery(
  ports: SendPorts,
  callback: Callback,
  delivery: Pick<Delivery, 'id' | 'event' | 'time' | 'data'>,
): Promise<Sent> {
  const time = ports.now()
  const body = callback.push ? taskPushBody(callback.push, delivery) : await bodyOf(ports, callback, delivery, time)
  const outcome = await ports.fetch(callback.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'yaa',
      ...signedHeaders(callback, delivery.id, body, time),
      ...(callback.push ? taskPushHeaders(callback.push) : {}),
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
  const mask = maskOf(answer?.bytes.length ? secretsOf(callback) : [])
  const error = outcome.ok ? refusalOf(outcome.response, callback, mask, language) : failureOf(outcome, language)
  return {
    attempt: {
      time,
      ms: now - time,
      status: answer?.status ?? null,
      answer: answer && shownOf(answer.bytes, mask),
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

/** What a receiver knows us by, and no answer may repeat. */
function secretsOf({ secret, previousSecret, templateSecret, push }: Callback): string[] {
  const values = [secret, previousSecret?.value, templateSecret, push?.token, push?.authentication?.credentials]
  return values.flatMap((value) => (value ? [value, value.replace(/^whsec_/, '')] : []))
}

function shownOf(bytes: Uint8Array, mask: Mask): string {
  const shown = bytes.subarray(0, LIMITS.callback.answerShownBytes)
  return mask(textOf(shown), shown.length < bytes.length)
}

function refusalOf(
  { status, bytes }: GuardedResponse,
  { template }: Callback,
  mask: Mask,
  language: Language,
): AttemptError | null {
  if (status === 410) return attemptError('gone', language)
  if (status >= 300 && status < 400) return attemptError('redirect', language, { status })
  if (status < 200 || status >= 300) return attemptError('http_status', language, { status })
  const reason = template === 'feishu' ? feishuRefusal(textOf(bytes)) : null
  return reason === null ? null : attemptError('refused_by_template', language, { reason: mask(reason) })
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

type Situation = Exclude<AttemptError['code'], 'address_refused'>

const TEXTS: Readonly<Record<Language, Readonly<Record<Situation, string>>>> = {
  'zh-CN': {
    unreachable: '无法连接到接收方，或连接中途断开。',
    timeout: '接收方未在 {limit} 秒内答复完毕，已放弃本次尝试。',
    answer_too_large: '接收方的答复超过 {limit} 字节的上限，已中断。请让它尽快以简短的答复结束。',
    redirect: '接收方以 {status} 要求跳转。回调不跟随跳转：请把最终地址设为 url。',
    http_status: '接收方答复了 {status}，而不是 2xx。',
    gone: '接收方答复了 410：它不再接收。投递收到 410 时回调会停用；重新启用后，等待中的投递会继续。',
    refused_by_template: '对方接口已答复，但没有接受这条消息：{reason}。',
    outbox_full: '等待中的投递超过 {limit} 条的上限，最早的已放弃。可以手动重试。',
    cut: '多次尝试都在途中因进程结束而中断，已放弃。可以手动重试。',
  },
  en: {
    unreachable: 'The receiver could not be reached, or the connection broke off.',
    timeout: 'The receiver did not finish its answer within {limit} s, so the attempt was given up.',
    answer_too_large:
      'The answer of the receiver is over the limit of {limit} bytes and was cut. Have it end soon with a short answer.',
    redirect:
      'The receiver answered {status}, a redirect. Callbacks follow none: give the final address as the url of the callback.',
    http_status: 'The receiver answered {status} where 2xx was expected.',
    gone: 'The receiver answered 410: it takes nothing any more. For a delivery this switches the callback off; once it is on again, what waits goes on.',
    refused_by_template: 'The service answered, but did not take the message: {reason}.',
    outbox_full: 'More than {limit} deliveries wait, so the oldest were given up. They can be retried by hand.',
    cut: 'The process ended during every try, so it was given up. It can be retried by hand.',
  },
}

/** Why an attempt failed, for a person. */
export function attemptError(
  code: Situation,
  language: Language,
  facts: Readonly<Record<string, string | number>> = {},
): AttemptError {
  const detail = TEXTS[language][code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? ''))
  return { code, detail }
}
