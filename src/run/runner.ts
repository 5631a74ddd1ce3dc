import { branchesAbove, type RunState, type SessionState } from '../domain/state.ts'
import { LIMITS } from '../domain/limits.ts'
import type { RecordHead } from '../domain/log-record.ts'
import type { Move, RunView, TimedMove } from '../engine/move.ts'
import { mustCompact } from './steps/compact.ts'
import type { Job, Outcome } from '../engine/job.ts'
import type { MoveContext } from '../engine/engine.ts'
import { argumentsOf } from '../engine/open.ts'
import { asOutcome, StepTable } from './steps/perform.ts'
import { endEvents } from './steps/end.ts'
import { mustLoadMemory } from './steps/prompt.ts'
import { withMemory } from '../engine/prompt/user.ts'
import { mustLoadSkills } from '../engine/prompt/role.ts'
import { sleep } from '../lib/wait.ts'
import { branchOfCall, isActive } from '../log/branches.ts'
import type { Journal } from '../log/journal.ts'
import { TITLE_BRANCH, TITLE_KEY, withTitle } from './titling.ts'
import { runView } from './view.ts'

type StartableJob = Job & { end?: undefined }

/** A move that is being performed. */
interface UnderWay {
  /** The branch of the move, and the branches that this one is a part of. */
  branches: readonly string[]
  abort: AbortController
  done: Promise<void>
}

/** Whether as many events were written since a state as one transaction should hold. */
function isMuch({ state }: Pick<Journal, 'state'>, since: SessionState): boolean {
  return state.lastSeq - since.lastSeq >= LIMITS.run.eventsTogetherMax
}

interface RunnerOptions {
  /** Whether older messages may be summarised. */
  compacts: boolean
  /** Called before the runner waits for a move to end, because it can start no other. */
  beforeWait: () => void
  /** Called after each such wait. The runner waits for the promise that it gives, if any. */
  afterWait: () => Promise<unknown> | null
}

/** Makes the moves of a run until it rests: decide → append the start → perform → append the end. A session has one runner. */
export class Runner {
  readonly #context: MoveContext
  readonly #steps: StepTable
  readonly #compacts: boolean
  readonly #beforeWait: () => void
  readonly #afterWait: () => Promise<unknown> | null
  readonly #underWay = new Map<string, UnderWay>()
  #poke: () => void = () => {}
  /** Whether no new move is to be started. */
  #isOver: () => boolean = () => true
  /** A question that has to be answered before the next move can be made, such as whether a budget has room; null: there is none. */
  #asking: Promise<void> | null = null

  constructor(context: MoveContext, { compacts, beforeWait, afterWait }: RunnerOptions) {
    this.#context = context
    this.#steps = new StepTable(context)
    this.#compacts = compacts
    this.#beforeWait = beforeWait
    this.#afterWait = afterWait
  }

  /** True while moves are under way, even if their run already rests. */
  get busy(): boolean {
    return this.#underWay.size > 0
  }

