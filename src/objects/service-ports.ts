import { WrongKeys } from '../access/wrong-keys.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AppError } from '../domain/errors.ts'
import type { AuditTrail, ServicePorts } from '../service/ports.ts'
import { serverOf } from './engine.ts'
import { auditObject, directoryObject, type Env, sessionObject, placeFor } from './env.ts'
import { nearKeys } from './near-keys.ts'
import { isReset, report } from './report.ts'
import { secretOf } from './secret.ts'

const wrongKeys = new WrongKeys()

/** The service at home on the platform: sessions, tenants and audits are objects. */
export function servicePorts(env: Env): ServicePorts {
  const { config, tokens } = serverOf(env)
  return {
    session: (tenant, id, locationHint) => sessionObject(env, tenant, id, locationHint),
    tenant: (name) => directoryObject(env, name),
    audit: (tenant) => auditTrail(env, tenant),
    nearKeys: (tenant, now) => nearKeys(env, tenant, now),
    listsSession: (tenant, id) => listsSession(env, tenant, id),
    config,
    place: placeFor(env),
    tokens,
    wrongKeys,
    secret: () => secretOf(env),
    apiKey: env.YAA_API_KEY ?? '',
    isLocal: env.YAA_LOCAL === '1',
    now: Date.now,
    report,
    failureOf,
  }
}

/** Sessions that lists were found to have lately, as tenant and id. */
const listed = new Set<string>()

async function listsSession(env: Env, tenant: string, id: string): Promise<boolean> {
  const name = `${tenant}:${id}`
  if (listed.has(name)) return true
  const isListed = await directoryObject(env, tenant).lists(id)
  if (listed.size >= LIMITS.access.nearMax) listed.clear()
  if (isListed) listed.add(name)
  return isListed
}

/** The audit. What sessions told before goes first, so that what happens to one stands in its order. */
function auditTrail(env: Env, tenant: string): AuditTrail {
  // Where that cannot be, what happens now is told all the same.
  const inOrder = async () => directoryObject(env, tenant).forwardActs(tenant).catch(report)
  return {
    open: (fact) => auditObject(env, tenant).open(fact),
    close: async (id, fact) => {
      if (fact) await inOrder()
      await auditObject(env, tenant).close(id, fact)
    },
    record: async (fact) => {
      await inOrder()
      await auditObject(env, tenant).record(fact)
    },
    refuse: async (fact) => {
      await inOrder()
      return auditObject(env, tenant).refuse(fact)
    },
  }
}

/** What whoever called is told of a throw: the platform took an object away, or it is a bug. */
export function failureOf(error: unknown): AppError {
  return { code: isReset(error) ? 'unavailable' : 'internal_error' }
}
