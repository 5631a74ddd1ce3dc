import type { SessionPorts } from '../run/ports.ts'
import { isMade } from '../store/migrate.ts'
import { withRecentMessages } from '../store/recent-messages.ts'
import { SESSION_SCHEMA, sqliteLog } from '../store/session-log.ts'
import { objectAlarm, objectDatabase } from './storage.ts'
import { engineOf } from './engine.ts'
import { directoryObject, outboxObject, type Env } from './env.ts'
import { report } from './report.ts'
import { asInvocation, subrequestsMax } from './subrequests.ts'
import { sessionWatch } from './telemetry.ts'
import { TenantLists } from './tenant-lists.ts'
import { tenantRoom } from './tenant-room.ts'

/** The ports of a session at home in a Durable Object. */
export function sessionPorts(ctx: DurableObjectState, env: Env): SessionPorts {
  const db = objectDatabase(ctx.storage)
  const engine = engineOf(env)
  return {
    log: withRecentMessages(sqliteLog(db, engine.orchestrators.reduce)),
    now: Date.now,
    engine,
    compacts: true,
    asInvocation: (work) => asInvocation(subrequestsMax(engine.config, env.YAA_LOCAL === '1'), work),
    alarm: objectAlarm(ctx, isMade(db, SESSION_SCHEMA) ? undefined : null),
    directory: {
      put: (tenant, told) => new TenantLists(env, tenant).put(told),
      remove: (tenant, id, left) => new TenantLists(env, tenant).remove(id, left),
    },
    outbox: {
      put: (tenant, news) => outboxObject(env, tenant).put(news),
      forget: (tenant, id) => outboxObject(env, tenant).forget(id),
    },
    room: tenantRoom(ctx, env),
    threads: { leave: (tenant, rest) => directoryObject(env, tenant).leaveThread(rest) },
    keepAlive: (work) => ctx.waitUntil(work),
    destroy: async () => {
      await ctx.storage.deleteAlarm()
      await ctx.storage.deleteAll()
    },
    report,
    watch: sessionWatch(ctx, env),
  }
}
