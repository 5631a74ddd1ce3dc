import type { Context } from 'hono'
import type { AppEnv } from './context.ts'

/** A page of a list. */
export function list(c: Context<AppEnv>, data: readonly unknown[], nextCursor: string | null = null): Response {
  return c.json({ object: 'list', data, next_cursor: nextCursor })
}
