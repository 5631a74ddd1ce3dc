import type { ReadPage } from '../../reader/page.ts'
import { focusOn } from '../../reader/focus.ts'

/** What `read --json` prints of a page: wire names; `ms` is the time of the extraction alone. */
export function pageLine(file: string, page: ReadPage, ms: number, focus: string | undefined): Record<string, unknown> {
  const focused = focus === undefined ? null : focusOn(page, focus)
  return {
    file,
    title: page.title,
    byline: page.byline,
    published_time: page.publishedTime,
    language: page.language,
    confidence: Math.round(page.confidence * 1_000) / 1_000,
    markdown: focused?.markdown ?? page.markdown,
    text: page.text,
    ms: Math.round(ms * 1_000) / 1_000,
  }
}
