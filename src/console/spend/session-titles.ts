import { entries, type Page } from '../../client/http.ts'
import type { SessionSummary } from '../../domain/session.ts'

/** As many as there are sums at most. */
const READ_MAX = 1_000
/** An id that is made of what a caller named tells no time. */
const TIMELESS = /^ses_7/

type Named = Pick<SessionSummary, 'id' | 'title'>

/** What sessions are called, by their ids; absent: they have no title, are gone, or are beyond what is read. `list`: a page of all sessions,
 *  newest first. */
export async function sessionTitles(
  ids: readonly string[],
  list: (cursor?: string) => Promise<Page<Named>>,
): Promise<Map<string, string>> {
  const wanted = new Set(ids)
  const titles = new Map<string, string>()
  if (wanted.size === 0) return titles
  const oldest = ids.some((id) => TIMELESS.test(id)) ? '' : (ids.toSorted()[0] ?? '')
  let read = 0
  for await (const { id, title } of entries(list)) {
    if (id < oldest) break
    if (wanted.delete(id) && title !== '') titles.set(id, title)
    if (wanted.size === 0 || ++read >= READ_MAX) break
  }
  return titles
}
