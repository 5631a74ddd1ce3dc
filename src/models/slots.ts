import { LIMITS } from '../domain/limits.ts'
import type { ModelCall, ModelFailure, Models, ModelSpec } from '../domain/model.ts'
import type { Now, Sleep } from '../domain/ports.ts'
import { failureOf, thrownFailure } from './failure.ts'
import { callMsMax } from './retry.ts'

interface Clock {
  now: Now
  sleep: Sleep
}

/** A call under way. An object can be taken away in the middle of one: then its place is free `until` (Unix ms) is over. */
interface Lease {
  until: number
}

/** A call that waits, and when it last looked (Unix ms): one that looks no more is gone. */
interface Waiter {
  seen: number
}

interface Service {
  running: Set<Lease>
  waiting: Waiter[]
}

/** Models of which at most `maxConcurrency` calls a service (origin of the address) are under way in an isolate. Others wait
 *  in line, for the model's time-out at most. Models without such a limit are not counted. Who waits looks again and again:
 *  the object of one session cannot wake that of another. */
export function withSlots(models: Models, clock: Clock): Models {
  const services = new Map<string, Service>()
  return {
    call: async (call) => {
      const max = call.spec.maxConcurrency
      if (max === null) return models.call(call)
      const name = nameOf(call.spec)
      const service = services.get(name) ?? { running: new Set(), waiting: [] }
      services.set(name, service)
      const entered = await enter(service, max, call, clock)
      if ('code' in entered) return { ok: false, failure: entered }
      try {
        return await models.call(call)
      } finally {
        service.running.delete(entered)
        if (service.running.size + service.waiting.length === 0) services.delete(name)
      }
    },
  }
}

/** Resolves with the call's place once there is one, or with why there is none. */
async function enter(
  service: Service,
  max: number,
  { spec, signal }: ModelCall,
  { now, sleep }: Clock,
): Promise<Lease | ModelFailure> {
  const waiter = { seen: now() }
  const end = waiter.seen + spec.timeoutMs
  if (service.waiting.length >= LIMITS.model.waitingMax) return busy(max, 'too many wait already')
  service.waiting.push(waiter)
  try {
    while (!signal.aborted) {
      const lease = leaseFor(waiter, service, { max, now: now(), spec })
      if (lease) return lease
      if (now() >= end) return busy(max, `none ended within ${spec.timeoutMs} ms`)
      await sleep(Math.min(LIMITS.model.slotLookMs, end - now()), signal).catch(() => {})
    }
    return thrownFailure(null, true, false, spec.timeoutMs)
  } finally {
    service.waiting = service.waiting.filter((one) => one !== waiter)
  }
}

/** A place, if there is one and nobody waits longer; null: not yet. */
function leaseFor(
  waiter: Waiter,
  service: Service,
  { max, now, spec }: { max: number; now: number; spec: ModelSpec },
): Lease | null {
  waiter.seen = now
  service.waiting = service.waiting.filter(({ seen }) => now - seen <= LIMITS.model.slotLostMs)
  for (const lease of service.running) if (lease.until <= now) service.running.delete(lease)
  if (service.waiting[0] !== waiter || service.running.size >= max) return null
  const lease = { until: now + callMsMax(spec) }
  service.running.add(lease)
  return lease
}

function nameOf({ provider, apiUrl }: ModelSpec): string {
  return `${provider} ${URL.parse(apiUrl)?.origin ?? ''}`
}

function busy(max: number, why: string): ModelFailure {
  const detail = `${max} calls of the model service are under way (max_concurrency), and ${why}.`
  return failureOf('model_unavailable', detail)
}
