import { parseJson } from '../../lib/json.ts'
import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { Tool, ToolContext, ToolOutcome, KeptText } from '../../domain/tool.ts'
import { textOf } from '../../lib/text.ts'
import { webAddress } from '../../lib/addresses.ts'
import { sections } from '../../relevance/units.ts'
import { defineTool } from '../define.ts'
import type { VisitedPage, VisitPorts } from './visit-page.ts'
import { DESCRIPTION, EXPECTED, NAMES, PARAMETERS } from './texts.ts'

/** What the tool may take longer than the visit itself, for reading what came. */
const READING_MS = 5_000
const FOCUS_CHARS_MAX = 200

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
export function webAccess(ports: VisitPorts): Tool {
  return defineTool({
    id: 'web_access',
    guarded: true,
    names: NAMES,
    description: DESCRIPTION,
    risk: 'network',
    effects: ({ url }) => ({ addresses: [webAddress(textOf(url)) ?? []].flat() }),
    idempotent: true,
    timeoutMs: ports.settings.timeoutMs + READING_MS,
    units: sections,
    input,
    parameters: PARAMETERS,
    run: (wanted, context) => visit(ports, wanted, context),
  })
}

/** The page from the session's store, else from the web; then what is wanted of it. */
async function visit(ports: VisitPorts, wanted: Input, context: ToolContext): Promise<ToolOutcome> {
  const kept = wanted.refresh === true ? null : recalledPage(context.recall(pageKey(wanted.url)))
  if (kept !== null) return report(kept, wanted, context, true)
  const { visitPage } = await import('./visit-page.ts')
  const visited = await visitPage(ports, wanted.url, context)
  if (!visited.ok) return visited
  const outcome = await report(visited.visited, wanted, context, false)
  return outcome.ok ? { ...outcome, keep: keptPage(wanted.url, visited.visited) } : outcome
}

async function report(
  visited: VisitedPage,
  wanted: Input,
  { language, sessionId, callId, output }: ToolContext,
  isStored: boolean,
): Promise<ToolOutcome> {
  const { pageReport } = await import('./visit-page.ts')
  const written = await pageReport({
    url: wanted.url,
    visited,
    wanted: { focus: wanted.focus || undefined, page: wanted.page },
    language,
    output,
    isStored,
    secret: `${sessionId}\n${callId}`,
  })
  return written.ok
    ? { ok: true, content: written.text, untrusted: true, essence: `${visited.status} ${visited.page.markdown}` }
    : written
}

const text = z.string().nullable()

/** A page in the session's store: all of `VisitedPage` but the plain text, which no report needs. */
const kept = z.object({
  finalUrl: z.string(),
  status: z.number(),
  time: z.number(),
  cutAtBytes: z.number().nullable(),
  page: z.object({
    kind: z.enum(['html', 'json', 'text', 'markdown', 'csv', 'xml', 'feed', 'sitemap', 'binary']),
    mediaType: z.string(),
    confidence: z.number(),
    markdown: z.string(),
    title: text,
    byline: text,
    publishedTime: text,
    language: text,
    site: text,
    canonicalUrl: text,
  }),
})

/** One address has one key, however it is written: without the fragment, which no server sees. */
function pageKey(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

/** What to keep of a page; nothing when it is too long to be worth its room. */
function keptPage(address: string, { page, ...visited }: VisitedPage): KeptText[] {
  if (page.markdown.length > LIMITS.web.keptPageCharsMax) return []
  const { text: _, ...rest } = page
  return [{ key: pageKey(address), text: JSON.stringify({ ...visited, page: rest }) }]
}

/** A kept page as it was; null when nothing readable is kept. */
function recalledPage(stored: string | null): VisitedPage | null {
  if (stored === null) return null
  const parsed = kept.safeParse(parseJson(stored))
  return parsed.success ? { ...parsed.data, page: { ...parsed.data.page, text: '' } } : null
}
