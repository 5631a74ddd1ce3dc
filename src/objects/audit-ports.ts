import { type AuditPart, partOn, Parts } from '../audit/parts.ts'
import { Trail, type TrailPorts } from '../audit/trail.ts'
import { AUDIT_LIMITS } from '../domain/audit.ts'
import { AUDIT_SCHEMA } from '../store/audit.ts'
import { migrate } from '../store/migrate.ts'
import { serverOf } from './engine.ts'
import { auditPart, type Env } from './env.ts'
import { report } from './report.ts'
import { objectDatabase } from './storage.ts'

/** When this isolate first had to do with an audit, Unix ms. */
let begun: number | undefined

/** On a machine of one's own one isolate does all that there is. On the platform nothing says whether who began an act still goes on. */
const since = ({ YAA_LOCAL: local }: Env): Pick<TrailPorts, 'since'> =>
  local === '1' ? { since: (begun ??= Date.now()) } : {}

/** An audit at home in a Durable Object: its newest entries with what leads to its older parts, or one of these. */
export function trailOf(ctx: DurableObjectState, env: Env) {
  const db = objectDatabase(ctx.storage)
  migrate(db, AUDIT_SCHEMA)
  const trail = new Trail({
    db,
    now: Date.now,
    retentionDays: serverOf(env).config.audit?.retention_days ?? AUDIT_LIMITS.retentionDays,
    ...since(env),
    ...ownParts(ctx, env, (partOf) => new Parts(db, partOf)),
  })
  return { trail, part: partOn(db) }
}

/** A part has none. Its name has a colon, a tenant's has not. */
function ownParts(
  ctx: DurableObjectState,
  env: Env,
  made: (partOf: (n: number) => AuditPart) => Parts,
): Pick<TrailPorts, 'parts' | 'soon'> {
  const { name = ':' } = ctx.id
  if (name.includes(':')) return {}
  const soon = () => ctx.waitUntil(ctx.storage.setAlarm(Date.now()).catch(report))
  return { parts: made((n) => reached(auditPart(env, name, n))), soon }
}

/** A part, by its object. */
function reached(object: ReturnType<typeof auditPart>): AuditPart {
  return {
    keep: (before, rows) => object.keepPart(before, rows),
    before: (seq, filter, limit) => object.partBefore(seq, filter, limit),
    page: (after, filter) => object.partPage(after, filter),
    walk: (after) => object.walk(after),
    seqOf: (id) => object.seqInPart(id),
    expire: (before) => object.expirePart(before),
    drop: () => object.dropPart(),
  }
}
