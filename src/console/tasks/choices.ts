import type { SessionInput } from '../../client/sessions.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'

/** How a task is to be done; empty: as the server does it by itself. */
export interface Choices {
  skill: string
  orchestrator: KnownOrchestrator | ''
  team: string
  workflow: string
  /** What the workflow is given. */
  inputs: Readonly<Record<string, unknown>>
  model: string
  user: string
  iterations: string
  tokens: string
  minutes: string
  cost: string
  currency: string
  review: boolean
  small: boolean
}

export const NO_CHOICES: Choices = {
  skill: '',
  orchestrator: '',
  team: '',
  workflow: '',
  inputs: {},
  model: '',
  user: '',
  iterations: '',
  tokens: '',
  minutes: '',
  cost: '',
  currency: '',
  review: false,
  small: false,
}

/** What of it is there again for the next task. */
export function keptChoices({ skill, orchestrator, team, workflow, model }: Choices): Choices {
  return { ...NO_CHOICES, skill, orchestrator, team, workflow, model }
}

/** Whether any of it was set that is no chip. */
export function hasOptions(choices: Choices): boolean {
  const { user, iterations, tokens, minutes, cost, review, small } = choices
  return review || small || [user, iterations, tokens, minutes, cost].some((value) => value !== '')
}

const MINUTE_MS = 60_000

/** The body of POST /v1/sessions. `titles`: who names the session. */
export function begunTaskInput(task: WrittenContent, choices: Choices, titles: 'task' | 'model'): SessionInput {
  const { model, user, review, small } = choices
  const limits = limitsOf(choices)
  const config = {
    ...(model === '' ? {} : { model }),
    ...(titles === 'task' || task === '' ? {} : { titles }),
    ...(review ? { plan: { review } } : {}),
    ...(small ? { tools_preset: 'small' as const } : {}),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  }
  return {
    ...workOf(task, choices),
    ...(user.trim() === '' ? {} : { user: user.trim() }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  }
}

/** The task, and who does it how. A workflow is its own way; its inputs may be all that there is to say. */
function workOf(task: WrittenContent, { skill, orchestrator, team, workflow, inputs }: Choices): SessionInput {
  if (workflow !== '') {
    if (task === '') return { workflow, inputs, task: JSON.stringify(inputs) }
    return { workflow, task, ...(Object.keys(inputs).length === 0 ? {} : { inputs }) }
  }
  return {
    task,
    ...(skill === '' ? {} : { skill }),
    ...(team === '' ? {} : { team }),
    ...(orchestrator === '' || team !== '' ? {} : { orchestrator }),
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
