import * as z from 'zod'
import { orchestratorName, type WhenBusy } from './run.ts'
import { sessionConfig } from './config.ts'
import type { AppError, Result } from './errors.ts'
import { LIMITS } from './limits.ts'
import { type NewSession, workflowInputs, workflowRef } from './session-input.ts'
import { teamInput } from './team.ts'
import { userName } from './path-name.ts'

const name = z.string().min(1).max(LIMITS.text.nameCharsMax)

/** What sessions that a trigger makes are made with. */
export const startShape = {
  skill: name.optional(),
  config: sessionConfig.optional(),
  orchestrator: orchestratorName.optional(),
  team: teamInput.optional(),
  workflow: workflowRef.optional(),
  /** What the workflow is given. Of a webhook its texts are templates. */
  inputs: workflowInputs.optional(),
  user: userName.optional(),
}

/** The same in a change: null takes it away. */
export const startPatchShape = {
  skill: name.nullable().optional(),
  config: sessionConfig.nullable().optional(),
  orchestrator: startShape.orchestrator.nullable().optional(),
  team: teamInput.nullable().optional(),
  workflow: workflowRef.nullable().optional(),
  inputs: workflowInputs.nullable().optional(),
  user: userName.nullable().optional(),
}

/** The same as it is shown. */
export const startViewShape = () => ({
  skill: z.string().nullable(),
  config: sessionConfig,
  orchestrator: orchestratorName.nullable(),
  team: teamInput.nullable(),
  workflow: z.string().nullable(),
  inputs: workflowInputs.nullable(),
  user: z.string().nullable(),
})

export type StartWith = Pick<NewSession, 'skill' | 'config' | 'orchestrator' | 'team' | 'workflow' | 'inputs' | 'user'>

/** A trigger of a workflow needs no words: without any it is given its inputs alone. */
export function hasWork({ words, workflow }: { words: string | undefined; workflow: string | undefined }): boolean {
  return words !== undefined || workflow !== undefined
}

export const WORK_MESSAGE = 'what is to be done; only with a workflow it may be left out'

/** The words of a trigger, and what its sessions are made with. */
export function triggeredWork(words: string | undefined, start: StartWith): { words: string; with: StartWith } {
  if (words !== undefined || start.workflow === undefined) return { words: words ?? '', with: start }
  return { words: start.workflow, with: { ...start, inputs: start.inputs ?? {} } }
}

/** How a trigger's task is given to its session. `key`: the same for every attempt. */
export interface StartOptions {
  /** Id of the trigger. */
  by: string
  key: string
  whenBusy: WhenBusy
  untrusted: boolean
}

/** A task, and what its workflow is given. */
export type TriggeredTask = Pick<NewSession, 'inputs'> & { task: string }

/** The sessions of a tenant, as triggers use them. */
export interface SessionStarts {
  /** Make a session and start its task; one that is there already takes the task as its next. Gives the run's id. */
  start(sessionId: string, input: NewSession & { task: string }, options: StartOptions): Promise<Result<string | null>>
  /** Give a task to a session that was made before; `not_found` when it is gone. */
  add(sessionId: string, said: TriggeredTask, options: StartOptions): Promise<Result<string | null>>
  /** Pending items of sessions that wait for a delivery of this key. */
  waitingFor(key: string): Promise<WaitingItem[]>
  /** Give a delivery to what waits for it. Gives the run's id. */
  deliver(item: WaitingItem, delivery: unknown, options: StartOptions): Promise<Result<string | null>>
  /** Whether a run of the session goes on at this moment. */
  isBusy(sessionId: string): Promise<boolean>
  /** `by`: id of the trigger. */
  cancel(sessionId: string, by: string): Promise<void>
}

/** A pending item, and whose it is. */
export interface WaitingItem {
  sessionId: string
  pendingId: string
}

/** What became of one time that a trigger fired. `pending`: its run is being started. */
export const FIRING_STATUSES = ['pending', 'started', 'ignored', 'skipped', 'missed', 'failed', 'refused'] as const
export type FiringStatus = (typeof FIRING_STATUSES)[number]

/** What came and what it did. */
export interface Firing {
  id: string
  trigger: string
  /** When it fired, Unix ms. */
  time: number
  status: FiringStatus
  sessionId: string | null
  runId: string | null
  /** Times that the same came again. */
  repeats: number
  facts: FiringFacts
}

/** What else there is to say. */
export interface FiringFacts {
  /** Why nothing was started, or not all is as it was meant. */
  reason?: string
  deliveryId?: string
  event?: string | null
  bytes?: number
  excerpt?: string
  sessionKey?: string | null
  /** What waited for it, and was given it instead of a run of its own. */
  woken?: WaitingItem[]
  /** Names in a template that nothing answered to. */
  missing?: string[]
  isTest?: true
  /** When it was due, Unix ms. */
  due?: number
  error?: AppError
}

/** What is to be done for a firing until its run is started. */
export interface StartWork {
  /** The trigger's own session that goes on, by its key; null: a session of its own. */
  thread: string | null
  input: NewSession & { task: string }
  whenBusy: WhenBusy
  untrusted: boolean
  /** The session that ran before, where a run of it is in the way, and what is done about it. */
  before?: { sessionId: string; policy: 'skip' | 'interrupt' }
}
