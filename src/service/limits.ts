import type { Admission, RateStand } from '../domain/access.ts'
import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { newId } from '../lib/id.ts'
import { accountOfCaller, isMadeKey, isOver, type Principal } from './caller.ts'
import type { ServicePorts, TenantRules } from './ports.ts'

/** What a key may use: requests a minute, and sessions in progress; and what a tenant may have: sessions, what they keep, streams and sockets. */

type RatePorts = Pick<ServicePorts, 'tenant' | 'nearKeys' | 'now'>

/** Why a request is not taken now; null: it is. */
export function overRate(stand: RateStand | null): AppError | null {
  if (stand === null || stand.retryAfterMs === null) return null
  const { max, retryAfterMs } = stand
  return { code: 'rate_limited', what: 'requests of a key a minute', max, retryAfterMs }
}

/** Counts a request of a key that the config holds, or of a token; null: it has no limit. */
export async function countRequest(ports: RatePorts, principal: Principal): Promise<RateStand | null> {
  const { tenant, limits } = principal
  if (limits?.requests_per_minute === undefined) return null
  const now = ports.now()
  const id = accountOfCaller(principal)
  const counted = ports.nearKeys(tenant, now)?.takeFromMemory(configured(id), limits, now)
  return counted === undefined ? ports.tenant(tenant).takeRequest(configured(id), limits) : counted
}

/** Counts a request of a made key, by its hash; null: there is no such key. */
export async function countMadeKey(ports: RatePorts, tenant: string, hash: string): Promise<Admission | null> {
  const now = ports.now()
  const known = ports.nearKeys(tenant, now)?.admitFromMemory(hash, now)
  return known ?? ports.tenant(tenant).admitKey(hash)
}

/** Counts what somebody asks who was let in before. A key that was revoked, or whose requests of the minute are used up, does
 *  nothing any more. */
export async function countFrame(ports: RatePorts, principal: Principal): Promise<AppError | null> {
  if (isOver(principal, ports.now())) return { code: 'unauthorized' }
  if (!isMadeKey(principal)) return overRate(await countRequest(ports, principal))
  const stand = await ports.tenant(principal.tenant).takeFrame(principal.id)
  return stand === 'gone' ? { code: 'unauthorized' } : overRate(stand)
}

/** Keys of the config have buckets of their own names. */
function configured(id: string): string {
  return `config:${id}`
}

/** A place among the sessions in progress that a key may have. */
export interface RunLease {
  /** Not had before by the same session. */
  isNew: boolean
  giveBack(): Promise<void>
}

/** Takes a place for what is about to run, and gives it back where that started nothing; a session that runs gives it back itself when
 *  it rests. `of`: id of the session, or of what else runs. */
export async function leased<T extends { replayed?: boolean }>(
  ports: Pick<ServicePorts, 'tenant'>,
  principal: Principal,
  of: string,
  work: (lease: RunLease | null) => Promise<Result<T>>,
): Promise<Result<T>> {
  const lease = await take(ports, principal, of)
  if (!lease.ok) return lease
  let isStarted = false
  try {
    const done = await work(lease.value)
    isStarted = done.ok && !done.value.replayed
    return done
  } finally {
    if (!isStarted && lease.value?.isNew) await lease.value.giveBack()
  }
}

/** Null: there may be as many as there are. */
async function take(
  ports: Pick<ServicePorts, 'tenant'>,
  principal: Principal,
  of: string,
): Promise<Result<RunLease | null>> {
  const { tenant, limits } = principal
  const key = accountOfCaller(principal)
  const max = limits?.sessions_at_once
  if (max === undefined) return ok(null)
  const outcome = await ports.tenant(tenant).leaseRun(key, of, max)
  if (outcome === 'full') {
    const retryAfterMs = LIMITS.access.runRetryMs
    return fail({ code: 'rate_limited', what: 'sessions of a key in progress', max, retryAfterMs })
  }
  return ok({ isNew: outcome === 'taken', giveBack: () => ports.tenant(tenant).giveBackRun(key, of) })
}

interface RoomPorts {
  tenant(name: string): Pick<TenantRules, 'keptBytes'>
  config: Pick<ServicePorts['config'], 'quotas'>
}

/** Why the sessions of a tenant are to keep nothing more; null: there is room. */
export async function withoutRoom(ports: RoomPorts, tenant: string): Promise<AppError | null> {
  const max = ports.config.quotas?.bytes_max
  return max === undefined || (await ports.tenant(tenant).keptBytes()) < max ? null : overBytes(max)
}