  /** Abort all moves that are under way. Their outcomes are dropped. */
  abort(reason: string): void {
    for (const { abort } of this.#underWay.values()) abort.abort(new DOMException(reason, 'AbortError'))
    this.#underWay.clear()
  }

  /** Abort the moves of one branch, and of those that are parts of it. */
  abortBranch(scope: string): void {
    for (const [key, { abort, branches }] of this.#underWay) {
      if (!branches.includes(scope)) continue
      abort.abort(new DOMException('cancelled', 'AbortError'))
      this.#underWay.delete(key)
    }
    this.poke()
  }

  /** A command has written to the log: decide again. */
  poke(): void {
    this.#poke()
  }

  /** Make moves until the run rests. Once `isOver` is true, no new move is started. */
  async drive(isOver: () => boolean): Promise<void> {
    const { journal } = this.#context
    this.#isOver = isOver
    for (;;) {
      const known = journal.state
      journal.together(() => this.#makeAll())
      while (this.#asking) await this.#answered(this.#asking)
      if (isMuch(journal, known)) await sleep(0)
      if (journal.state !== known) continue
      if (this.#underWay.size === 0) return
      this.#beforeWait()
      const poked = new Promise<void>((resolve) => (this.#poke = resolve))
      await Promise.race([poked, ...[...this.#underWay.values()].map(({ done }) => done)])
      const renewing = this.#afterWait()
      if (renewing) await renewing
    }
  }

  /** Wait for the answer to a question, or for its failure. */
  async #answered(asking: Promise<void>): Promise<void> {
    try {
      await asking
    } finally {
      this.#asking = null
    }
  }

  #inFlight(): RecordHead {
    return this.busy ? { in_flight: [...this.#underWay.keys()] } : {}
  }

  #free(): number {
    return Math.max(0, LIMITS.run.parallelMovesMax - this.#underWay.size)
  }

  #view(run: RunState): RunView {
    const { journal, engine } = this.#context
    return runView(run, {
      engine,
      record: journal.record,
      state: journal.state,
      now: journal.now(),
      inFlight: new Set(this.#underWay.keys()),
      mustCompact: () => this.#compacts && mustCompact(this.#context),
      argumentsOf: (call) => argumentsOf(this.#context, branchOfCall(run, call), call),
      tainted: journal.state.taint.length > 0,
      mustLoadMemory: !engine.orchestrators.get(run.orchestrator).hasPrompt && mustLoadMemory(this.#context, null),
      promptTakesTime: (scope) => mustLoadMemory(this.#context, scope) || mustLoadSkills(this.#context, scope),
    })
  }

  /** Make moves until none can be made, a question has to be answered first, or enough was written for one transaction. After each move the next
   *  one is decided anew, so that every move was decided on the whole log before it. */
  #makeAll(): void {
    const { journal } = this.#context
    const first = journal.state
    for (let known: SessionState | null = null; known !== journal.state && this.#mayMake();) {
      if (isMuch(journal, first)) return
      known = journal.state
      this.#makeFirst(known)
    }
  }

  #mayMake(): boolean {
    const { journal } = this.#context
    return this.#asking === null && isActive(journal.state) && !this.#isOver()
  }

  /** Decide, and make the first move that can be made. */
  #makeFirst(known: SessionState): void {
    const { engine } = this.#context
    if (!known.run) return
    const view = this.#view(known.run)
    const { decide } = engine.orchestrators.get(known.run.orchestrator)
    let isOver = false
    const own = decide({ ...view, mustCompact: () => (isOver = view.mustCompact()) })
    const moves = withTitle(withMemory(own, view), view).slice(0, this.#free())
    const given: RecordHead = { ...this.#inFlight(), ...(isOver ? { must_compact: true } : {}) }
    const asking = this.#makeOneOf(moves, given, known)
    if (!asking) return
    this.#asking = asking
    // `drive` handles a rejection, but may begin to wait a moment later.
    asking.catch(() => {})
  }

  /** Make the first of these moves that can be made. A promise: a question has to be answered first. */
  #makeOneOf(moves: readonly Move[], given: RecordHead, known: SessionState): Promise<void> | undefined {
    const { journal } = this.#context
    for (const [index, move] of moves.entries()) {
      // Something was written: the other moves were decided on an older state.
      if (journal.state !== known) return undefined
      const asking = this.#make(move, { move, ...given })
      if (asking)
        return asking.then(() => journal.together(() => this.#makeOneOf(moves.slice(index + 1), given, known)))
    }
    return undefined
  }

  #make(move: Move, made: RecordHead): Promise<void> | undefined {
    const { journal } = this.#context
    if ('key' in move) return this.#start(move, made)
    const known = journal.state
    const write = ({ events, ends, ...extras }: Outcome) => {
      if (journal.state !== known) return
      journal.append(events, extras, made)
      if (move.type === 'end') this.abort('the run ended')
      for (const branch of ends ?? []) this.abortBranch(branch)
    }
    const outcome = this.#steps.settle(move)
    if (outcome instanceof Promise) return outcome.then(write)
    write(outcome)
    return undefined
  }

  /** Begin a move that takes time, if it can be made and the budgets of tenant, user and key have room for it. */
  #start(move: TimedMove, made: RecordHead): Promise<void> | undefined {
    const { journal } = this.#context
    const known = journal.state
    const job = this.#steps.prepare(move)
    const begin = (end: { code: string; detail?: string } | null) => {
      if (end && !this.#mayFitLater(move, end)) this.#refuse(move, end, made)
      if (!job.end && !end) this.#begin(move, job, made)
    }
    if (job.end || !job.reservation) {
      begin(job.end ?? null)
      return undefined
    }
    const { reservation } = job
    return reservation.ask().then((refused) => {
      if (journal.state === known) return begin(refused)
      // Something was written meanwhile: the move is not made, and its reservation is released.
      return refused ? undefined : reservation.giveBack()
    })
  }

  #begin(move: TimedMove, job: StartableJob, made: RecordHead): void {
    const { journal } = this.#context
    const outcome = job.runSync?.() ?? null
    if (outcome) {
      const { events, ...extras } = outcome
      return journal.append([...job.begin, ...events], extras, made)
    }
    journal.append(job.begin, {}, made)
    const abort = new AbortController()
    const deadline = this.#abortAtDeadline(abort)
    const isOver = () => {
      clearTimeout(deadline)
      if (this.#underWay.get(move.key)?.abort === abort) this.#underWay.delete(move.key)
    }
    // Begins after the present transaction, which writes the start of the move.
    const done = Promise.resolve()
      .then(() => this.#finish(move, job, abort.signal, isOver))
      .finally(isOver)
    const { run } = journal.state
    this.#underWay.set(move.key, { abort, done, branches: run ? branchesAbove(run, move.scope) : [] })
  }

  /** Abort a move when the deadline of its run comes. Its outcome is dropped; the next decision ends the run. */
  #abortAtDeadline(abort: AbortController): ReturnType<typeof setTimeout> | undefined {
    const { run } = this.#context.journal.state
    const view = run && this.#view(run)
    if (!view || view.limits.deadlineMs === null) return undefined
    const leftMs = Math.min(view.limits.deadlineMs - view.activeMs, LIMITS.run.timerMsMax)
    return setTimeout(() => abort.abort(new DOMException('the deadline of the run', 'AbortError')), Math.max(0, leftMs))
  }

  /** Whether a move that was refused may fit once other moves have ended: they reserve more than they will spend. */
  #mayFitLater({ scope }: TimedMove, { code }: { code: string }): boolean {
    const { journal, engine } = this.#context
    const { run } = journal.state
    const isBesideTitle = scope !== TITLE_BRANCH && code === 'budget_exhausted' && this.#underWay.has(TITLE_KEY)
    const may = run !== null && engine.orchestrators.all.some(({ mayFitLater }) => mayFitLater?.(run, scope, code))
    return isBesideTitle || (may && this.busy)
  }

  /** End the run of a move that cannot be made, or only its branch, so that other branches finish. A title that cannot be made ends no run. */
  #refuse({ scope }: TimedMove, end: { code: string; detail?: string }, made: RecordHead): void {
    const { journal, engine } = this.#context
    const { run } = journal.state
    const endsAlone =
      scope === TITLE_BRANCH ||
      (run !== null && scope !== null && engine.orchestrators.all.some((one) => one.endsAlone?.(run, scope, end.code)))
    if (endsAlone) journal.append([{ type: 'call-refused', scope, ...end }], {}, made)
    else this.#endBy(end, made)
  }

  #endBy({ code, detail }: { code: string; detail?: string }, made: RecordHead): void {
    const finishReason = code === 'budget_exhausted' ? code : 'failed'
    const { journal } = this.#context
    journal.append(endEvents({ type: 'end', status: 'failed', finishReason, code }, this.#context, detail), {}, made)
    this.abort('the run ended')
  }

  /** Do the work of a move and write its outcome. The move is taken off the list before that, so that no decision sees its outcome while it is still
   *  under way. The record of the outcome names the move as its end; or as its only record, if nothing was written at its start. The next
   *  moves are begun in the same transaction. */
  async #finish(move: TimedMove, job: StartableJob, signal: AbortSignal, isOver: () => void): Promise<void> {
    // The transaction that wrote its start may have been lost.
    if (signal.aborted || !job.isCurrent()) return job.reservation?.giveBack()
    const outcome = await job.work(signal)
    if (signal.aborted || !job.isCurrent()) return
    const { journal } = this.#context
    journal.together(() => {
      const { events, ...extras } = asOutcome(outcome)
      isOver()
      const made: RecordHead = { move, ...(job.begin.length > 0 ? { ends: true } : this.#inFlight()) }
      journal.append(events, extras, made)
      this.#makeAll()
    })
  }
}
