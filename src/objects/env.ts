import type { AuditApi, MetricsApi, DirectoryApi, MemoryApi, OutboxApi, SessionApi, TriggerApi } from './api.ts'

/** A class of Durable Objects as the Worker calls it. The platform's own types of RPC drop what plain data may hold. */
type Objects<Api> = Omit<DurableObjectNamespace, 'getByName'> & { getByName(name: string): DurableObjectStub & Api }

/** What the platform, or whoever starts the Worker locally, gives it. All texts are optional. */
export interface Env {
  SESSION: Objects<SessionApi>
  DIRECTORY: Objects<DirectoryApi>
  MEMORY: Objects<MemoryApi>
  TRIGGER: Objects<TriggerApi>
  /** The files of the pages, by their names. */
  ASSETS?: Fetcher
  AUDIT: Objects<AuditApi>
  METRICS: Objects<MetricsApi>
  OUTBOX: Objects<OutboxApi>
  /** Reaches private addresses; there in local use only. */
  PRIVATE_NETWORK?: Fetcher
  /** Workers AI. */
  AI?: { run(model: string, input: unknown, options?: unknown): Promise<unknown> }
  /** JSON text of the server's config; without it the bundled one. */
  YAA_CONFIG?: string
  /** JSON object: values of the environment variables that the config names. */
  YAA_SECRETS?: string
  /** The admin key of tenant `default`. */
  YAA_API_KEY?: string
  /** `1`: started for local use, so that without a key loopback is served. */
  YAA_LOCAL?: string
  /** A model of the Ollama that answers on this machine. */
  YAA_OLLAMA?: string
  [name: string]: unknown
}

/** The object of a session; objects are named by tenant and id. */
export function sessionObject(env: Env, tenant: string, id: string): SessionApi {
  return env.SESSION.getByName(`${tenant}:${id}`)
}

/** The memory of a tenant's user, named by both (a tenant's name holds no colon). The same letters are the same user, however they
 *  are encoded. */
export function memoryObject(env: Env, tenant: string, user: string): MemoryApi {
  return env.MEMORY.getByName(`${tenant}:${user.normalize('NFC')}`)
}

export function directoryObject(env: Env, tenant: string): DirectoryApi {
  return env.DIRECTORY.getByName(tenant)
}

export function auditObject(env: Env, tenant: string): AuditApi {
  return env.AUDIT.getByName(tenant)
}

export function triggerObject(env: Env, tenant: string): TriggerApi {
  return env.TRIGGER.getByName(tenant)
}

export function outboxObject(env: Env, tenant: string): OutboxApi {
  return env.OUTBOX.getByName(tenant)
}

export function metricsObject(env: Env, tenant: string): MetricsApi {
  return env.METRICS.getByName(tenant)
}
