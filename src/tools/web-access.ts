import * as z from 'zod'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import type { Tool, ToolContext, ToolOutcome } from '../domain/tool.ts'
import { webAddress } from '../lib/web-address.ts'
import { describeFailure } from '../net/failure-texts.ts'
import type { GuardedFetch, GuardedOutcome, GuardedResponse } from '../net/outcome.ts'
import { readPage } from '../reader/read-page.ts'
import { defineTool } from './define.ts'
import { pageReport } from './page-report.ts'
import { DESCRIPTION, EXPECTED, NAMES, PARAMETERS, TEXTS } from './web-access-texts.ts'

export interface WebAccessPorts {
  fetch: GuardedFetch
  now: Now
  /** Of one visit, redirects included; of one decoded body. */
  settings: { timeoutMs: number; bodyBytesMax: number }
}

/** What the tool may take longer than the visit itself, for reading what came. */
const READING_MS = 5_000
const FOCUS_CHARS_MAX = 200
const USER_AGENT = 'Mozilla/5.0 (compatible; yaa)'
const ACCEPT = 'text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,application/xml;q=0.8,*/*;q=0.5'
const ACCEPT_LANGUAGE: Record<Language, string> = { 'zh-CN': 'zh-CN,zh;q=0.9,en;q=0.5', en: 'en;q=0.9,*;q=0.5' }

const input = z.strictObject({
  url: z.string(EXPECTED.url).transform((written, context) => {
    const address = webAddress(written)
    if (address !== null && address.length <= LIMITS.web.urlCharsMax) return address
    context.addIssue({ code: 'custom', message: EXPECTED.url })
    return z.NEVER
  }),
  focus: z.string(EXPECTED.focus).trim().max(FOCUS_CHARS_MAX, EXPECTED.focus).optional(),
  page: z.coerce.number(EXPECTED.page).int(EXPECTED.page).min(1, EXPECTED.page).optional(),
  refresh: z.boolean(EXPECTED.refresh).optional(),
})
type Input = z.infer<typeof input>

/** The tool that reads a page of the web. Whatever the page does is an outcome in the session's language. */
export function webAccess(ports: WebAccessPorts): Tool {
  return defineTool({
    id: 'web_access',
    names: NAMES,
    description: DESCRIPTION,
    risk: 'network',
    idempotent: true,
    timeoutMs: ports.settings.timeoutMs + READING_MS,
    input,
    parameters: PARAMETERS,
    run: (wanted, context) => visit(ports, wanted, context),
  })
}

async function visit(ports: WebAccessPorts, wanted: Input, context: ToolContext): Promise<ToolOutcome> {
  const { language } = context
  const outcome = await ports.fetch(wanted.url, {
    headers: { accept: ACCEPT, 'accept-language': ACCEPT_LANGUAGE[language], 'user-agent': USER_AGENT },
    ...ports.settings,
    signal: context.signal,
  })
  const response = readable(outcome)
  if (response === null) return { ok: false, reason: outcome.ok ? '' : describeFailure(outcome, language) }
  if (response.status >= 300) return { ok: false, reason: TEXTS[language].status(response.status) }
  const notes = outcome.ok ? [] : [describeFailure(outcome, language)]
  return report(response, notes, wanted, context, ports.now())
}

/** The answer, or as much of one as the cap let through. */
function readable(outcome: GuardedOutcome): GuardedResponse | null {
  if (outcome.ok) return outcome.response
  return outcome.code === 'too_large' ? outcome.partial : null
}

async function report(
  response: GuardedResponse,
  notes: readonly string[],
  wanted: Input,
  context: ToolContext,
  time: number,
): Promise<ToolOutcome> {
  const { language, sessionId, callId } = context
  const contentType = response.headers.get('content-type')
  const page = readPage({ bytes: response.bytes, contentType, url: response.url })
  const texts = TEXTS[language]
  const lack = page.kind === 'binary' ? [texts.binary] : page.markdown === '' ? [texts.empty] : []
  const written = await pageReport({
    url: wanted.url,
    finalUrl: response.url,
    page,
    wanted: { focus: wanted.focus || undefined, page: wanted.page ?? 1 },
    time,
    language,
    notes: [...notes, ...lack],
    secret: `${sessionId}\n${callId}`,
  })
  return written.ok
    ? { ok: true, content: written.text, untrusted: true, essence: `${response.status} ${page.markdown}` }
    : written
}
