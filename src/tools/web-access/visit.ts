import * as z from 'zod'
import { changeProblem, filePath } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { KeptText, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { endingOf } from '../../lib/content-type.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { parseJson } from '../../lib/json.ts'
import { PAGE_KINDS } from '../../reader/page.ts'
import { PAGE_TYPES } from '../../reader/page-type.ts'
import { pageReport, type VisitedPage, visitPage, type VisitPorts } from './visit-page.ts'

export interface VisitWanted {
  url: string
  focus?: string | undefined
  page?: number | undefined
  refresh?: boolean | undefined
}

/** The page from the session's store, else from the web; then what is wanted of it. */
export async function visit(ports: VisitPorts, wanted: VisitWanted, context: ToolContext): Promise<ToolOutcome> {
  const kept = wanted.refresh === true ? null : recalledPage(context.recall(pageKey(wanted.url)))
  if (kept !== null) return report(kept, wanted, context, true)
  const visited = await visitPage(ports, wanted.url, context)
  if (!visited.ok) return visited
  const { image, ...page } = visited.visited
  const shown = image && context.vision ? await shownImage(image, page.page.mediaType, context) : null
  const outcome = await report(page, wanted, context, false, shown?.path)
  if (shown) return outcome.ok ? { ...outcome, files: [shown.change], images: [shown.image] } : outcome
  return outcome.ok ? { ...outcome, keep: image ? [] : keptPage(wanted.url, page) } : outcome
}

/** An image as a file of the workspace, which the model is shown; null: there is no room for it. */
async function shownImage(bytes: Uint8Array, mediaType: string, { callId, files }: ToolContext) {
  const checked = filePath(`web/${callId}.${endingOf(mediaType)}`)
  if (!checked.ok) return null
  const { path } = checked
  const change = { action: 'write', path, bytes, sha256: await sha256Hex(bytes), untrusted: true, base: null } as const
  if (changeProblem(files, change) !== null) return null
  const image = { type: 'image', path, media_type: mediaType, size: bytes.byteLength, untrusted: true } as const
  return { path, change, image }
}

async function report(
  visited: VisitedPage,
  wanted: VisitWanted,
  { language, sessionId, callId, output }: ToolContext,
  isStored: boolean,
  shownAs?: string,
): Promise<ToolOutcome> {
  const written = await pageReport({
    url: wanted.url,
    visited,
    wanted: { focus: wanted.focus || undefined, page: wanted.page },
    language,
    output,
    isStored,
    ...(shownAs === undefined ? {} : { shownAs }),
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
  rendered: z.union([z.boolean(), z.string()]).optional(),
  page: z.object({
    kind: z.enum(PAGE_KINDS),
    mediaType: z.string(),
    confidence: z.number(),
    type: z.object({ name: z.enum(PAGE_TYPES), sure: z.number() }).optional(),
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