export function overBytes(max = 0): AppError {
  return { code: 'too_many', what: "bytes of a tenant's sessions", max }
}

/** Makes a session within what its tenant may have. `isKnown`: it was made before, under the key of the same request. */
export async function withinQuota<T extends { replayed?: boolean }>(
  ports: Pick<ServicePorts, 'tenant' | 'config'>,
  tenant: string,
  id: string,
  { isKnown, make }: { isKnown: () => Promise<boolean>; make: () => Promise<Result<T>> },
): Promise<Result<T>> {
  const { sessions_max: sessions, bytes_max: bytes } = ports.config.quotas ?? {}
  if (sessions === undefined && bytes === undefined) return make()
  const taken = await ports.tenant(tenant).takeSession(id, { sessions, bytes })
  if (taken !== 'taken') {
    if (await isKnown()) return make()
    return fail(
      taken === 'bytes' ? overBytes(bytes) : { code: 'too_many', what: 'sessions of a tenant', max: sessions ?? 0 },
    )
  }
  let isMade = false
  try {
    const made = await make()
    isMade = made.ok && !made.value.replayed
    return made
  } finally {
    if (!isMade) await ports.tenant(tenant).giveBackSession(id)
  }
}

interface ConnectionPorts extends Pick<ServicePorts, 'now' | 'report' | 'streamsFull'> {
  tenant(name: string): Pick<TenantRules, 'openConnection' | 'renewConnection' | 'closeConnection'>
  config: Pick<ServicePorts['config'], 'quotas'>
}

/** A stream or socket that is counted. */
export interface OpenConnection {
  id: string
  /** It is still there; said again and again, this tells so now and then. */
  renew(): void
  close(): Promise<void>
}

const QUOTAS = { stream: 'streams_max', socket: 'sockets_max' } as const

/** Counts what is to be opened. Null: there may be as many as there are. */
export async function openCounted(
  ports: ConnectionPorts,
  tenant: string,
  { kind, session }: { kind: 'stream' | 'socket'; session: string | null },
): Promise<Result<OpenConnection | null>> {
  const max = ports.config.quotas?.[QUOTAS[kind]]
  if (max === undefined) return ok(null)
  const id = newId('con', ports.now())
  if (await ports.tenant(tenant).openConnection({ id, kind, session }, max)) return ok(connectionOf(ports, tenant, id))
  if (kind === 'stream') noteFull(ports, tenant)
  return fail(overConnections(kind, max))
}

/** Why no run begins whose answer is a stream: that its tenant has as many as it may was heard a moment ago. Null: it begins. Asks nobody. */
export function overStreams({ config, now, streamsFull }: ConnectionPorts, tenant: string): AppError | null {
  const max = config.quotas?.streams_max
  if (max === undefined || now() >= (streamsFull.get(tenant) ?? 0)) return null
  return overConnections('stream', max)
}

/** Counts the stream of a run that has begun, which waits for no answer of the tenant: where there are too many, that holds for those which come
 *  after it. Null: they are not counted. */
export function countStream(ports: ConnectionPorts, tenant: string, session: string | null): OpenConnection | null {
  if (ports.config.quotas?.streams_max === undefined) return null
  const opening = openCounted(ports, tenant, { kind: 'stream', session })
  const opened = opening.then((done) => (done.ok ? done.value : null)).catch(ports.report)
  return {
    id: '',
    renew: () => void opened.then((connection) => connection?.renew()),
    close: async () => (await opened)?.close(),
  }
}

function noteFull({ streamsFull, now }: ConnectionPorts, tenant: string): void {
  if (streamsFull.size >= LIMITS.access.nearMax) streamsFull.clear()
  streamsFull.set(tenant, now() + LIMITS.access.fullKeptMs)
}

function connectionOf(ports: ConnectionPorts, tenant: string, id: string): OpenConnection {
  let heardTime = ports.now()
  return {
    id,
    renew: () => {
      if (ports.now() - heardTime < LIMITS.access.streamSignMs) return
      heardTime = ports.now()
      void ports.tenant(tenant).renewConnection(id).catch(ports.report)
    },
    close: () => ports.tenant(tenant).closeConnection(id).catch(ports.report),
  }
}

function overConnections(kind: 'stream' | 'socket', max: number): AppError {
  const retryAfterMs = LIMITS.access.runRetryMs
  return { code: 'rate_limited', what: `${kind}s of a tenant that are open at once`, max, retryAfterMs }
}
