import { AUDIT_LIMITS, type AuditActor, type AuditFact } from '../domain/audit.ts'
import { STATUS, type AppError, fail, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Caller, Principal } from './caller.ts'
import type { ServicePorts } from './ports.ts'

type AuditPorts = Pick<ServicePorts, 'audit' | 'now' | 'report'>
type Code = AppError['code']

/** What somebody does: names, ids and hashes, never content. */
export interface Act {
  /** `noun.verb`. */
  action: string
  /** What is acted upon; null: it is not known yet. */
  target: string | null
  requestId: string | null
  details: Readonly<Record<string, unknown>>
}

/** How an act ended. */
export interface ActEnd {
  /** Of the HTTP answer; null: there is none. */
  status: number | null
  /** Why it was refused or failed; absent: it was not. */
  code?: Code | undefined
  /** It was done before: this is what its first sending got. */
  replayed?: boolean
}

/** Refusals that are worth an entry: somebody tried what is not theirs. */
const RECORDED: ReadonlySet<Code | undefined> = new Set([
  'forbidden',
  'unauthorized',
  'bad_signature',
  'stale_decision',
] as const)

/** When the audit is told. Of what changes a session by that session, which keeps it with its effect; of another request that waits for its
 *  answer as it begins and as it ends, with the status that its door answers; of what only reads, that it was forbidden; what a trigger
 *  does its door tells itself. `isRequired`: what the audit cannot be told is not done. */
export type AuditRecord<T> =
  | { at: 'both'; statusOf: (done: T) => number; isRequired: boolean }
  | { at: 'session' }
  | { at: 'forbidden' }
  | { at: 'never' }

export type Note = (more: Partial<Pick<Act, 'target' | 'details'>>) => void

/** Does something on record. `note`: what turns out of it on the way. */
export async function recorded<T extends { replayed: boolean }>(
  ports: AuditPorts & Pick<ServicePorts, 'failureOf'>,
  { principal, requestId }: Caller,
  about: Pick<Act, 'action' | 'target'>,
  record: AuditRecord<T>,
  work: (note: Note) => Promise<Result<T>>,
): Promise<Result<T>> {
  let act: Act = { ...about, requestId, details: {} }
  const opened = record.at === 'both' ? begin(ports, principal, act) : null
  if (record.at === 'both' && record.isRequired && (await opened) === null) return fail({ code: 'audit_unavailable' })
  const ended = async (how: ActEnd) => {
    if (record.at === 'both') await end(ports, principal, (await opened) ?? null, act, how)
    else if (record.at === 'session') await notDone(ports, principal, act, how)
    else if (record.at === 'forbidden' && how.code === 'forbidden') await refused(ports, principal, act, how.code)
  }
  try {
    const done = await work((more) => {
      act = { ...act, ...more, details: { ...act.details, ...more.details } }
    })
    await ended(done.ok ? goodEnd(done.value, record) : { status: STATUS[done.error.code], code: done.error.code })
    return done
  } catch (error) {
    const { code } = ports.failureOf(error)
    if (record.at === 'both' || record.at === 'session') await ended({ status: STATUS[code], code })
    throw error
  }
}

/** What was done, or had been before. */
function goodEnd<T extends { replayed: boolean }>(done: T, record: AuditRecord<T>): ActEnd {
  return { status: record.at === 'both' ? record.statusOf(done) : null, replayed: done.replayed }
}

/** Keeps what is about to be done, so that it is not lost when the process dies over it. Gives the id for `end`; null: the audit is
 *  down, and the work goes on. */
export function begin(ports: AuditPorts, { tenant, ...actor }: Principal, act: Act): Promise<string | null> {
  const logged = (error: unknown) => down(ports, error)
  return ports
    .audit(tenant)
    .open(factOf(actor, act, 'done', null))
    .catch(logged)
}

/** Tells how an act ended, before its caller is. What changed nothing is not told, but for refusals that matter. */
export async function end(
  ports: AuditPorts,
  { tenant, ...actor }: Principal,
  id: string | null,
  act: Act,
  { status, code, replayed = false }: ActEnd,
): Promise<void> {
  const isFailed = code !== undefined && STATUS[code] >= 500
  const outcome = code === undefined && !replayed ? 'done' : isFailed ? 'failed' : null
  const fact = outcome && factOf(actor, withCode(act, code), outcome, status)
  const trail = ports.audit(tenant)
  await (id === null ? fact && trail.record(fact) : trail.close(id, fact))?.catch((error) => down(ports, error))
  if (code !== undefined && RECORDED.has(code)) await refused(ports, { tenant, ...actor }, act, code, status)
}

/** Records what was done without an answer to wait for: by a trigger. */
export async function recordAct(ports: AuditPorts, { tenant, ...actor }: Principal, act: Act): Promise<void> {
  await ports
    .audit(tenant)
    .record(factOf(actor, act, 'done', null))
    .catch((error) => down(ports, error))
}

/** What its session is to keep of what is done, with its effect. `status`: that its door will answer; null: it has none. */
export function doneFact(actor: Principal, act: Act, status: number | null): AuditFact {
  return factOf(actor, act, 'done', status)
}

/** Of what a session did not do: that it failed, and refusals that matter. */
async function notDone(ports: AuditPorts, principal: Principal, act: Act, { code, status }: ActEnd): Promise<void> {
  if (code === undefined) return
  if (STATUS[code] >= 500) await end(ports, principal, null, act, { code, status })
  else if (RECORDED.has(code)) await refused(ports, principal, act, code, status)
}

/** Tenants whose audit takes no refusals, and until when (Unix ms). */
const closed = new Map<string, number>()

/** Tells of a refusal. A flood of them costs next to nothing: an object is asked so many times a minute. */
export async function refused(
  ports: AuditPorts,
  { tenant, ...actor }: Pick<Principal, 'tenant' | 'kind' | 'id'>,
  act: Act,
  code: Code,
  status: number | null = STATUS[code],
): Promise<void> {
  if ((closed.get(tenant) ?? 0) > ports.now()) return
  const fact = factOf(actor, withCode(act, code), 'refused', status)
  const until = await ports
    .audit(tenant)
    .refuse(fact)
    .catch((error) => down(ports, error))
  if (closed.size >= LIMITS.mcp.keptMax) closed.clear()
  if (until) closed.set(tenant, until)
}

/** The audit is down: the operator is told. */
function down(ports: AuditPorts, error: unknown): null {
  ports.report(error)
  return null
}

function withCode(act: Act, code: Code | undefined): Act {
  return code === undefined ? act : { ...act, details: { ...act.details, code } }
}

function factOf(
  { kind, id }: AuditActor,
  { action, target, requestId, details }: Act,
  outcome: AuditFact['outcome'],
  status: number | null,
): AuditFact {
  return {
    actor: { kind, id },
    action,
    target: target?.slice(0, AUDIT_LIMITS.targetCharsMax) ?? null,
    outcome,
    status,
    request_id: requestId,
    details,
  }
}
