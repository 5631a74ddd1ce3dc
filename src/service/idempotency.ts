import { fail, invalid, ok, type AppError, type Result, STATUS } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import type { Claimed, KeptAnswer } from '../store/claims.ts'
import type { Caller } from './caller.ts'
import type { ServicePorts } from './ports.ts'

type TenantPorts = Pick<ServicePorts, 'tenant'>

/** The key under which a request may come again. */
export interface IdempotencyKey {
  key: string
  /** What the request asks, to be hashed: one with the same key that asks for something else is refused. Absent: whoever made the key
   *  never gives it to two. */
  asks?: () => Promise<Result<string>>
}

/** The key under which a session does something. `fingerprint`: of what is asked, where the session is to compare it. */
export interface SessionKey {
  key?: string
  fingerprint?: string
}

/** Does for a session what a request asks, once: the session keeps the key and its answer, with the effect. A session in the path has keys of
 *  its own. What makes one takes its key from the tenant: one that comes again is for the session that its first sending made, and one
 *  that had no effect gives the key back. */
export async function once<T>(
  ports: TenantPorts,
  caller: Caller,
  { idempotency, sessionId, makes }: { idempotency: IdempotencyKey | null; sessionId: string; makes: boolean },
  work: (sessionId: string, key: SessionKey) => Promise<Result<T>>,
): Promise<Result<T>> {
  if (idempotency === null) return work(sessionId, {})
  if (idempotency.asks === undefined) return work(sessionId, { key: idempotency.key })
  const wanted = await wantedBy(caller, idempotency, sessionId)
  if (!wanted.ok) return wanted
  const { key, fingerprint } = wanted.value
  if (!makes) return work(sessionId, { key, fingerprint })
  const tenant = () => ports.tenant(caller.principal.tenant)
  const claimed = await tenant().claim(wanted.value)
  if (claimed.outcome === 'other_request') return fail({ code: 'idempotency_key_reused' })
  const done = await work(claimed.sessionId ?? sessionId, { key, fingerprint })
  if (claimed.outcome === 'first' && !done.ok && isWithoutEffect(done.error)) await tenant().release(key)
  return done
}

/** Refused before anything was done. A sending that another one of its key overtook has its effect in that one. */
function isWithoutEffect({ code }: AppError): boolean {
  return STATUS[code] >= 400 && STATUS[code] < 500 && code !== 'idempotency_in_progress'
}

/** What becomes of a request whose answer the tenant keeps. */
export type Stored =
  | { outcome: 'again'; answer: KeptAnswer }
  /** It is to be done: then it is released, or its answer kept. Null: it has no key. */
  | { outcome: 'first'; key: string | null }

/** Takes the key of a request whose answer the tenant keeps and gives again: of one that leaves nothing behind, or that makes something
 *  of the tenant's. */
export async function storedAnswer(
  ports: TenantPorts,
  caller: Caller,
  idempotency: IdempotencyKey | null,
): Promise<Result<Stored>> {
  if (idempotency === null) return ok({ outcome: 'first', key: null })
  const wanted = await wantedBy(caller, idempotency, null)
  if (!wanted.ok) return wanted
  const claimed: Claimed | null = await ports.tenant(caller.principal.tenant).claimRunning(wanted.value)
  if (!claimed) return fail({ code: 'idempotency_in_progress' })
  if (claimed.outcome === 'other_request') return fail({ code: 'idempotency_key_reused' })
  if (claimed.outcome === 'again' && claimed.answer) return ok({ outcome: 'again', answer: claimed.answer })
  return ok({ outcome: 'first', key: wanted.value.key })
}

/** What is claimed for a request. Whoever comes by a link has keys of its own. */
async function wantedBy({ link }: Caller, { key, asks }: IdempotencyKey, sessionId: string | null) {
  const max = LIMITS.idempotency.keyCharsMax
  if (key.length < 1 || key.length > max) {
    const message = `1 to ${max} characters`
    return invalid([{ path: 'Idempotency-Key', message }], 'The Idempotency-Key does not fit.')
  }
  const asked = (await asks?.()) ?? ok('')
  if (!asked.ok) return asked
  return ok({ key: link ? `${link.id}\n${key}` : key, fingerprint: await sha256Hex(asked.value), sessionId })
}
