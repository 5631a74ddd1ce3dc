import { focusOn } from '../../reader/focus.ts'
import type { Opened } from '../run/open-source.ts'

/** What `read --json` prints of a source: wire names; `ms` is the extraction alone; `error` in place of all when it failed. */
export function pageLine(source: string, opened: Opened, focus: string | undefined): Record<string, unknown> {
  if (!opened.ok) return { file: source, error: opened.reason }
  const { page, cutAtBytes } = opened.visited
  const focused = focus === undefined ? null : focusOn(page.markdown, focus)
  return {
    file: source,
    title: page.title,
    byline: page.byline,
    published_time: page.publishedTime,
    language: page.language,
    confidence: Math.round(page.confidence * 1_000) / 1_000,
    markdown: focused?.markdown ?? page.markdown,
    text: page.text,
    ms: Math.round(opened.ms * 1_000) / 1_000,
    site: page.site,
    canonical_url: page.canonicalUrl,
    kind: page.kind,
    media_type: page.mediaType,
    ...(cutAtBytes === null ? {} : { cut_at_bytes: cutAtBytes }),
  }
}
