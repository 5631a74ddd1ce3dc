import type { Context, MiddlewareHandler } from 'hono'
import { AUDIT_LIMITS, type AuditActor, type AuditFact } from '../../domain/audit.ts'
import { STATUS, type AppError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { AuditApi } from '../../objects/api.ts'
import { auditObject } from '../../objects/env.ts'
import { report } from '../../objects/report.ts'
import type { AppEnv, AuditNote, Principal } from '../context.ts'
import { REPLAYED } from './replayed.ts'

/** What a route does, for the audit. */
export interface AuditText {
  /** `noun.verb`. */
  action: string
  /** The path parameter that names what is acted upon; by default the first, else what `Location` names. */
  target?: string
  /** Which fields a JSON body changes is told; their values never are. */
  fields?: true
}

/** Refusals that are worth an entry: somebody tried what is not theirs. */
const TOLD_REFUSALS: ReadonlySet<AppError['code'] | undefined> = new Set([
  'forbidden',
  'unauthorized',
  'bad_signature',
  'stale_decision',
])

/** Tells the tenant's audit what the request did: before it is done, that it begins, and before it is answered, how it ended.
 *  A door with a proof of its own says who acts by setting `principal` in its handler.
 *  What changed nothing is not told, but for refusals that matter. */
export function audited(text: AuditText | undefined): MiddlewareHandler<AppEnv> {
  if (!text) return readOnly()
  return async (c, next) => {
    const caller = c.var.principal as Principal | undefined
    const opened =
      caller &&
      auditObject(c.env, caller.tenant)
        .open(factOf(c, text, 'done'))
        .catch(failed)
    await next()
    const known = c.var.principal as Principal | undefined
    if (known) await ended(c, text, auditObject(c.env, known.tenant), (await opened) ?? null)
  }
}

/** Of a route that only reads, a forbidden call is told. */
const readOnly = (): MiddlewareHandler<AppEnv> => async (c, next) => {
  await next()
  if (c.get('refusal') === 'forbidden') await refused(c, c.get('principal'), { action: 'access.read' })
}

async function ended(c: Context<AppEnv>, text: AuditText, trail: AuditApi, id: string | null): Promise<void> {
  const { status } = c.res
  const isDone = status < 400 && !c.res.headers.has(REPLAYED)
  const fact = isDone ? factOf(c, text, 'done') : status >= 500 ? factOf(c, text, 'failed') : null
  await (id === null ? fact && trail.tell(fact) : trail.close(id, fact))?.catch(failed)
  if (TOLD_REFUSALS.has(c.get('refusal'))) await refused(c, c.get('principal'), text)
}

/** The audit is down: the operator is told, and the work goes on. */
function failed(error: unknown): null {
  report(error)
  return null
}

/** Say more of what the request does. */
export function auditNote(c: Context<AppEnv>, note: AuditNote): void {
  const known = c.get('auditNote')
  c.set('auditNote', { ...known, ...note, details: { ...known?.details, ...note.details } })
}

/** Tenants whose audit takes no refusals, and until when (Unix ms). */
const closed = new Map<string, number>()

/** Tell the audit of a refusal. A flood of them costs next to nothing: an object is asked so many times a minute. */
export async function refused(
  c: Context<AppEnv>,
  { tenant, kind, id }: Pick<Principal, 'tenant' | 'kind' | 'id'>,
  text: AuditText,
): Promise<void> {
  if ((closed.get(tenant) ?? 0) > Date.now()) return
  const fact = { ...factOf(c, text, 'refused'), actor: { kind, id } }
  const until = await auditObject(c.env, tenant).refuse(fact).catch(failed)
  if (closed.size >= LIMITS.mcp.keptMax) closed.clear()
  if (until) closed.set(tenant, until)
}

function factOf(c: Context<AppEnv>, text: AuditText, outcome: AuditFact['outcome']): AuditFact {
  const { details = {}, target } = c.get('auditNote') ?? {}
  const refusal = c.get('refusal')
  return {
    actor: actorOf(c.get('principal')),
    action: text.action,
    target: (target ?? targetOf(c, text))?.slice(0, AUDIT_LIMITS.targetCharsMax) ?? null,
    outcome,
    status: statusOf(c),
    request_id: c.get('requestId'),
    details: {
      ...(text.fields ? changedFields(c) : {}),
      ...details,
      ...madeOf(c, text),
      ...(refusal && outcome !== 'done' ? { code: refusal } : {}),
    },
  }
}

/** Null: it is not known yet. */
function statusOf(c: Context<AppEnv>): number | null {
  const refusal = c.get('refusal')
  if (c.finalized) return c.res.status
  return refusal ? STATUS[refusal] : null
}

function actorOf(principal: Principal | undefined): AuditActor {
  return { kind: principal?.kind ?? 'key', id: principal?.id ?? '' }
}

function targetOf(c: Context<AppEnv>, { target }: AuditText): string | undefined {
  const named = target === undefined ? Object.values(c.req.param())[0] : c.req.param(target)
  return named ?? c.get('idempotency')?.sessionId ?? lastPart(locationOf(c))
}

/** The id of what was made out of what the path names. */
function madeOf(c: Context<AppEnv>, text: AuditText): { made?: string } {
  const made = lastPart(locationOf(c))
  return made === undefined || made === targetOf(c, text) ? {} : { made }
}

function locationOf(c: Context<AppEnv>): string | null {
  return c.finalized ? c.res.headers.get('location') : null
}

function lastPart(path: string | null): string | undefined {
  const last = path?.split('/').at(-1)
  return last === undefined ? undefined : decodeURIComponent(last)
}

/** Names of the fields that a body gives, two levels deep. */
function changedFields(c: Context<AppEnv>): { fields?: string[] } {
  const data = c.finalized ? c.get('input') : undefined
  if (!isObject(data)) return {}
  const names = Object.entries(data).flatMap(([name, value]) =>
    name === 'config' && isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  )
  return { fields: names.slice(0, AUDIT_LIMITS.fieldsMax).map((name) => name.slice(0, AUDIT_LIMITS.fieldCharsMax)) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
