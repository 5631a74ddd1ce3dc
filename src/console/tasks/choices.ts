import type { NewSession } from '../../client/session-shapes.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'

/** How a task is to be done; empty: as the server does it by itself. */
export interface Choices {
  skill: string
  orchestrator: KnownOrchestrator | ''
  team: string
  model: string
  user: string
  iterations: string
  tokens: string
  minutes: string
  cost: string
  currency: string
  review: boolean
}

export const NO_CHOICES: Choices = {
  skill: '',
  orchestrator: '',
  team: '',
  model: '',
  user: '',
  iterations: '',
  tokens: '',
  minutes: '',
  cost: '',
  currency: '',
  review: false,
}

const MINUTE_MS = 60_000

/** The body of POST /v1/sessions. */
export function inputOf(task: string, choices: Choices): NewSession {
  const { skill, orchestrator, team, model, user, review } = choices
  const limits = limitsOf(choices)
  const config = {
    ...(model === '' ? {} : { model }),
    ...(review ? { plan: { review } } : {}),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  }
  return {
    task,
    ...(skill === '' ? {} : { skill }),
    ...(team === '' ? {} : { team }),
    ...(orchestrator === '' || team !== '' ? {} : { orchestrator }),
    ...(user.trim() === '' ? {} : { user: user.trim() }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  }
}

function limitsOf({ iterations, tokens, minutes, cost, currency }: Choices) {
  return {
    ...(iterations === '' ? {} : { max_iterations_total: Number(iterations) }),
    ...(tokens === '' ? {} : { max_total_tokens: Number(tokens) }),
    ...(minutes === '' ? {} : { deadline_ms: Number(minutes) * MINUTE_MS }),
    ...(cost === '' ? {} : { max_cost: { amount: Number(cost), currency } }),
  }
}
