import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import type { KeptText } from '../domain/tool.ts'
import type { VisitedPage } from './visit-page.ts'

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
export function pageKey(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

/** What to keep of a page; nothing when it is too long to be worth its room. */
export function keptPage(address: string, { page, ...visit }: VisitedPage): KeptText[] {
  if (page.markdown.length > LIMITS.web.keptPageCharsMax) return []
  const { text: _, ...rest } = page
  return [{ key: pageKey(address), text: JSON.stringify({ ...visit, page: rest }) }]
}

/** A kept page as it was; null when nothing readable is kept. */
export function recalledPage(stored: string | null): VisitedPage | null {
  if (stored === null) return null
  const parsed = kept.safeParse(jsonOf(stored))
  return parsed.success ? { ...parsed.data, page: { ...parsed.data.page, text: '' } } : null
}

function jsonOf(stored: string): unknown {
  try {
    return JSON.parse(stored)
  } catch {
    return null
  }
}
