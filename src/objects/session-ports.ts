import type { HeldSettings } from '../domain/settings.ts'
import type { SessionPorts } from '../run/ports.ts'
import { takesUp } from './take-up.ts'
import { unknownSession } from '../service/given-out.ts'
import { isMade } from '../store/migrate.ts'
import { withRecentMessages } from '../store/recent-messages.ts'
import { SESSION_SCHEMA, sqliteLog } from '../store/session-log.ts'
import { type ObjectAlarm, objectAlarm, objectDatabase } from './storage.ts'
import { engineOf } from './engine.ts'
import { directoryObject, outboxObject, sessionObject, type Env } from './env.ts'
import { report } from './report.ts'
import { servicePorts } from './service-ports.ts'
import { asInvocation, subrequestsMax } from './subrequests.ts'
import { sessionWatch } from './telemetry.ts'
import { TenantLists } from './tenant-lists.ts'
import { tenantRoom } from './tenant-room.ts'

/** Under which a session keeps what it knew last of its tenant's settings. */
const SETTINGS = 'settings'

/** The ports of a session at home in a Durable Object. */
export function sessionPorts(ctx: DurableObjectState, env: Env): SessionPorts & { alarm: ObjectAlarm } {
  const db = objectDatabase(ctx.storage)
  const engine = engineOf(env)
  return {
    log: withRecentMessages(sqliteLog(db, engine.orchestrators.reduce)),
    now: Date.now,
    engine,
    compacts: true,
    asInvocation: (work) => asInvocation(subrequestsMax(engine.config, env.YAA_LOCAL === '1'), work),
    alarm: objectAlarm(ctx, isMade(db, SESSION_SCHEMA) ? undefined : null),
    isTakenUp: takesUp(env),
    directory: {
      put: (tenant, told) => new TenantLists(env, tenant).put(told),
      remove: (tenant, id, left) => new TenantLists(env, tenant).remove(id, left),
    },
    outbox: {
      put: (tenant, news) => outboxObject(env, tenant).put(news),
      forget: (tenant, id) => outboxObject(env, tenant).forget(id),
    },
    others: {
      await: async (tenant, id, awaiter) => {
        const unknown = await unknownSession(servicePorts(env), tenant, id)
        return unknown ? { is: 'refused', why: 'not_found' } : sessionObject(env, tenant, id).awaited(awaiter)
      },
      tell: (tenant, { session, item }, end) => sessionObject(env, tenant, session).told(item, end),
    },
    room: tenantRoom(ctx, env),
    threads: { leave: (tenant, rest) => directoryObject(env, tenant).leaveThread(rest) },
    settings: {
      read: () => ctx.storage.kv.get<HeldSettings>(SETTINGS) ?? null,
      write: (settings) => ctx.storage.kv.put(SETTINGS, settings),
    },
    keepAlive: (work) => ctx.waitUntil(work),
    destroy: async () => {
      await ctx.storage.deleteAlarm()
      await ctx.storage.deleteAll()
    },
    report,
    watch: sessionWatch(ctx, env),
  }
}
