import serverConfigFile from '#server-config'
import { type Jurisdiction, jurisdictionOf, type Place, place } from '../domain/place.ts'
import { countSubrequest } from './subrequests.ts'
import { memberOf } from '../lib/json.ts'
import type {
  AuditApi,
  MetricsApi,
  DirectoryApi,
  MemoryApi,
  McpSessionApi,
  OutboxApi,
  SessionApi,
  TriggerApi,
} from './api.ts'

/** A class of Durable Objects as the Worker calls it. The platform's own types of RPC drop what plain data may hold. */
type Objects<Api> = Omit<DurableObjectNamespace, 'get' | 'getByName' | 'jurisdiction'> & {
  get(id: DurableObjectId): DurableObjectStub & Api
  getByName(name: string, options?: DurableObjectNamespaceGetDurableObjectOptions): DurableObjectStub & Api
  jurisdiction(jurisdiction: Jurisdiction): Objects<Api>
}

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
  MCP_SESSION: Objects<McpSessionApi>
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
  /** What marks ids, keys and proofs: at least 32 random characters; without it an object keeps one. */
  YAA_SECRET?: string
  /** What the secrets of tenants are encrypted with: at least 32 random characters; and the one before it, which still opens. */
  YAA_SECRETS_KEY?: string | null
  YAA_SECRETS_KEY_BEFORE?: string | null
  /** `1`: started on a machine of one's own: it is served by that machine's names, and has no places. */
  YAA_LOCAL?: string
  /** `1`: the door for MCP clients offers what the conformance suite of the protocol looks for. */
  YAA_CONFORMANCE?: string
  /** What who starts the server proves itself with when it has it take up the sessions that were open when the one before ended. Absent: nobody
   *  will. */
  YAA_TAKE_UP?: string | null
  /** A model of the Ollama that answers on this machine. */
  YAA_OLLAMA?: string
  [name: string]: unknown
}

/** The object of a session; objects are named by tenant and id, and kept where the id says. `locationHint`: where it is made, if it is
 *  made now. */
export function sessionObject(
  env: Env,
  tenant: string,
  id: string,
  locationHint: Place['location_hint'] = placeFor(env)?.location_hint,
): SessionApi {
  const jurisdiction = placeFor(env) === null ? null : jurisdictionOf(id)
  return objectIn(env.SESSION, `${tenant}:${id}`, jurisdiction, locationHint)
}

/** The memory of a tenant's user, named by both (a tenant's name holds no colon). The same letters are the same user, however they
 *  are encoded. */
export function memoryObject(env: Env, tenant: string, user: string): MemoryApi {
  return tenantObject(env, env.MEMORY, `${tenant}:${user.normalize('NFC')}`)
}

export function directoryObject(env: Env, tenant: string): DirectoryApi {
  return tenantObject(env, env.DIRECTORY, tenant)
}

export function auditObject(env: Env, tenant: string): AuditApi {
  return tenantObject(env, env.AUDIT, tenant)
}

/** An older part of a tenant's audit (a tenant's name holds no colon). */
export function auditPart(env: Env, tenant: string, n: number): AuditApi {
  return tenantObject(env, env.AUDIT, `${tenant}:${n}`)
}

export function triggerObject(env: Env, tenant: string): TriggerApi {
  return tenantObject(env, env.TRIGGER, tenant)
}

export function outboxObject(env: Env, tenant: string): OutboxApi {
  return tenantObject(env, env.OUTBOX, tenant)
}

/** The session of an MCP client, named by tenant and id. */
export function mcpSessionObject(env: Env, tenant: string, id: string): McpSessionApi {
  return tenantObject(env, env.MCP_SESSION, `${tenant}:${id}`)
}

export function metricsObject(env: Env, tenant: string): MetricsApi {
  return tenantObject(env, env.METRICS, tenant)
}

/** What a tenant has is where the server says. */
function tenantObject<Api>(env: Env, objects: Objects<Api>, name: string): Api {
  const { jurisdiction, location_hint: locationHint } = placeFor(env) ?? {}
  return objectIn(objects, name, jurisdiction, locationHint)
}

function objectIn<Api>(
  objects: Objects<Api>,
  name: string,
  jurisdiction: Jurisdiction | null | undefined,
  locationHint: Place['location_hint'],
): Api {
  countSubrequest()
  const within = jurisdiction ? objects.jurisdiction(jurisdiction) : objects
  return locationHint ? within.getByName(name, { locationHint }) : within.getByName(name)
}

let known: { config: string | undefined; place: Place } | null = null

/** Where the server keeps what it makes; null: it was started on one machine, which has no places. */
export function placeFor({ YAA_LOCAL: local, YAA_CONFIG: config }: Env): Place | null {
  if (local === '1') return null
  if (known === null || known.config !== config) {
    const whole: unknown = config ? JSON.parse(config) : serverConfigFile
    known = { config, place: place.parse(memberOf(whole, 'place') ?? {}) }
  }
  return known.place
}
