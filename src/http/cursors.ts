import * as z from 'zod'
import { invalid, ok, type Result } from '../domain/errors.ts'
import { isId } from '../lib/id.ts'

/** Cursors of lists. What is no cursor of its list is refused: taken for one, it would give a page that nobody asked for. */

const OTHER = 'the next_cursor of this list'
const BEHIND = 'behind:'

/** Of a list whose entries have ids with this prefix: the id of the last entry. */
export const idCursor = (prefix: string) =>
  z
    .string()
    .refine((text) => isId(prefix, text), OTHER)
    .optional()

/** Of a list by row: a number. */
export const rowCursor = z
  .string()
  .regex(/^\d{1,15}$/, OTHER)
  .optional()

/** Of a list by name: the handler gets the name of the last entry. */
export const nameCursor = z
  .string()
  .max(2_000, OTHER)
  .startsWith(BEHIND, OTHER)
  .transform((text) => text.slice(BEHIND.length))
  .optional()

/** What `nameCursor` reads; null: there is no more. */
export function behindName(name: string | null | undefined): string | null {
  return name === undefined || name === null ? null : `${BEHIND}${name}`
}

interface NamedPage<T> {
  data: T[]
  next: string | null
}

/** A page of a list that is at hand as a whole, in its order. An error: the entry that the cursor means is not there (any more). */
export function pageOfWhole<T>(
  all: readonly T[],
  nameOf: (entry: T) => string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Result<NamedPage<T>> {
  const from = cursor === undefined ? 0 : all.findIndex((entry) => nameOf(entry) === cursor) + 1
  if (cursor !== undefined && from === 0) return invalid([{ path: 'cursor', message: OTHER }])
  const data = all.slice(from, from + limit)
  const last = data.at(-1)
  return ok({ data, next: last !== undefined && all.length > from + limit ? behindName(nameOf(last)) : null })
}
