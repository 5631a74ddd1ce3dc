import type { NewEvent } from '../../domain/event.ts'
import type { Move, TimedMove } from '../../orchestrators/move.ts'
import { compactJob } from './compact.ts'
import type { Job, MoveContext, Outcome } from '../job.ts'
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
import { answerEvents, refusalEvents } from './unrun-call.ts'

/** A move that takes time, ready to be started. */
export function jobOf(move: TimedMove, context: MoveContext): Job {
  if (move.type === 'call-model') return modelJob(move, context)
  if (move.type === 'prompt') return promptJob(move, context)
  if (move.type === 'call-planner') return plannerJob(move, context)
  if (move.type === 'choose-action') return chooseActionJob(move, context)
  if (move.type === 'publish') return publishJob(move, context)
  return move.type === 'compact' ? compactJob(move, context) : toolJob(move, context)
}

/** What is written of a move that takes no time worth speaking of. */
export async function outcomeOf(move: Exclude<Move, TimedMove>, context: MoveContext): Promise<NewEvent[] | Outcome> {
  if (move.type === 'ask') return pendingEvent(move, context)
  if (move.type === 'start-task') return startTaskOutcome(move, context)
  if (move.type === 'ask-plan') return planPendingEvent(move, context)
  return move.type === 'take-plan' ? takePlanOutcome(move, context) : quickEvents(move, context)
}

type QuickMove = Exclude<Move, TimedMove | { type: 'ask' | 'ask-plan' | 'start-task' | 'take-plan' }>

function quickEvents(move: QuickMove, context: MoveContext): NewEvent[] {
  switch (move.type) {
    case 'prompt':
      return promptEvents(move, context)
    case 'warn':
      return warningEvents(move, context)
    case 'note-dropped':
      return droppedEvents(move, context)
    case 'refuse-call':
      return refusalEvents(move, context)
    case 'answer-call':
      return answerEvents(move, context)
    case 'end-task':
      return endTaskEvents(move, context)
    case 'start-round':
      return startRoundEvents(move.scope, context)
    case 'end-round':
      return endRoundEvents(move.scope, context)
    case 'start-action':
      return startActionEvents(move.scope, context)
    case 'prompt-role':
      return promptRoleEvents(move.scope, context)
    case 'ask-role':
      return askRoleEvents(move.scope, context)
    case 'end-turn':
      return endTurnEvents(move.scope, context)
    case 'wait':
    case 'rest':
      return pauseEvents(context.journal, move.type)
    case 'end':
      return endEvents(move, context)
  }
}

/** What a move that took time leaves, made when it is written. */
export function asOutcome(outcome: NewEvent[] | Outcome | (() => Outcome)): Outcome {
  if (typeof outcome === 'function') return outcome()
  return Array.isArray(outcome) ? { events: outcome } : outcome
}
