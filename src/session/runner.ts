import type { NewEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { RunState } from '../domain/state.ts'
import { decide } from '../orchestrators/decide.ts'
import type { Move, RunView, TimedMove } from '../orchestrators/move.ts'
import { isActive } from './state.ts'
import type { Job, MoveContext, Outcome } from './moves/job.ts'
import { compactJob, mustCompact } from './moves/compact.ts'
import { modelJob } from './moves/model.ts'
import { pendingEvent } from './moves/pending.ts'
import { droppedEvents, endEvents, pauseEvents, promptEvents, warningEvents } from './moves/quick.ts'
import { answerEvents, refusalEvents, toolJob } from './moves/tool.ts'
import { runView } from './view.ts'

interface UnderWay {
  abort: AbortController
  done: Promise<void>
}

/** Drives a run: decide → append the start → perform → append the end, until it rests. One driver a session. */
export class Runner {
  readonly #context: MoveContext
  readonly #compacts: boolean
  readonly #underWay = new Map<string, UnderWay>()

  /** `compacts`: whether older messages may be summarised. */
  constructor(context: MoveContext, { compacts }: { compacts: boolean }) {
    this.#context = context
    this.#compacts = compacts
  }

  /** True while moves are under way, also those of a run that already rests. */
  get busy(): boolean {
    return this.#underWay.size > 0
  }

  /** Stop what is under way; outcomes that still come are dropped. */
  abort(reason: string): void {
    for (const { abort } of this.#underWay.values()) abort.abort(new DOMException(reason, 'AbortError'))
    this.#underWay.clear()
  }

  /** Go on until the run rests or `until` (Unix ms) is over; then no new move is started. */
  async drive(until: number): Promise<void> {
    const { journal } = this.#context
    for (;;) {
      const moves = isActive(journal.state) && journal.now() < until ? this.#next() : []
      for (const move of moves) if (isActive(journal.state)) await this.#make(move)
      if (moves.length > 0) continue
      if (this.#underWay.size === 0) return
      await Promise.race([...this.#underWay.values()].map(({ done }) => done))
    }
  }

  #next(): Move[] {
    const { run } = this.#context.journal.state
    return run ? decide(this.#view(run)).slice(0, this.#free()) : []
  }

  #free(): number {
    return Math.max(0, LIMITS.run.parallelMovesMax - this.#underWay.size)
  }

  #view(run: RunState): RunView {
    const { journal, engine } = this.#context
    return runView(run, {
      engine,
      record: journal.record,
      now: journal.now(),
      inFlight: new Set(this.#underWay.keys()),
      mustCompact: () => this.#compacts && mustCompact(this.#context),
    })
  }

  async #make(move: Move): Promise<void> {
    if ('key' in move) return this.#start(move)
    const events = move.type === 'ask' ? await pendingEvent(move, this.#context) : quickEvents(move, this.#context)
    if (isActive(this.#context.journal.state)) this.#context.journal.append(events)
    if (move.type === 'end') this.abort('the run ended')
  }

  #start(move: TimedMove): void {
    const { journal } = this.#context
    const job = jobOf(move, this.#context)
    if (job.end) return this.#endBy(job.end)
    journal.append(job.begin)
    const abort = new AbortController()
    const deadline = this.#abortAtDeadline(abort)
    const done = this.#finish(job, abort.signal).finally(() => {
      clearTimeout(deadline)
      if (this.#underWay.get(move.key)?.abort === abort) this.#underWay.delete(move.key)
    })
    this.#underWay.set(move.key, { abort, done })
  }

  /** A move is cut when the run's time is over; its outcome is dropped, and what comes next is the end. */
  #abortAtDeadline(abort: AbortController): ReturnType<typeof setTimeout> | undefined {
    const { run } = this.#context.journal.state
    const view = run && this.#view(run)
    if (!view || view.limits.deadlineMs === null) return undefined
    const leftMs = Math.min(view.limits.deadlineMs - view.activeMs, LIMITS.run.timerMsMax)
    return setTimeout(() => abort.abort(new DOMException('the deadline of the run', 'AbortError')), Math.max(0, leftMs))
  }

  #endBy({ code, detail }: { code: string; detail?: string }): void {
    const finishReason = code === 'budget_exhausted' ? code : 'failed'
    const { journal } = this.#context
    journal.append(endEvents({ type: 'end', status: 'failed', finishReason, code }, this.#context, detail))
  }

  async #finish(job: Job & { end?: undefined }, signal: AbortSignal): Promise<void> {
    const outcome = await job.work(signal)
    if (signal.aborted || !job.isCurrent()) return
    const { events, texts } = asOutcome(outcome)
    this.#context.journal.append(events, texts ? { texts } : {})
  }
}

function jobOf(move: TimedMove, context: MoveContext): Job {
  if (move.type === 'call-model') return modelJob(move, context)
  return move.type === 'compact' ? compactJob(move, context) : toolJob(move, context)
}

function quickEvents(move: Exclude<Move, TimedMove | { type: 'ask' }>, context: MoveContext): NewEvent[] {
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
    case 'wait':
    case 'rest':
      return pauseEvents(context.journal, move.type)
    case 'end':
      return endEvents(move, context)
  }
}

function asOutcome(outcome: NewEvent[] | Outcome): Outcome {
  return Array.isArray(outcome) ? { events: outcome } : outcome
}
