import type { ModelWish } from './config.ts'
import type { FinishMode, SkillDefinition, SkillValue } from './skill.ts'
import type { BranchState } from './state.ts'
import type { TeamAction, TeamRole } from './team.ts'
import type { JsonSchema, Tool } from './tool.ts'

/** What one branch is given: who it is, its tools, its model, and how it ends. */
export interface Assignment {
  /** Who it is: the template of what takes the place of the role, or a member of a team; null: the session's character. */
  role:
    | { member: TeamRole }
    | { skill: Pick<SkillDefinition, 'name' | 'prompt' | 'inputs' | 'files'>; inputs: Record<string, SkillValue> }
    | null
  /** The action that is done as a part of its role's own plan. */
  part?: TeamAction
  /** The config by which its model is chosen. */
  model: ModelWish
  tools: readonly Tool[]
  /** Names of the tools that it is to be given, whether they are there or not; null: all that there are. */
  toolNames: readonly string[] | null
  finish: FinishMode
  /** Replies with calls after which the model is called once more, without tools; null: no bound of its own. */
  toolTurnsMax: number | null
  /** Calls after which the same holds. */
  toolCallsMax: number | null
  /** The answer is JSON that fits it. */
  outputSchema: JsonSchema | null
  /** A reply that says nothing is an output too. */
  mayBeEmpty: boolean
}

export type Bounds = Pick<Assignment, 'toolTurnsMax' | 'toolCallsMax'>
type Turns = Pick<BranchState, 'toolTurns' | 'toolCalls'>

/** Whether its tools are used up, so that the next reply is its output. */
export function isLastCall({ toolTurns, toolCalls }: Turns, { toolTurnsMax, toolCallsMax }: Bounds): boolean {
  return toolTurns >= (toolTurnsMax ?? Infinity) || toolCalls >= (toolCallsMax ?? Infinity)
}

/** Whether any reply that calls nothing is its output. `finish` ends it as well. */
export function endsByReply(scope: Turns, assignment: Bounds & Pick<Assignment, 'finish'>): boolean {
  return assignment.finish === 'no_call' || isLastCall(scope, assignment)
}
