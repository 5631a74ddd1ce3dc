import type { StepInput } from '../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../src/domain/config.ts'
import type { PlanTask } from '../../src/domain/plan.ts'
import type { Asked } from './peers.ts'
import type { Play, Setting } from './play.ts'

/** What planners, workers and those who sum up say and are asked, in scripts of sessions that plan. */
export interface Entry {
  name?: string
  description: string
  depends_on?: number[]
}

/** A shipped skill that is a worker. */
export const READER = 'web-research'

export const entry = (given: string | Entry) => ({
  name: 'llm_tool',
  ...(typeof given === 'string' ? { description: given } : given),
})
/** A planner's answer; a text is work for the model itself. */
export const plan = (...entries: (string | Entry)[]) => JSON.stringify({ plan: entries.map(entry) })
export const reads = (description: string): Entry => ({ name: READER, description })
export const NOTHING_LEFT = plan()
/** How a plan ends: nothing is left, and the answer. */
export const LAST = [NOTHING_LEFT, '完'] as const

/** What a sub-task of this description answers. */
export const task = (description: string, content: string): StepInput => ({
  when: { last_contains: description },
  content,
})
/** The step of a request that holds this. */
export const said = (contains: string, step: StepInput): StepInput => ({
  when: { contains },
  ...(typeof step === 'string' ? { content: step } : step),
})
export const setting = (...script: StepInput[]): Setting => ({ script })

export const textOf = ({ body }: Asked): string => body.messages.map(({ content }) => content).join('\n')
export const isPlanner = (asked: Asked): boolean => textOf(asked).includes('"plan"')
export const tasksOf = async (play: Play): Promise<PlanTask[]> => (await play.session()).plan?.tasks ?? []
export const planned = (play: Play, { user, ...config }: SessionConfig & { user?: string } = {}) =>
  play.create({ orchestrator: 'plan', config, ...(user === undefined ? {} : { user }) })
