import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Now } from '../../domain/ports.ts'
import type { SearchMapping } from '../../domain/web-config.ts'
import type { OutputLimits, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { describeFailure, type GuardedFetch, type GuardedInit } from '../../net/outcome.ts'
import type { GuardPorts } from '../../net/guarded-fetch.ts'
import { fence } from '../../lib/fence.ts'
import { maskOf } from '../../lib/mask.ts'
import { cutText } from '../../lib/text.ts'
import { TEXTS } from './answer-texts.ts'
import type { SearchService } from './providers.ts'
import { readResults, type SearchResult } from './results.ts'

export interface WebSearchPorts {
  guard: GuardPorts
  /** A tenant named the service, which is reached as any other address is. */
  isTenants?: boolean
  now: Now
  /** A secret of the environment by its name. */
  secret(name: string): string | undefined
  settings: { timeoutMs: number }
}

/** A service with the key that it wants and the way to it. */
export interface AskedService {
  service: SearchService
  key: string | undefined
  fetch: GuardedFetch
}

/** Room for what is written around the results. */
const HEADER_CHARS = 900
const LINES_PER_RESULT = 4
const HEADER_LINES = 10
const SHOWN_QUERY_CHARS = 200

/** Ask the service, and say what it found. */
export async function searchWeb(
  { service, key, fetch }: AskedService,
  { now, settings }: WebSearchPorts,
  wanted: { query: string; count?: number | undefined },
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const count = wanted.count ?? LIMITS.web.searchResultsDefault
  const { url, init } = requestOf(service, key, wanted.query, count)
  const { timeoutMs } = settings
  const bodyBytesMax = LIMITS.web.searchBytesMax
  const outcome = await fetch(url, { ...init, timeoutMs, bodyBytesMax, maxRedirects: 0, signal: context.signal })
  if (!outcome.ok) return { ok: false, reason: describeFailure(outcome, context.language) }
  const { status, bytes } = outcome.response
  if (status >= 300) return { ok: false, reason: statusText(status, context.language) }
  const said = new TextDecoder().decode(bytes)
  const results = readResults(key === undefined ? said : maskOf([key])(said), service.mapping, count)
  if (results === null) return { ok: false, reason: texts.notUnderstood }
  const content = await reportOf(results, wanted.query, now(), context)
  return { ok: true, content, untrusted: true, essence: JSON.stringify(results) }
}

/** The one request of a search. The key goes with it, to this address only. */
function requestOf({ url, mapping }: SearchService, key: string | undefined, query: string, count: number) {
  const fields = {
    ...mapping.parameters,
    [mapping.query]: query,
    ...(mapping.count === undefined ? {} : { [mapping.count]: count }),
    ...(mapping.key_parameter === undefined || key === undefined ? {} : { [mapping.key_parameter]: key }),
  }
  const headers = { accept: 'application/json', ...keyHeader(mapping, key) }
  if (mapping.method === 'POST') {
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }
    return { url, init: init satisfies Partial<GuardedInit> }
  }
  const address = new URL(url)
  for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, String(value))
  return { url: address.href, init: { headers } satisfies Partial<GuardedInit> }
}

function keyHeader(mapping: SearchMapping, key: string | undefined): Record<string, string> {
  if (key === undefined || mapping.key_parameter !== undefined) return {}
  const { key_header: header = 'authorization' } = mapping
  const prefix = mapping.key_prefix ?? (mapping.key_header === undefined ? 'Bearer ' : '')
  return { [header]: prefix + key }
}

/** 402, 432 and 433: what was paid for is used up. */
const BUSY: ReadonlySet<number> = new Set([402, 429, 432, 433])

function statusText(status: number, language: Language): string {
  const texts = TEXTS[language]
  if (status < 400) return texts.redirected
  if (status === 401 || status === 403) return texts.denied
  if (status === 400 || status === 422) return texts.rejected(status)
  return BUSY.has(status) ? texts.busy : texts.status(status)
}

async function reportOf(
  results: readonly SearchResult[],
  query: string,
  time: number,
  { language, sessionId, callId, output }: ToolContext,
): Promise<string> {
  const texts = TEXTS[language]
  const header = [texts.query + cutText(query, SHOWN_QUERY_CHARS), texts.time + new Date(time).toISOString()]
  if (results.length === 0) return [...header, texts.none].join('\n')
  const shown = fitting(results, output)
  const left = results.length - shown.length
  const fenced = await fence(shown.join('\n'), texts.begin, texts.end, `${sessionId}\n${callId}`)
  return [...header, ...(left > 0 ? [texts.left(left)] : []), texts.untrusted, fenced].join('\n')
}

/** As many results as the limits of the tool let through whole. */
function fitting(results: readonly SearchResult[], { charsMax, linesMax }: OutputLimits): string[] {
  const shown: string[] = []
  let chars = HEADER_CHARS
  for (const [index, result] of results.entries()) {
    const text = lines(result, index + 1)
    chars += text.length + 1
    if (chars > charsMax || (index + 1) * LINES_PER_RESULT + HEADER_LINES > linesMax) break
    shown.push(text)
  }
  return shown
}

function lines({ title, url, snippet, date }: SearchResult, number: number): string {
  return [
    `${number}. ${title}`,
    `   ${url}`,
    ...(date === '' ? [] : [`   ${date}`]),
    ...(snippet === '' ? [] : [`   ${snippet}`]),
  ].join('\n')
}
