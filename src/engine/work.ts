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

/** A task as it begins a run: its words, whom they are for, and what the run is given beside them. */
export type BegunTask = TeamMessageInput & Pick<NewMessageInput, 'inputs'>

/** Who does a branch: a worker, a member of a team with its action, or a worker of a member's plan; else the session. */
export interface Executor {
  worker: string | null
  /** The team of the member, and the worker whose it is; null: it is the session's. */
  team: TeamSpec | null
  crew: string | null
  member: TeamRole | null
  action: string | null
  /** It is a sub-task. */
  isPart: boolean
}

/** A sub-task that its worker is to begin. */
export interface GivenTask {
  branch: string
  worker: string
  skill: SkillDefinition
  /** Null: the plan is the run's own. */
  owner: string | null
  /** What it asks for. */
  content: string
  /** The workers of all sub-tasks of the run. */
  workers: readonly string[]
}

/** What whoever takes a sub-task writes with its start, beside its start. */
export interface TakenTask extends Outcome {
  bounds: TeamBounds
}

/** What a human wants of a sub-task. */
export type TaskAct = 'cancel' | 'retry'

/** Why what a run has open is closed. `copied`: a session is the copy of another, which decided nothing here; `copied-rest`: and its
 *  run does not go on. `left`: the run is over, and another begins. */
export type Closing = 'cancelled' | 'left' | 'copied' | 'copied-rest'

/** What a branch leaves: its output or null, and what is wrong with that. */
export interface BranchOutcome {
  result: string | null
  violations: string | null
  /** What the model ended it with; null: what there is comes of many, and none was asked to end it. */
  endedBy: EndedBy | null
  /** What can be done after it failed, where that is not what can be done after any failure of the kind. */
  hint?: string
  /** What is to be said of how it ended. */
  notes?: NewEvent[]
}

/** How far the newest run is. */
export type Progress = Required<Pick<SessionData, 'progress' | 'stage'>>

/** What a session shows of what an orchestrator keeps: of the session, and of a branch. */
export type SessionPart = Partial<Pick<SessionData, 'plan' | 'team' | 'workflow'>>

export type BranchPart = Partial<Pick<SessionData, 'plan'> & Pick<PlanTask, 'team'>>
