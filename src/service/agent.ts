import { ok, type Result } from '../domain/errors.ts'
import type { StatelessInput } from '../domain/session-input.ts'
import { runStateless, type StatelessAnswer, type StatelessPorts } from '../session/stateless.ts'
import { act, type Acted } from './act.ts'
import { accountOfCaller, answererOf, type Caller, deciderOf } from './caller.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { leased } from './limits.ts'
import type { ServicePorts } from './ports.ts'

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

export interface AgentDone {
  answer: StatelessAnswer
  replayed?: boolean
}

export type AgentPorts = Omit<
  StatelessPorts,
  'secret' | 'tenant' | 'payer' | 'origin' | 'by' | 'decider' | 'decided' | 'answerer' | 'rested'
>

/** The stateless call of seed 001, by the same rules as what is done for a session: nothing is left behind but its stored answer. */
export async function runAgent(
  ports: ServicePorts,
  runPorts: AgentPorts,
  caller: Caller,
  { form, id, ...asked }: AgentOrder,
): Promise<Result<Acted<AgentDone>>> {
  const { principal, payer = null, origin } = caller
  const decider = deciderOf(principal)
  const answerer = answererOf(principal)
  const order = { ...AGENT, ...asked, target: null, endOf: () => ({ status: 200 }) }
  return act(ports, caller, order, (input, { note }) =>
    leased<AgentDone>(ports, principal, id, async (lease) => {
      const rested = async () => await lease?.giveBack().catch((error) => ports.report(error))
      const given: StatelessPorts = {
        ...runPorts,
        secret: () => ports.secret(),
        tenant: principal.tenant,
        payer,
        by: accountOfCaller(principal),
        rested,
        decided: (decisions) => note({ decisions }),
        ...(origin ? { origin } : {}),
        ...(decider ? { decider } : {}),
        ...(answerer ? { answerer } : {}),
      }
      const answered = await runStateless(given, input, form)
      return answered.ok ? ok({ answer: answered.value }) : answered
    }),
  )
}
