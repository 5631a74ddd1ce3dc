import { USER_JOB_LIMITS } from '../domain/user-job.ts'
import { type UserData } from '../memory/user-job-steps.ts'
import { UserJobs } from '../memory/user-jobs.ts'
import { LIMITS } from '../domain/limits.ts'
import { auditObject, directoryObject, type Env, sessionObject } from './env.ts'
import { report } from './report.ts'
import { objectDatabase } from './storage.ts'
import { TenantLists } from './tenant-lists.ts'

/** Jobs on all that there is of one user, at home beside its memory. */
export function openUserJobs(ctx: DurableObjectState, env: Env): UserJobs {
  return new UserJobs({
    db: objectDatabase(ctx.storage),
    now: Date.now,
    alarm: (time) => ctx.storage.setAlarm(time),
    of: (tenant) => userData(env, tenant),
    report,
  })
}

function userData(env: Env, tenant: string): UserData {
  const { sessionsPerStep, rowsPerStep } = USER_JOB_LIMITS
  const lists = new TenantLists(env, tenant)
  return {
    sessions: (user, cursor) => lists.list({ user, limit: sessionsPerStep, ...(cursor === null ? {} : { cursor }) }),
    exportSession: async (id) => {
      const exported = await sessionObject(env, tenant, id).export(null, false)
      return exported.ok ? exported.value : null
    },
    links: (id) => directoryObject(env, tenant).sessionLinks(id, undefined, LIMITS.access.linksPerSessionMax),
    removeSession: async (id) => (await sessionObject(env, tenant, id).remove()).ok,
    usage: (user, cursor) => lists.usageOfUser(user, cursor, rowsPerStep),
    forgetUser: (user) => lists.forgetUser(user),
    tell: (act) => auditObject(env, tenant).add([act]),
  }
}
