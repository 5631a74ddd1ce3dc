import { WrongKeys } from '../access/wrong-keys.ts'
import { LIMITS } from '../domain/limits.ts'
import { SECRET_CHARS_MIN } from '../lib/secret.ts'
import type { AuditTrail, PlaceAhead, ServicePorts, TenantRules } from '../service/ports.ts'
import { serverOf } from './engine.ts'
import { auditObject, directoryObject, type Env, sessionObject, placeFor } from './env.ts'
import { nearKeys } from './near-keys.ts'
import { failureOf, report } from './report.ts'
import { runningCalls } from './running-calls.ts'
import { secretOf } from './secret.ts'
import { TenantLists } from './tenant-lists.ts'

const wrongKeys = new WrongKeys()
const streamsAhead = new Map<string, PlaceAhead>()

/** The service at home on the platform: sessions, tenants and audits are objects. */
export function servicePorts(env: Env): ServicePorts {
  const { config, tokens } = serverOf(env)
  return {
    session: (tenant, id, locationHint) => sessionObject(env, tenant, id, locationHint),
    tenant: (name) => tenantRules(env, name),
    audit: (tenant) => auditTrail(env, tenant),
    nearKeys: (tenant, now) => nearKeys(env, tenant, now),
    listsSession: (tenant, id) => listsSession(env, tenant, id),
    config,
    place: placeFor(env),
    tokens,
    wrongKeys,
    streamsAhead,
    secret: () => secretOf(env),
    hasUsableSecret: !env.YAA_SECRET || env.YAA_SECRET.length >= SECRET_CHARS_MIN,
    apiKey: env.YAA_API_KEY ?? '',
    isLocal: env.YAA_LOCAL === '1',
    now: Date.now,
    report,
    failureOf: (error) => failureOf(error, env),
  }
}

/** What a tenant says of its keys, and of their places in progress, which its lists hear of wherever they are. */
function tenantRules(env: Env, tenant: string): TenantRules {
  const home = directoryObject(env, tenant)
  const lists = new TenantLists(env, tenant)
  return {
    admitKey: (hash) => home.admitKey(hash),
    takeRequest: (id, limits) => home.takeRequest(id, limits),
    takeFrame: (id) => home.takeFrame(id),
    holdsKey: (id) => home.holdsKey(id),
    openLink: (id, proof) => home.openLink(id, proof),
    ...runningCalls(env, tenant),
    enterThread: (request) => home.enterThread(request),
    leaveThread: (rest) => home.leaveThread(rest),
    leaseRun: (key, session, max) => lists.leaseRun(key, session, max),
    giveBackRun: (key, session) => lists.giveBackRun(key, session),
    takeSession: (id, max) => lists.takeSession(id, max),
    giveBackSession: (id) => lists.giveBackSession(id),
    keptBytes: () => lists.keptBytes(),
    openConnection: (connection, max) => home.openConnection(connection, max),
    renewConnection: (id) => home.renewConnection(id),
    closeConnection: (id) => home.closeConnection(id),
  }
}

/** Sessions that lists were found to have lately, as tenant and id. */
const listed = new Set<string>()

async function listsSession(env: Env, tenant: string, id: string): Promise<boolean> {
  const name = `${tenant}:${id}`
  if (listed.has(name)) return true
  const isListed = await new TenantLists(env, tenant).has(id)
  if (listed.size >= LIMITS.access.nearMax) listed.clear()
  if (isListed) listed.add(name)
  return isListed
}

/** The audit. What sessions told before goes first, so that what happens to one stands in its order. */
function auditTrail(env: Env, tenant: string): AuditTrail {
  // Where that cannot be, what happens now is told all the same.
  const inOrder = async () => new TenantLists(env, tenant).forwardActs().catch(report)
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
