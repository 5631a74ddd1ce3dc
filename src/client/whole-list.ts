import { LIMITS } from '../domain/limits.ts'
import { type Connection, sendForJson } from './http.ts'
import type { Page } from './session-shapes.ts'

/** All of a list as one page, up to `LIMITS.http.wholeListPagesMax` of the server's; `next_cursor` says whether there is more. */
export async function wholeList<T>(connection: Connection, path: string): Promise<Page<T>> {
  const data: T[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < LIMITS.http.wholeListPagesMax; pages++) {
    const query: Record<string, string | number> = {
      limit: LIMITS.http.listMax,
      ...(cursor === null ? {} : { cursor }),
    }
    const page: Page<T> = await sendForJson<Page<T>>(connection, { path, query })
    data.push(...page.data)
    cursor = page.next_cursor
    if (cursor === null) break
  }
  return { object: 'list', data, next_cursor: cursor }
}
