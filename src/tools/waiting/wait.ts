import * as z from 'zod'
import { type AwaitedNews, isNotAwaited } from '../../domain/awaited.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Now } from '../../domain/ports.ts'
import type { Tool, ToolAnswer, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { isId } from '../../lib/id.ts'
import { askingTool, SECONDS_NAMES, secondsInput } from './asking.ts'
import { type Awaited, awaitedText, deliveredText, notAwaitedText, waitQuestion } from './delivered.ts'
import { WAIT_TEXTS } from './texts.ts'

const { msMax, keyMsMax, reasonCharsMax, sessionIdCharsMax } = LIMITS.wait
const { sessionKeyCharsMax } = LIMITS.trigger

const input = z.strictObject({
  seconds: secondsInput,
  until: z.iso.datetime({ offset: true, error: '2026-11-24T08:00:00+08:00' }).optional(),
  webhook_key: z.string().trim().min(1).max(sessionKeyCharsMax).optional(),
  session: z.string().trim().min(1).max(sessionIdCharsMax).optional(),
  reason: z.string().trim().max(reasonCharsMax).optional(),
})
type Wish = z.infer<typeof input>

/** Lets the run rest until a time, until a webhook brings a delivery of a key, or until the run of another session is over. Nothing is kept in memory meanwhile: the alarm of the session
 *  wakes it. Whatever the user says ends the wait, too. */
export function waitTool(now: Now): Tool {
  return askingTool(now, {
    id: 'wait',
    names: { 'zh-CN': '等待', en: 'wait' },
    description: {
      'zh-CN': '暂停任务，到某个时刻、某个 webhook 送来消息或另一个会话的任务结束时再继续；等待不耗费任何东西。',
      en: 'Rest until a time, until a webhook brings news, or until the run of another session is over, then go on. Waiting costs nothing.',
    },
    input,
    parameters: {
      seconds: {
        names: SECONDS_NAMES,
        description: { 'zh-CN': '等多少秒', en: 'how many seconds' },
      },
      until: {
        names: { 'zh-CN': '时刻', en: 'until' },
        description: { 'zh-CN': '带时区的 RFC 3339 时刻', en: 'a time by RFC 3339, with its offset' },
      },
      webhook_key: {
        names: { 'zh-CN': '回调键', en: 'webhook_key' },
        description: { 'zh-CN': '等待哪个键的 webhook 消息', en: 'the key of the webhook delivery to wait for' },
      },
      session: {
        names: { 'zh-CN': '会话', en: 'session' },
        description: {
          'zh-CN': '等待哪个会话的任务结束（ses_…），得到它的答复',
          en: 'the id (ses_…) of the session whose run is to end; gives its answer',
        },
      },
      reason: {
        names: { 'zh-CN': '原因', en: 'reason' },
        description: { 'zh-CN': '在等什么，给用户看', en: 'what for, shown to the user' },
      },
    },
    asked: begun,
    answered: ended,
  })
}

/** What the call keeps while it waits. */
interface Kept extends Awaited {
  /** Unix ms. */
  since: number
  until: number
}

function begun(wish: Wish, context: ToolContext, now: number): ToolOutcome {
  const { language } = context
  const t = WAIT_TEXTS[language]
  const { seconds, until: time, webhook_key: webhookKey, session, reason } = wish
  const times = [
    ...(seconds === undefined ? [] : [now + seconds * 1_000]),
    ...(time === undefined ? [] : [Date.parse(time)]),
  ]
  const hasTarget = webhookKey !== undefined || session !== undefined
  if (times.length === 0 && !hasTarget) return { ok: false, reason: t.nothing }
  const refusal = session === undefined ? null : refusalOf(session, wish, context)
  if (refusal !== null) return { ok: false, reason: refusal }
  const until = times.length === 0 ? now + keyMsMax : Math.min(...times)
  if (until > now + msMax) return { ok: false, reason: t.tooLong(Math.floor(msMax / DAY_MS)) }
  if (until <= now) return { ok: true, content: t.timeCame(isoTime(now), 0), essence: t.timeCame('', 0) }
  const awaited = {
    ...(webhookKey === undefined ? {} : { webhookKey }),
    ...(session === undefined ? {} : { session }),
  }
  const kept: Kept = { since: now, until, ...awaited }
  const wait = { ...awaited, ...(reason === undefined || reason === '' ? {} : { reason }) }
  const question = waitQuestion(language, isoTime(until), awaited, reason)
  return { ok: false, reason: question, asks: { question, options: null, state: JSON.stringify(kept), wait, until } }
}

/** Why a session cannot be waited for; null: it may be, as far as is known here. */
function refusalOf(session: string, { webhook_key: key }: Wish, { language, sessionId }: ToolContext): string | null {
  const t = WAIT_TEXTS[language]
  if (key !== undefined) return t.both
  if (!isId('ses', session)) return t.session.noId(session)
  return session === sessionId ? t.session.itself : null
}

async function ended(_: Wish, answer: ToolAnswer, context: ToolContext, now: number): Promise<ToolOutcome> {
  const { language, sessionId, callId } = context
  const t = WAIT_TEXTS[language]
  const { since, webhookKey, session } = JSON.parse(answer.state) as Kept
  const seconds = Math.max(0, Math.round((now - since) / 1_000))
  const secret = `${sessionId}\n${callId}`
  const { delivered } = answer
  if (delivered !== undefined && session !== undefined && answer.from === session)
    return told(delivered as AwaitedNews, context, { seconds, secret })
  if (delivered !== undefined) {
    const content = await deliveredText(language, webhookKey ?? session ?? '', delivered, secret)
    return { ok: true, content, essence: JSON.stringify(delivered), untrusted: true }
  }
  if (answer.declined === 'decline') return { ok: true, content: t.cancelled(seconds, answer.said) }
  if (answer.declined === 'cancel') {
    const nothingCame =
      webhookKey === undefined ? t.timeCame(isoTime(now), seconds) : t.nothingCame(webhookKey, seconds)
    const content = session === undefined ? nothingCame : t.session.notOver(session, seconds)
    return { ok: true, content, essence: `${webhookKey ?? session ?? ''} ${since}` }
  }
  return { ok: true, content: t.answered(seconds, answer.said) }
}

/** What the session that was waited for says, or why it was not waited for. */
async function told(
  news: AwaitedNews,
  { language }: ToolContext,
  about: { seconds: number; secret: string },
): Promise<ToolOutcome> {
  if (isNotAwaited(news)) return { ok: false, reason: notAwaitedText(language, news) }
  const content = await awaitedText(language, news, about)
  return { ok: true, content, essence: JSON.stringify(news), ...(news.untrusted ? { untrusted: true } : {}) }
}

const DAY_MS = 24 * 60 * 60_000
const isoTime = (ms: number) => new Date(ms).toISOString()
