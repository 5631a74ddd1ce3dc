import { fail, ok, type Result } from '../domain/errors.ts'
import type { StatelessInput } from '../domain/session-input.ts'
import { runStateless, type StatelessAnswer, type StatelessPorts } from '../session/stateless.ts'
import type { KeptAnswer } from '../store/claims.ts'
import { recorded } from './audit.ts'
import type { Caller } from './caller.ts'
import { type IdempotencyKey, storedAnswer } from './idempotency.ts'
import { leased } from './lease.ts'
import type { ServicePorts } from './ports.ts'
import { lacks } from './scope.ts'

/** What the call asks of its caller. */
export const AGENT = { scope: 'run', action: 'agent.run' } as const

/** A run over a session that its caller keeps. */
export interface AgentOrder {
  /** Names the run among those that a key has in progress. */
  id: string
  idempotency: IdempotencyKey | null
  read: () => Promise<Result<StatelessInput>>
  form: 'wait' | 'stream'
}

/** An answer that was stored, else one of now: it is to be stored under the key, if there is one. */
export type AgentDone =
  | { replayed: true; stored: KeptAnswer }
  | { replayed: false; answer: StatelessAnswer; key: string | null }

export type AgentPorts = Omit<StatelessPorts, 'tenant' | 'payer' | 'origin' | 'rested'>

/** The stateless call of seed 001, by the same rules as what is done for a session: nothing is left behind but its stored answer. */
export async function runAgent(
  ports: ServicePorts,
  runPorts: AgentPorts,
  caller: Caller,
  { id, idempotency, read, form }: AgentOrder,
): Promise<Result<AgentDone>> {
  const { principal, payer = null, origin } = caller
  const { tenant } = principal
  const about = { action: AGENT.action, target: null }
  return recorded<AgentDone>(ports, caller, about, { at: 'both', statusOf: () => 200 }, async () => {
    const lacking = lacks(principal, AGENT.scope)
    if (lacking) return fail(lacking)
    const stored = await storedAnswer(ports, caller, idempotency)
    if (!stored.ok) return stored
    if (stored.value.outcome === 'again') return ok({ replayed: true, stored: stored.value.answer })
    const { key } = stored.value
    let isAnswered = false
    try {
      const done = await work()
      isAnswered = done.ok
      return done.ok ? ok({ ...done.value, key }) : done
    } finally {
      if (!isAnswered && key !== null) await ports.tenant(tenant).release(key)
    }
  })

  async function work() {
    const input = await read()
    if (!input.ok) return input
    return leased(ports, principal, id, async (lease) => {
      const rested = async () => await lease?.giveBack().catch((error) => ports.report(error))
      const given = { ...runPorts, tenant, payer, rested, ...(origin ? { origin } : {}) }
      const answered = await runStateless(given, input.value, form)
      return answered.ok ? ok({ replayed: false as const, answer: answered.value }) : answered
    })
  }
}
