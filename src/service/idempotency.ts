import { fail, invalid, ok, type Result } from '../domain/errors.ts'
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

/** The key under which a session does what a request asks, once: it keeps the key and its answer with the effect. */
export async function sessionKey(caller: Caller, idempotency: IdempotencyKey | null): Promise<Result<SessionKey>> {
  if (idempotency === null) return ok({})
  if (idempotency.asks === undefined) return ok({ key: idempotency.key })
  return wantedBy(caller, idempotency)
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
  const wanted = await wantedBy(caller, idempotency)
  if (!wanted.ok) return wanted
  const claim = { ...wanted.value, sessionId: null }
  const claimed: Claimed | null = await ports.tenant(caller.principal.tenant).claimRunning(claim)
  if (!claimed) return fail({ code: 'idempotency_in_progress' })
  if (claimed.outcome === 'other_request') return fail({ code: 'idempotency_key_reused' })
  if (claimed.outcome === 'again' && claimed.answer) return ok({ outcome: 'again', answer: claimed.answer })
  return ok({ outcome: 'first', key: wanted.value.key })
}

/** What is claimed for a request. Whoever comes by a link has keys of its own. */
async function wantedBy({ link }: Caller, { key, asks }: IdempotencyKey) {
  const max = LIMITS.idempotency.keyCharsMax
  if (key.length < 1 || key.length > max) {
    const message = `1 to ${max} characters, with or without quotes around them`
    return invalid([{ path: 'Idempotency-Key', message }], 'The Idempotency-Key does not fit.')
  }
  const asked = (await asks?.()) ?? ok('')
  if (!asked.ok) return asked
  return ok({ key: link ? `${link.id}\n${key}` : key, fingerprint: await sha256Hex(asked.value) })
}
