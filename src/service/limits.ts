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

function overBytes(max = 0): AppError {
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

interface ConnectionPorts extends Pick<ServicePorts, 'now' | 'report' | 'streamsAhead'> {
  tenant(name: string): Pick<TenantRules, 'openConnection' | 'renewConnection' | 'closeConnection'>
  config: Pick<ServicePorts['config'], 'quotas'>
}

/** A stream or socket that is counted. A stream says now and then that it is still there, whether or not anybody reads it. */
export interface OpenConnection {
  id: string
  close(): Promise<void>
}

const QUOTAS = { stream: 'streams_max', socket: 'sockets_max' } as const

/** Counts what is to be opened: a stream at the place that was taken ahead, if there is one. Null: there may be as many as there are. */
export async function openCounted(
  ports: ConnectionPorts,
  tenant: string,
  { kind, session }: { kind: 'stream' | 'socket'; session: string | null },
): Promise<Result<OpenConnection | null>> {
  const max = ports.config.quotas?.[QUOTAS[kind]]
  if (max === undefined) return ok(null)
  const ahead = kind === 'stream' ? usedAhead(ports, tenant) : null
  if (ahead !== null) return ok(streamOf(ports, tenant, ahead, { isAhead: true }))
  const id = newId('con', ports.now())
  if (await ports.tenant(tenant).openConnection({ id, kind, session }, max)) {
    return ok(kind === 'stream' ? streamOf(ports, tenant, id) : socketOf(ports, tenant, id))
  }
  const retryAfterMs = LIMITS.access.runRetryMs
  return fail({ code: 'rate_limited', what: `${kind}s of a tenant that are open at once`, max, retryAfterMs })
}

/** Counts the stream of a run before that begins, and takes a place ahead for the next one, which then waits for no answer of the tenant. */
export async function openRunStream(ports: ConnectionPorts, tenant: string): Promise<Result<OpenConnection | null>> {
  const opened = await openCounted(ports, tenant, { kind: 'stream', session: null })
  if (opened.ok && opened.value) void takeAhead(ports, tenant)
  return opened
}

/** One at a time, and only while less than half of the tenant's places are used: it is not there for others until it lapses. */
async function takeAhead(ports: ConnectionPorts, tenant: string): Promise<void> {
  const { now, streamsAhead, report } = ports
  const max = Math.floor((ports.config.quotas?.streams_max ?? 0) / 2)
  const until = now() + LIMITS.access.streamHeardMs - LIMITS.access.streamSignMs
  if (max === 0 || now() < (streamsAhead.get(tenant)?.until ?? 0)) return
  if (streamsAhead.size >= LIMITS.access.nearMax) streamsAhead.clear()
  streamsAhead.set(tenant, { id: null, until })
  const place = { id: newId('con', now()), kind: 'stream', session: null, isAhead: true } as const
  const isTaken = await ports.tenant(tenant).openConnection(place, max).catch(report)
  if (isTaken) streamsAhead.set(tenant, { id: place.id, until })
  else streamsAhead.delete(tenant)
}

function usedAhead({ streamsAhead, now }: ConnectionPorts, tenant: string): string | null {
  const ahead = streamsAhead.get(tenant)
  if (!ahead || ahead.id === null) return null
  streamsAhead.delete(tenant)
  return now() < ahead.until ? ahead.id : null
}

function socketOf(ports: ConnectionPorts, tenant: string, id: string): OpenConnection {
  return { id, close: () => ports.tenant(tenant).closeConnection(id).catch(ports.report) }
}

/** A reader who takes nothing for long still has the stream: so what is said of it does not wait for readers. */
function streamOf(ports: ConnectionPorts, tenant: string, id: string, { isAhead = false } = {}): OpenConnection {
  let renewed: Promise<void> = Promise.resolve()
  const renew = () => {
    renewed = ports.tenant(tenant).renewConnection(id).catch(ports.report)
  }
  if (isAhead) renew()
  const timer = setInterval(renew, LIMITS.access.streamSignMs)
  const close = async () => {
    clearInterval(timer)
    await renewed
    await ports.tenant(tenant).closeConnection(id).catch(ports.report)
  }
  return { id, close }
}
