import type { KeyLimits, Scope } from '../domain/access.ts'
import type { AuditActor } from '../domain/audit.ts'
import type { AppError } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import type { PendingInput } from '../domain/session-input.ts'
import type { Origin } from '../domain/telemetry.ts'
import { isId } from '../lib/id.ts'
import type { ServicePorts } from './ports.ts'

/** Who asks: the key that was shown, its tenant and what it may do. */
export interface Principal {
  kind: AuditActor['kind']
  id: string
  tenant: string
  scopes: readonly Scope[]
  /** What it may use, and the name under which that is counted where it is another than the id. */
  limits?: KeyLimits
  account?: string
  /** Unix ms from which on what it showed does not hold any more; absent: that has to be looked up, or it holds for ever. */
  expiresTime?: number
}

/** Who asks, and by which request. */
export interface Caller {
  principal: Principal
  /** Null: no request; a trigger fired. */
  requestId: string | null
  /** The request that a run was asked for by, and the trace that it belongs to. */
  origin?: Origin
  /** The key whose budget pays; null: no key's. Absent: as before. */
  payer?: string | null
  /** The signed link by which it came. */
  link?: Link
}

/** The name under which what somebody uses is counted. */
export function accountOfCaller({ id, account = id }: Pick<Principal, 'id' | 'account'>): string {
  return account
}

/** The caller's key or token, if it has a budget: it pays for what the call runs. */
export function payerOf(principal: Principal): string | null {
  const { limits } = principal
  return limits?.day || limits?.month ? accountOfCaller(principal) : null
}

/** A key that a tenant made, which it may revoke. Those of the config change with a deploy. */
export function isMadeKey({ kind, id }: Principal): boolean {
  return kind === 'key' && isId('key', id)
}

/** Whether what somebody showed may end while it is used. */
export function mayEnd(principal: Principal): boolean {
  return isMadeKey(principal) || principal.expiresTime !== undefined
}

/** Whether what somebody showed was for a time that is over. */
export function isOver({ expiresTime = Infinity }: Principal, now: number): boolean {
  return now >= expiresTime
}

/** Whether what somebody showed before still holds. */
export async function stillHolds(ports: Pick<ServicePorts, 'tenant' | 'now'>, principal: Principal): Promise<boolean> {
  if (isOver(principal, ports.now())) return false
  return !isMadeKey(principal) || ports.tenant(principal.tenant).holdsKey(principal.id)
}

/** Why somebody may not do what needs a scope; null: they may. `admin` holds the others. */
export function lacks({ scopes }: Principal, scope: Scope): AppError | null {
  if (scopes.includes('admin') || scopes.includes(scope)) return null
  return { code: 'forbidden', detail: `This needs a key with scope ${scope}.`, scope }
}

/** Who decides on what waits for a human; null: they may not. */
export function deciderOf(principal: Principal): AuditActor | null {
  return lacks(principal, 'decide') ? null : { kind: principal.kind, id: principal.id }
}

/** Who gives results of calls that callers make; null: they may not. */
export function answererOf(principal: Principal): AuditActor | null {
  return lacks(principal, 'run') ? null : { kind: principal.kind, id: principal.id }
}

/** Why who came by a link may not decide so; null: it is what the link is for. A link approves what it shows, unless it was made for more. */
export function exceedsLink(
  { link }: Caller,
  { pendingId, input }: { pendingId: string; input: Pick<PendingInput, 'arguments'> },
): AppError | null {
  if (link === undefined) return null
  if (link.pendingId !== null && link.pendingId !== pendingId)
    return { code: 'forbidden', detail: 'This link is for another item.' }
  if (input.arguments === undefined || link.allowEdit) return null
  return { code: 'forbidden', detail: 'This link approves as shown: it was not made with allow_edit.' }
}
