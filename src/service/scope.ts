import type { Scope } from '../domain/access.ts'
import type { AppError } from '../domain/errors.ts'
import type { Caller, Principal } from './caller.ts'

/** Why somebody may not do what needs a scope; null: they may. `admin` holds the others. */
export function lacks({ scopes }: Principal, scope: Scope): AppError | null {
  if (scopes.includes('admin') || scopes.includes(scope)) return null
  return { code: 'forbidden', detail: `This needs a key with scope ${scope}.` }
}

/** Why who came by a link may not decide an item; null: it is what the link is for. */
export function exceedsLink({ link }: Caller, pendingId: string): AppError | null {
  const isOther = link !== undefined && link.pendingId !== null && link.pendingId !== pendingId
  return isOther ? { code: 'forbidden', detail: 'This link is for another item.' } : null
}
