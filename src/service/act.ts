import type { Scope } from '../domain/access.ts'
import { AUDIT_LIMITS } from '../domain/audit.ts'
import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { KeptAnswer } from '../store/claims.ts'
import { type Note, recorded } from './audit.ts'
import { type Caller, lacks } from './caller.ts'
import { type IdempotencyKey, storedAnswer } from './idempotency.ts'
import type { ServicePorts } from './ports.ts'
import { isObject } from '../lib/json.ts'

/** What a door asks for that is no command of a session: to read, or to change what is the tenant's. */
export interface ActOrder<Input, T> {
  scope: Scope
  /** For the audit; null: it only reads. */
  action: string | null
  /** What is acted upon; null: what it makes. */
  target: string | null
  /** Why there cannot be what it names; null: there can. */
  refuse?: () => AppError | null | Promise<AppError | null>
  idempotency: IdempotencyKey | null
  /** Read when the caller may, and its key is taken. */
  read: () => Promise<Result<Input>>
  /** Given: the audit is told which fields these are of what was read; their values never. */
  fieldsOf?: (input: Input) => unknown
  /** The status that the door answers, and the id of what was made. */
  endOf: (done: T) => { status: number; made?: string | undefined }
  /** What a request with the same key is answered; absent: the door keeps it. Of a secret that is shown once it holds nothing. */
  keptOf?: (done: T) => KeptAnswer
}

/** `key`: under which the effect is made, and its answer kept. */
export interface Doing {
  key: string | null
  /** Says more of it to the audit: names, ids and hashes, never content. */
  note: (details: Record<string, unknown>) => void
}

/** What was done now, or what its first sending was answered. `key`: under which the door is to keep the answer. */
export type Acted<T> =
  | { replayed: true; stored: KeptAnswer }
  | { replayed: boolean; stored: null; done: T; key: string | null }

/** Does what a door asks for a caller, by the rules of commands: scope, idempotency, the input; and on record. */
export async function act<Input, T extends { replayed?: boolean }>(
  ports: ServicePorts,
  caller: Caller,
  order: ActOrder<Input, T>,
  work: (input: Input, doing: Doing) => Promise<Result<T>>,
): Promise<Result<Acted<T>>> {
  const { scope, action, target } = order
  const statusOf = (acted: Acted<T>) => (acted.stored ? acted.stored.status : order.endOf(acted.done).status)
  const record =
    action === null
      ? ({ at: 'forbidden' } as const)
      : ({ at: 'both', statusOf, isRequired: scope === 'admin' } as const)
  return recorded<Acted<T>>(ports, caller, { action: action ?? 'access.read', target }, record, async (note) => {
    const refused = lacks(caller.principal, scope) ?? (await order.refuse?.())
    if (refused) return fail(refused)
    const stored = await storedAnswer(ports, caller, order.idempotency)
    if (!stored.ok) return stored
    if (stored.value.outcome === 'again') return ok({ replayed: true, stored: stored.value.answer })
    const { key } = stored.value
    const done = await kept(ports, caller, key, order.keptOf, () => once(order, key, note, work))
    if (!done.ok) return done
    noteMade(order, done.value, note)
    return ok({ replayed: done.value.replayed === true, stored: null, done: done.value, key })
  })
}

async function once<Input, T>(
  { read, fieldsOf }: ActOrder<Input, T>,
  key: string | null,
  note: Note,
  work: (input: Input, doing: Doing) => Promise<Result<T>>,
): Promise<Result<T>> {
  const input = await read()
  if (!input.ok) return input
  if (fieldsOf) note({ details: changedFields(fieldsOf(input.value)) })
  return work(input.value, { key, note: (details) => note({ details }) })
}

/** Keeps the answer under the key; what was refused or failed gives the key back. */
async function kept<T>(
  ports: Pick<ServicePorts, 'tenant'>,
  { principal }: Caller,
  key: string | null,
  keptOf: ActOrder<unknown, T>['keptOf'],
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  if (key === null) return work()
  const tenant = () => ports.tenant(principal.tenant)
  let isDone = false
  try {
    const done = await work()
    isDone = done.ok
    const answer = done.ok && keptOf ? keptOf(done.value) : null
    if (answer) await tenant().keepAnswer(key, answer.body.length > LIMITS.idempotency.answerCharsMax ? null : answer)
    return done
  } finally {
    if (!isDone) await tenant().release(key)
  }
}

/** The audit hears of the id of what was made: it is what was acted upon, unless something else is named. */
function noteMade<Input, T>({ endOf, target }: ActOrder<Input, T>, done: T, note: Note): void {
  const { made } = endOf(done)
  if (made === undefined || made === target) return
  note(target === null ? { target: made } : { details: { made } })
}

/** Names of the fields that an input gives, two levels deep. */
function changedFields(data: unknown): { fields?: string[] } {
  if (!isObject(data)) return {}
  const names = Object.entries(data).flatMap(([name, value]) =>
    name === 'config' && isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  )
  return { fields: names.slice(0, AUDIT_LIMITS.fieldsMax).map((name) => name.slice(0, AUDIT_LIMITS.fieldCharsMax)) }
}
