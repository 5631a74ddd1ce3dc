import * as z from 'zod'
import { tenantOfHook } from '../domain/webhook.ts'
import type { Page } from '../triggers/trigger-store.ts'
import { idCursor } from './cursors.ts'
import { limit } from './queries.ts'

/** Of lists that are newest first: the cursor is the id of the last entry. */
export const webhookListQuery = z.strictObject({
  limit,
  cursor: z
    .string()
    .refine((text) => tenantOfHook(text) !== null, 'the next_cursor of this list')
    .optional(),
})
export const deliveryListQuery = z.strictObject({ limit, cursor: idCursor('dlv') })
export const scheduleListQuery = z.strictObject({ limit, cursor: idCursor('sch') })
export const runListQuery = z.strictObject({ limit, cursor: idCursor('srn') })

/** One more than asked for, which tells whether there is a next page. */
export function pageOf({ limit: max, cursor }: z.infer<typeof deliveryListQuery>): Page {
  return { before: cursor, limit: max + 1 }
}

/** The page, and the cursor behind it. */
export function paged<T extends { id: string }>(found: readonly T[], max: number): { data: T[]; next: string | null } {
  const data = found.slice(0, max)
  return { data, next: found.length > max ? (data.at(-1)?.id ?? null) : null }
}
