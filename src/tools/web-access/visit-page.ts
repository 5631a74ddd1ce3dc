import type { Language } from '../../domain/language.ts'
import type { Now } from '../../domain/ports.ts'
import type { ToolContext } from '../../domain/tool.ts'
import { describeFailure, type GuardedFetch, type GuardedOutcome, type GuardedResponse } from '../../net/outcome.ts'
import type { ReadPage } from '../../reader/page.ts'
import { readPage } from '../../reader/read-page.ts'
import { TEXTS } from './texts.ts'

export interface VisitPorts {
  fetch: GuardedFetch
  now: Now
  /** Of one visit, redirects included; of one decoded body. */
  settings: { timeoutMs: number; bodyBytesMax: number }
  /** Default: `readPage`. */
  read?: typeof readPage
}

/** A page as it was read at `time` (Unix ms). `cutAtBytes`: only so much of it was read; null: all. */
export interface VisitedPage {
  finalUrl: string
  status: number
  time: number
  cutAtBytes: number | null
  page: ReadPage
}

export type PageVisit = { ok: true; visited: VisitedPage } | { ok: false; reason: string }

const USER_AGENT = 'Mozilla/5.0 (compatible; yaa)'
const ACCEPT = 'text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,application/xml;q=0.8,*/*;q=0.5'
const ACCEPT_LANGUAGE: Record<Language, string> = { 'zh-CN': 'zh-CN,zh;q=0.9,en;q=0.5', en: 'en;q=0.9,*;q=0.5' }

/** Fetch an address through the guard and read what came; a failure says why in `language`. */
export async function visitPage(
  { fetch, now, settings, read = readPage }: VisitPorts,
  url: string,
  { language, signal, barsRedirect }: Pick<ToolContext, 'language' | 'signal' | 'barsRedirect'>,
): Promise<PageVisit> {
  const headers = { accept: ACCEPT, 'accept-language': ACCEPT_LANGUAGE[language], 'user-agent': USER_AGENT }
  const bars = (target: string) => barsRedirect(url, target)
  const outcome = await fetch(url, { headers, ...settings, barsRedirect: bars, signal })
  const response = readable(outcome)
  if (response === null) return { ok: false, reason: outcome.ok ? '' : describeFailure(outcome, language) }
  if (response.status >= 300) return { ok: false, reason: TEXTS[language].status(response.status) }
  const contentType = response.headers.get('content-type')
  const size = outcome.ok ? null : declaredSize(response)
  const page = read({ bytes: response.bytes, contentType, url: response.url, size })
  const cutAtBytes = outcome.ok ? null : settings.bodyBytesMax
  return { ok: true, visited: { finalUrl: response.url, status: response.status, time: now(), cutAtBytes, page } }
}

/** Bytes of the whole body by its header; null where that is missing or means the packed body. */
function declaredSize({ headers }: GuardedResponse): number | null {
  const length = headers.get('content-length') ?? ''
  return headers.has('content-encoding') || !/^\d{1,15}$/.test(length) ? null : Number(length)
}

/** The answer, or as much of one as the cap let through. */
function readable(outcome: GuardedOutcome): GuardedResponse | null {
  if (outcome.ok) return outcome.response
  return outcome.code === 'too_large' ? outcome.partial : null
}
