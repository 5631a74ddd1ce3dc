import type { NewEvent } from '../../domain/event.ts'
import type { MoveContext, Orchestrator, Step, StepContext, Steps } from '../../engine/engine.ts'
import type { Job, Outcome, ToollessCall } from '../../engine/job.ts'
import type { Move, TimedMove } from '../../engine/move.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { modelFailure } from '../../models/failure.ts'
import { unseenCalls } from '../provenance/taint.ts'
import { compactJob } from './compact.ts'
import { failureEvents, modelCall, settledEvents, TOOLLESS } from './model-call.ts'
import { modelJob } from './model.ts'
import { handOutEvents, pendingEvent } from './pending.ts'
import { memoryJob, promptEvents, promptJob } from './prompt.ts'
import { endEvents, pauseEvents } from './end.ts'
import { answerEvents, droppedEvents, rejectionEvents, warningEvents } from './rejected-call.ts'
import { hookJob } from './tool-hook.ts'
import { titleJob } from './title.ts'
import { toolJob } from './tool.ts'
import { protocolOf } from './request.ts'

/** A run's own moves. Who works in a branch is resolved when the move begins, once. */
const STEPS = {
  prompt: {
    prepare: (move, context) => promptJob(move, workerOf(context, move.scope), context),
    settle: ({ scope }, context) => promptEvents(workerOf(context, scope), context),
  },
  'load-memory': { prepare: (_, context) => memoryJob(workerOf(context, null), context) },
  'call-model': { prepare: (move, context) => modelJob(move, workerOf(context, move.scope), context) },
  compact: { prepare: (move, context) => compactJob(move, workerOf(context, move.scope), context) },
  title: { prepare: titleJob },
  'call-hook': { prepare: hookJob },
  'call-tool': { prepare: (move, context) => toolJob(move, workerOf(context, move.scope), context) },
  'reject-call': { settle: (move, context) => rejectionEvents(move, workerOf(context, move.scope), context) },
  'answer-call': { settle: (move, context) => answerEvents(move, workerOf(context, move.scope), context) },
  'hand-out': { settle: handOutEvents },
  ask: { settle: pendingEvent },
  warn: { settle: (move, context) => warningEvents(move, workerOf(context, move.scope), context) },
  'note-dropped': { settle: droppedEvents },
  wait: { settle: (_, { journal }) => pauseEvents(journal, 'wait') },
  rest: { settle: (_, { journal }) => pauseEvents(journal, 'rest') },
  end: { settle: (move, context) => endEvents(move, context) },
} satisfies Steps

/** The one table of steps: those of a run, and those that orchestrators bring. */
export class StepTable {
  readonly #context: StepContext
  #parts: readonly Orchestrator[] = []
  #known: Readonly<Record<string, Step<Move> | undefined>> = {}

  constructor(context: MoveContext) {
    this.#context = {
      ...context,
      modelCall: (call, choice) => modelCall(callFor(call, context), choice, context),
      unseenCalls: (calls) => unseenCalls(calls, context),
    }
  }

  /** Orchestrators may have been loaded since the last move. */
  get #steps() {
    const { all } = this.#context.engine.orchestrators
    if (this.#parts !== all) this.#known = Object.assign({}, ...all.map(({ steps }) => steps), STEPS)
    this.#parts = all
    return this.#known
  }

  /** A move that takes time, ready to be started. */
  prepare(move: TimedMove): Job {
    const job = this.#steps[move.type]?.prepare?.(move, this.#context)
    if (!job) throw new Error(`no step takes the time of ${move.type}`)
    return job
  }

  /** What is written of a move that takes no time worth speaking of. */
  settle(move: Exclude<Move, TimedMove>): Outcome | Promise<Outcome> {
    const outcome = this.#steps[move.type]?.settle?.(move, this.#context)
    if (!outcome) throw new Error(`no step writes ${move.type}`)
    return outcome instanceof Promise ? outcome.then(asOutcome) : asOutcome(outcome)
  }
}

function callFor(call: ToollessCall, context: MoveContext): Parameters<typeof modelCall>[0] {
  const { scope, attempt, purpose, isHeard, request, settle } = call
  return {
    ...TOOLLESS,
    scope,
    attempt,
    ...(purpose ? { purpose } : {}),
    heard: isHeard ? 'text' : 'nothing',
    iterates: true,
    say: (spec) => ({ protocol: protocolOf(spec, context), request: request(spec) }),
    settle: ({ used }, reply) =>
      settle(reply, {
        messageId: used.messageId,
        ended: () => settledEvents(used, reply, context),
        failed: (detail) => failureEvents(used, modelFailure('model_bad_answer', detail)),
      }),
  }
}

/** What a move that took time leaves, made when it is written. */
export function asOutcome(outcome: NewEvent[] | Outcome | (() => Outcome)): Outcome {
  if (typeof outcome === 'function') return outcome()
  return Array.isArray(outcome) ? { events: outcome } : outcome
}
