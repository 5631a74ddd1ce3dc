import type { NewEvent } from '../../domain/event.ts'
import type { Move, TimedMove } from '../../engine/move.ts'
import { compactJob } from './compact.ts'
import type { Job, MoveContext, Outcome } from '../../engine/job.ts'
import { type Worker, workerOf } from '../../engine/worker/worker.ts'
import { modelJob } from './model.ts'
import { pendingEvent } from './pending.ts'
import { plannerJob } from './plan-call.ts'
import { promptJob } from './prompt.ts'
import { droppedEvents, endEvents, pauseEvents, promptEvents, warningEvents } from './quick.ts'
import { endTaskEvents, planPendingEvent, startTaskOutcome, takePlanOutcome } from './task.ts'
import { chooseActionJob } from './team-choice.ts'
import { publishJob } from './team-publish.ts'
import {
  askRoleEvents,
  endRoundEvents,
  endTurnEvents,
  promptRoleEvents,
  startActionEvents,
  startRoundEvents,
} from './team-round.ts'
import { toolJob } from './tool.ts'
import { answerEvents, rejectionEvents } from './unrun-call.ts'

/** A move that takes time, ready to be started. Who works in its branch is resolved here, once. */
export function jobOf(move: TimedMove, context: MoveContext): Job {
  if (move.type === 'publish') return publishJob(move, context)
  const worker = workerOf(context, move.scope)
  switch (move.type) {
    case 'call-model':
      return modelJob(move, worker, context)
    case 'prompt':
      return promptJob(move, worker, context)
    case 'call-planner':
      return plannerJob(move, worker, context)
    case 'choose-action':
      return chooseActionJob(move, worker, context)
    case 'compact':
      return compactJob(move, worker, context)
    case 'call-tool':
      return toolJob(move, worker, context)
  }
}

/** What is written of a move that takes no time worth speaking of. */
export async function outcomeOf(move: Exclude<Move, TimedMove>, context: MoveContext): Promise<NewEvent[] | Outcome> {
  switch (move.type) {
    case 'ask':
      return pendingEvent(move, context)
    case 'start-task':
      return startTaskOutcome(move, context)
    case 'ask-plan':
      return planPendingEvent(move, context)
    case 'take-plan':
      return takePlanOutcome(move, context)
    case 'note-dropped':
      return droppedEvents(move, context)
    case 'end-task':
      return endTaskEvents(move, context)
    case 'start-round':
      return startRoundEvents(move.scope, context)
    case 'end-round':
      return endRoundEvents(move.scope, context)
    case 'end-turn':
      return endTurnEvents(move.scope, context)
    case 'wait':
    case 'rest':
      return pauseEvents(context.journal, move.type)
    case 'end':
      return endEvents(move, context)
    default:
      return eventsOf(move, workerOf(context, move.scope), context)
  }
}

type WorkersMove = Extract<
  Exclude<Move, TimedMove>,
  { type: 'prompt' | 'warn' | 'reject-call' | 'answer-call' | 'start-action' | 'prompt-role' | 'ask-role' }
>

/** The same of a move that speaks for, or to, who works in its branch. */
function eventsOf(move: WorkersMove, worker: Worker, context: MoveContext): NewEvent[] {
  switch (move.type) {
    case 'prompt':
      return promptEvents(worker, context)
    case 'warn':
      return warningEvents(move, worker, context)
    case 'reject-call':
      return rejectionEvents(move, worker, context)
    case 'answer-call':
      return answerEvents(move, worker, context)
    case 'start-action':
      return startActionEvents(move.scope, worker, context)
    case 'prompt-role':
      return promptRoleEvents(move.scope, worker, context)
    case 'ask-role':
      return askRoleEvents(move.scope, worker, context)
  }
}

/** What a move that took time leaves, made when it is written. */
export function asOutcome(outcome: NewEvent[] | Outcome | (() => Outcome)): Outcome {
  if (typeof outcome === 'function') return outcome()
  return Array.isArray(outcome) ? { events: outcome } : outcome
}
