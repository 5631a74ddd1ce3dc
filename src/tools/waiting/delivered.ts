import type { AwaitedEnd, NotAwaitedNews } from '../../domain/awaited.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { fence } from '../../lib/fence.ts'
import { WAIT_TEXTS } from './texts.ts'

/** What a wait is for, beside its time. */
export interface Awaited {
  webhookKey?: string
  session?: string
}

/** What came for a key, as text that is marked as untrusted. `secret`: nobody outside knows it. */
export function deliveredText(language: Language, key: string, value: unknown, secret: string): Promise<string> {
  return fenced(language, key, JSON.stringify(value ?? null), secret)
}

function fenced(language: Language, from: string, said: string, secret: string): Promise<string> {
  const { deliveredCharsMax: max } = LIMITS.wait
  const { begin, end, untrusted } = WAIT_TEXTS[language].delivery
  return fence(said.slice(0, max), begin, end, secret).then((text) => `${untrusted(from, said.length > max)}\n${text}`)
}

/** What is waited for, in words. */
export function waitQuestion(language: Language, until: string, { webhookKey, session }: Awaited, reason = ''): string {
  const { time, key, session: of, forWhat } = WAIT_TEXTS[language].waits
  const words =
    webhookKey === undefined ? (session === undefined ? time(until) : of(session, until)) : key(webhookKey, until)
  return reason === '' ? words : forWhat(words, reason)
}

/** Why a session is not waited for, in words. */
export function notAwaitedText(language: Language, { session, status }: NotAwaitedNews): string {
  return WAIT_TEXTS[language].session[status](session, LIMITS.wait.awaitersMax)
}

/** How the run of another session ended. What it says is marked as untrusted where it may come from outside. */
export async function awaitedText(
  language: Language,
  end: AwaitedEnd,
  { seconds, secret }: { seconds: number; secret: string },
): Promise<string> {
  const { session, status, result, error, truncated = false, untrusted = false } = end
  const t = WAIT_TEXTS[language].session
  if (status === 'idle') return t.idle(session)
  const head = status === 'deleted' ? t.deleted(session, seconds) : t.over(session, status, seconds)
  const { deliveredCharsMax: max } = LIMITS.wait
  const said = [...(error ? [t.failedBy(error.code, error.detail)] : []), ...(result === null ? [] : [result])]
  if (said.length === 0) return status === 'deleted' ? head : `${head} ${t.noAnswer}`
  const words = said.join('\n')
  if (untrusted) return `${head} ${await fenced(language, session, words, secret)}`
  return result === null
    ? `${head} ${words}`
    : `${head} ${t.answer(truncated || words.length > max)}\n${words.slice(0, max)}`
}
