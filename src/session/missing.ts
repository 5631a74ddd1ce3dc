import { fail, type AppError } from '../domain/errors.ts'
import type { Journal } from './journal.ts'

/** The answer for a session that was never made, or is deleted; null: it is there. */
export function missing({ exists }: Pick<Journal, 'exists'>): { ok: false; error: AppError } | null {
  return exists ? null : fail({ code: 'not_found', what: 'session' })
}
