import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure, ModelOutcome, Models } from '../domain/model.ts'
import type { Now } from '../domain/ports.ts'
import { callMsMax } from './retry.ts'

interface Circuit {
  failures: number
  /** Unix ms until which nothing is asked; 0: closed. */
  openUntil: number
  /** Unix ms until which a probe may be under way; 0: none is. An object can be taken away in the middle of one. */
  probeUntil: number
}

/** Failures that say something of the service, not of what it was asked. */
const COUNTED: ReadonlySet<ModelFailure['code']> = new Set([
  'model_unreachable',
  'model_timeout',
  'model_rate_limited',
  'model_unavailable',
])

/** Models behind a circuit breaker each, by alias and address, for all sessions of an isolate: after `breakerFailuresMax` failures in a
 *  row an alias is not asked for `breakerOpenMs`, then by one probe. Source: M. Nygard, "Release It!", Circuit Breaker. */
export function withBreakers(models: Models, now: Now): Models {
  const circuits = new Map<string, Circuit>()
  return {
    call: async (call) => {
      const { alias, apiUrl } = call.spec
      const name = `${alias} ${apiUrl}`
      const circuit = circuits.get(name) ?? { failures: 0, openUntil: 0, probeUntil: 0 }
      keep(circuits, name, circuit)
      if (isOpen(circuit, now())) return { ok: false, failure: openFailure(circuit.openUntil - now()) }
      if (circuit.openUntil > 0) circuit.probeUntil = now() + callMsMax(call.spec)
      const outcome = await models.call(call)
      note(circuit, outcome, now())
      if (outcome.ok) circuits.delete(name)
      return outcome
    },
  }
}

/** Clients bring addresses of their own: only so many are remembered, the newest. */
function keep(circuits: Map<string, Circuit>, name: string, circuit: Circuit): void {
  circuits.set(name, circuit)
  const [oldest] = circuits.keys()
  if (circuits.size > LIMITS.model.circuitsMax && oldest !== undefined) circuits.delete(oldest)
}

function isOpen({ openUntil, probeUntil }: Circuit, time: number): boolean {
  return time < openUntil || time < probeUntil
}

function note(circuit: Circuit, outcome: ModelOutcome, time: number): void {
  const failed = !outcome.ok && COUNTED.has(outcome.failure.code)
  const { breakerFailuresMax, breakerOpenMs } = LIMITS.model
  circuit.probeUntil = 0
  if (outcome.ok) Object.assign(circuit, { failures: 0, openUntil: 0 })
  if (failed) circuit.failures++
  if (failed && circuit.failures >= breakerFailuresMax) circuit.openUntil = time + breakerOpenMs
}

function openFailure(leftMs: number): ModelFailure {
  return {
    code: 'model_unavailable',
    status: null,
    detail: 'The model failed too often lately and is left alone for a moment.',
    retryable: true,
    retryAfterMs: Math.max(0, leftMs),
    toolsRefused: false,
  }
}
