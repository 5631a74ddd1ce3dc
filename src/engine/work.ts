import type { NewEvent, TeamBounds } from '../domain/event.ts'
import type { PlanTask } from '../domain/plan.ts'
import type { EndedBy } from '../domain/run.ts'
import type { SessionData } from '../domain/session.ts'
import type { NewMessageInput } from '../domain/session-input.ts'
import type { SessionSkill, SkillDefinition } from '../domain/skill.ts'
import type { TeamMessageInput, TeamRole, TeamSpec } from '../domain/team.ts'
import type { WorkflowSpec } from '../domain/workflow.ts'
import type { Outcome } from './job.ts'

/** A tenant, or whoever of it a session works for. */
export interface TenantParty {
  tenant: string
  user: string | null
}

/** Who a session is made with. */
export interface Cast {
  skill?: SessionSkill | null
  team?: TeamSpec | null
  workflow?: WorkflowSpec
  /** Skills that do parts of it. */
  workers?: Readonly<Record<string, SkillDefinition>>
}

/** A task as it begins a run: its words, the roles of a team that they are for, and the inputs of a workflow. */
export type BegunTask = TeamMessageInput & Pick<NewMessageInput, 'inputs'>

/** Who works in a branch: a worker, a member of a team with its action, or a worker of a member's plan; else the session. */
export interface Executor {
  worker: string | null
  /** The team that the member belongs to, where that is the team of a worker; null: it is the session's. */
  team: TeamSpec | null
  /** The worker whose team that is. */
  crew: string | null
  member: TeamRole | null
  action: string | null
  /** The branch is a sub-task. */
  isPart: boolean
}

/** A sub-task that an orchestrator is asked to take, because its worker is a skill which runs by that orchestrator. */
export interface GivenTask {
  branch: string
  worker: string
  skill: SkillDefinition
  /** The role whose plan it is a part of; null: the plan is the run's own. */
  owner: string | null
  /** The task in words. */
  content: string
  /** The workers of all sub-tasks of the run. */
  workers: readonly string[]
}

/** What an orchestrator that takes a sub-task appends together with its `task-start`. */
export interface TakenTask extends Outcome {
  bounds: TeamBounds
}

/** What a human wants of a sub-task. */
export type TaskAct = 'cancel' | 'retry'

/** Why everything that a run has open is closed. `copied`: the session was imported, and what was decided in the other one does not count here.
 *  `copied-rest`: besides, its run does not go on. `left`: the run is over, and another begins. */
export type Closing = 'cancelled' | 'left' | 'copied' | 'copied-rest'

/** The output of a branch, or null, and what is wrong with it. */
export interface BranchOutcome {
  result: string | null
  violations: string | null
  /** How the model gave it: by `finish` or by a reply. Null: there is none, or no single model gave it. */
  endedBy: EndedBy | null
  /** What a person can do after this failure, in the place of the hint for all failures of its code. */
  hint?: string
  /** Further events about how it ended. */
  notes?: NewEvent[]
}

/** How far the newest run is. */
export type Progress = Required<Pick<SessionData, 'progress' | 'stage'>>

/** What clients see of an orchestrator's part in a session. */
export type SessionPart = Partial<Pick<SessionData, 'plan' | 'team' | 'workflow'>>

/** The same of its part in a branch. */
export type BranchPart = Partial<Pick<SessionData, 'plan'> & Pick<PlanTask, 'team'>>
