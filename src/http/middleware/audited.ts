import type { Context, MiddlewareHandler } from 'hono'
import { AUDIT_LIMITS } from '../../domain/audit.ts'
import { type Act, begin, end, refused } from '../../service/audit.ts'
import type { Principal } from '../../service/caller.ts'
import { serviceOf, type AppEnv } from '../context.ts'
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

/** Tells the tenant's audit what the request did. A door with a proof of its own says who acts by setting `principal` in its handler. */
export function audited(text: AuditText | undefined): MiddlewareHandler<AppEnv> {
  if (!text) return readOnly()
  return async (c, next) => {
    const ports = serviceOf(c)
    const caller = c.var.principal as Principal | undefined
    const opened = caller && begin(ports, caller, actOf(c, text))
    await next()
    const known = c.var.principal as Principal | undefined
    if (!known) return
    const how = { status: c.res.status, code: c.get('refusal'), replayed: c.res.headers.has(REPLAYED) }
    await end(ports, known, (await opened) ?? null, actOf(c, text), how)
  }
}

/** Of a route that only reads, a forbidden call is told. */
const readOnly = (): MiddlewareHandler<AppEnv> => async (c, next) => {
  await next()
  if (c.get('refusal') !== 'forbidden') return
  await refused(serviceOf(c), c.get('principal'), actOf(c, { action: 'access.read' }), 'forbidden')
}

/** Say more of what the request does. */
export function auditNote(c: Context<AppEnv>, details: Record<string, unknown>): void {
  c.set('auditNote', { ...c.get('auditNote'), ...details })
}

function actOf(c: Context<AppEnv>, text: AuditText): Act {
  return {
    action: text.action,
    target: targetOf(c, text) ?? null,
    requestId: c.get('requestId'),
    details: { ...(text.fields ? changedFields(c) : {}), ...c.get('auditNote'), ...madeOf(c, text) },
  }
}

function targetOf(c: Context<AppEnv>, { target }: AuditText): string | undefined {
  const named = target === undefined ? Object.values(c.req.param())[0] : c.req.param(target)
  return named ?? lastPart(locationOf(c))
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
