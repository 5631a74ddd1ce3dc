import * as z from 'zod'
import type { Page } from '../triggers/trigger-book.ts'
import { limit } from './queries.ts'

/** Of lists that are newest first: the cursor is the id of the last entry. */
export const newestFirstQuery = z.strictObject({ limit, cursor: z.string().max(200).optional() })

/** One more than asked for, which tells whether there is a next page. */
export function pageOf({ limit: max, cursor }: z.infer<typeof newestFirstQuery>): Page {
  return { before: cursor, limit: max + 1 }
}

/** The page, and the cursor behind it. */
export function paged<T extends { id: string }>(found: readonly T[], max: number): { data: T[]; next: string | null } {
  const data = found.slice(0, max)
  return { data, next: found.length > max ? (data.at(-1)?.id ?? null) : null }
}
