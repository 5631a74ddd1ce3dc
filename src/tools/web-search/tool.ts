import * as z from 'zod'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Now } from '../../domain/ports.ts'
import type { SearchMapping, WebSearchConfig } from '../../domain/server-config.ts'
import type { OutputLimits, Tool, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { describeFailure, type GuardedFetch, type GuardedInit } from '../../net/outcome.ts'
import { createGuardedFetch, type GuardPorts } from '../../net/guarded-fetch.ts'
import { items } from '../../relevance/units.ts'
import { defineTool } from '../define.ts'
import { fence } from '../../lib/fence.ts'
import { cutText } from '../../lib/text.ts'
import { searchService, type SearchService } from './providers.ts'
import type { SearchResult } from './results.ts'
import { DESCRIPTION, NAMES, PARAMETERS, TEXTS } from './texts.ts'

export interface WebSearchPorts {
  guard: GuardPorts
  now: Now
  /** A secret of the environment by its name. */
  secret(name: string): string | undefined
  settings: { timeoutMs: number }
}

const { searchResultsMax, searchResultsDefault, queryCharsMax, searchOutputCharsMax, searchOutputLinesMax } = LIMITS.web
const OUTPUT: OutputLimits = { charsMax: searchOutputCharsMax, linesMax: searchOutputLinesMax, strategy: 'head_tail' }
/** What the tool may take longer than the request. */
const READING_MS = 2_000
/** Room for what is written around the results. */
const HEADER_CHARS = 900
const LINES_PER_RESULT = 4
const HEADER_LINES = 10
const SHOWN_QUERY_CHARS = 200

const input = z.strictObject({
  query: z.string(`1–${queryCharsMax}`).trim().min(1, `1–${queryCharsMax}`).max(queryCharsMax, `1–${queryCharsMax}`),
  count: z.coerce.number(`1–${searchResultsMax}`).int(`1–${searchResultsMax}`).min(1).max(searchResultsMax).optional(),
})
type Input = z.infer<typeof input>

/** The search tool of a config; none when nothing can be asked, so that no model is offered it. */
export function webSearch(config: WebSearchConfig | undefined, ports: WebSearchPorts): Tool[] {
  const key = config?.api_key_env === undefined ? undefined : ports.secret(config.api_key_env)
  const service = searchService(config, key)
  if (service === null) return []
  const { publicFetch, privateFetch } = ports.guard
  // The config's own address is trusted as those of its models are, and nothing beside it.
  const fetch = createGuardedFetch({ publicFetch, privateFetch, allowPrivateHosts: [hostPort(service.url)] })
  return [toolOf(service, key, fetch, ports)]
}

function toolOf(service: SearchService, key: string | undefined, fetch: GuardedFetch, ports: WebSearchPorts): Tool {
  return defineTool({
    id: 'web_search',
    names: NAMES,
    description: DESCRIPTION,
    risk: 'network',
    idempotent: true,
    timeoutMs: ports.settings.timeoutMs + READING_MS,
    output: OUTPUT,
    units: items,
    input,
    parameters: PARAMETERS,
    run: (wanted, context) => search(service, key, fetch, ports, wanted, context),
  })
}

async function search(
  service: SearchService,
  key: string | undefined,
  fetch: GuardedFetch,
  { now, settings }: WebSearchPorts,
  wanted: Input,
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const count = wanted.count ?? searchResultsDefault
  const { url, init } = requestOf(service, key, wanted.query, count)
  const { timeoutMs } = settings
  const bodyBytesMax = LIMITS.web.searchBytesMax
  const outcome = await fetch(url, { ...init, timeoutMs, bodyBytesMax, maxRedirects: 0, signal: context.signal })
  if (!outcome.ok) return { ok: false, reason: describeFailure(outcome, context.language) }
  const { status, bytes } = outcome.response
  if (status >= 300) return { ok: false, reason: statusText(status, context.language) }
  const { readResults } = await import('./results.ts')
  const results = readResults(new TextDecoder().decode(bytes), service.mapping, count)
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

function hostPort(address: string): string {
  const { protocol, hostname, port } = new URL(address)
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`
}
