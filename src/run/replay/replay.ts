import type { SessionConfig } from '../../domain/config.ts'
import { isKnownType, type SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SessionSkill } from '../../domain/skill.ts'
import { newState, type SessionState } from '../../domain/state.ts'
import { decide } from '../../orchestrators/decide.ts'
import { isNewCall } from '../../orchestrators/parallel.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { toolOf, type Engine } from '../../engine/engine.ts'
import { reduce } from '../../log/reduce/reduce.ts'
import { branchOf } from '../../log/branches.ts'
import { runView } from '../view.ts'
import { groupsOf, type Group } from './groups.ts'
import { firstFor, isSame, modelKey, type Recorded, recordedIn, toolKey, wordsOf } from './recorded.ts'

export interface Difference {
  seq: number
  runId: string | null
  /** What the log shows to have been decided; null: nothing, where today something would be done. */
  recorded: string | null
  /** What would be decided today; null: nothing. */
  now: string | null
  /** `config`: with the permissions and limits that the recorded decision shows it would be the same, and the session's config,
   *  whose earlier values are not in the log, may have been another then, or its tool is not known here. */
  cause: 'code' | 'config'
}

interface Replayed {
  /** Decisions that were compared. */
  decisions: number
  differences: Difference[]
}

/** What the recorded run was run with, as far as decisions look at it. */
export interface ReplaySetting {
  engine: Pick<Engine, 'config' | 'tools' | 'skills'>
  config: SessionConfig
  skill?: SessionSkill | null
  workers?: SessionRecord['workers']
  workerTeams?: SessionRecord['workerTeams'] | undefined
  /** The team that works in the session. */
  team?: SessionRecord['team'] | undefined
}

/** Decide again at every place of a log where its run decided, on the same view, and compare. Moves under way, the time and
 *  the need to summarise are derived from the log; events of types that are not known are passed over. Pure; throws on a log that
 *  cannot be folded. */
export function replay(log: readonly SessionEvent[], setting: ReplaySetting): Replayed {
  const events = log.filter(({ type }) => isKnownType(type))
  const walk = new Walk(events, setting)
  for (const group of groupsOf(events)) walk.step(group)
  return { decisions: walk.decisions, differences: walk.differences }
}

function argumentsIn(events: readonly SessionEvent[]): Map<string, Record<string, unknown>> {
  const calls = events.flatMap((event) => (event.type === 'message' ? (event.message.tool_calls ?? []) : []))
  return new Map(calls.map(({ id, arguments: args }) => [id, args]))
}

class Walk {
  decisions = 0
  readonly differences: Difference[] = []
  readonly #setting: ReplaySetting
  readonly #compactions: ReadonlySet<number>
  readonly #cutMoves: ReadonlySet<number>
  /** Seq of the last change of the config. */
  readonly #configuredSeq: number
  /** Keys of the moves under way, with the seq at which each began. */
  readonly #inFlight = new Map<string, number>()
  /** What each call was written with. */
  readonly #arguments: ReadonlyMap<string, Record<string, unknown>>
  /** Moves that today would be made while others are under way; whether they were recorded shows later. */
  #owed: { seq: number; move: Move }[] = []
  #state: SessionState = newState(0)
  #time = 0

  constructor(events: readonly SessionEvent[], setting: ReplaySetting) {
    this.#setting = setting
    this.#compactions = compactionsIn(events)
    this.#cutMoves = cutMovesIn(events)
    this.#arguments = argumentsIn(events)
    this.#configuredSeq = events.findLast(isConfigured)?.seq ?? 0
  }

  step(group: Group): void {
    const recorded = recordedIn(group, {
      state: this.#state,
      inFlight: this.#keys(),
      compactions: this.#compactions,
    })
    if (recorded) this.#compare(recorded, group)
    else if (isOutcome(group)) this.#owe(group.main)
    this.#note(recorded, group)
  }

  #compare(recorded: Recorded, { main }: Group): void {
    this.decisions++
    if (tellsOfRestart(recorded, this.#keys())) this.#dropCut()
    this.#owed = this.#owed.filter(({ move }) => !isSame(recorded, move))
    if (recorded.type === 'end' || recorded.type === 'wait' || recorded.type === 'rest') this.#collect(main, recorded)
    const times = [Date.parse(main.time), this.#time]
    if (times.some((now) => this.#decides(recorded, this.#view(recorded, now)))) return
    if (this.#isDead() && times.some((now) => this.#decides(recorded, this.#afterRestart(recorded, now))))
      return this.#dropCut()
    const [now = 0] = times
    const view = this.#view(recorded, now)
    const move = firstFor(recorded, decide(view))
    const excused = this.#mayExcuse(recorded, main.seq) && this.#decides(recorded, asRecorded(view, recorded))
    this.#differ(main, wordsOf(recorded), move ? wordsOf(move) : null, excused ? 'config' : 'code')
  }

  #keys(): Set<string> {
    return new Set(this.#inFlight.keys())
  }

  /** Whether nothing of what is under way comes to an end: its process may have died before this. */
  #isDead(): boolean {
    return this.#inFlight.size > 0 && [...this.#inFlight.values()].every((seq) => this.#cutMoves.has(seq))
  }

  /** A process died: what it had under way is not any more; what comes to an end was begun by the next. */
  #dropCut(): void {
    for (const [key, seq] of this.#inFlight) if (this.#cutMoves.has(seq)) this.#inFlight.delete(key)
  }

  #afterRestart(recorded: Recorded, now: number): RunView {
    return { ...this.#view(recorded, now), inFlight: new Set() }
  }

  #decides(recorded: Recorded, view: RunView): boolean {
    const move = firstFor(recorded, decide(view))
    return move !== undefined && isSame(recorded, move)
  }

  #view(recorded: Recorded | null, now: number): RunView {
    const { run } = this.#state
    if (!run) throw new Error('a decision is of a run')
    const { engine, config, skill = null, workers = {}, workerTeams = {}, team } = this.#setting
    return runView(run, {
      engine,
      record: { config, skill, workers, workerTeams, ...(team ? { team } : {}) },
      team: this.#state.team,
      now,
      inFlight: this.#keys(),
      mustCompact: () => recorded?.type === 'compact',
      argumentsOf: ({ id, edited }) => edited ?? this.#arguments.get(id) ?? {},
      tainted: this.#state.taint.length > 0,
      promptTakesTime: false,
    })
  }

  /** Nothing was begun before this outcome came; what would be today is owed. */
  #owe(main: SessionEvent): void {
    if (this.#state.run?.phase !== 'active' || this.#inFlight.size >= LIMITS.run.parallelMovesMax) return
    for (const move of decide(this.#view(null, this.#time)))
      // Nothing says that an output was on its way to the bus.
      if (move.type !== 'publish') this.#owed.push({ seq: main.seq, move })
  }

  /** Of calls that could be made at the same time, a bound leaves some unmade: those that were made first used it up. */
  #collect({ run_id: runId }: SessionEvent, recorded: Recorded): void {
    const isBound = recorded.type === 'rest' || (recorded.type === 'end' && recorded.finishReason === 'iteration_limit')
    for (const { seq, move } of this.#owed) {
      if (isBound && isNewCall(move)) continue
      this.differences.push({ seq, runId, recorded: null, now: wordsOf(move), cause: 'code' })
    }
    this.#owed = []
  }

  #mayExcuse(recorded: Recorded, seq: number): boolean {
    if (seq < this.#configuredSeq) return true
    if (!('callId' in recorded)) return false
    const calls = Object.values(this.#state.run?.scopes ?? {}).flatMap((scope) => scope.calls)
    const tool = calls.find(({ id }) => id === recorded.callId)?.tool
    return tool !== undefined && toolOf(this.#setting.engine, tool) === undefined
  }

  #differ(
    { seq, run_id: runId }: SessionEvent,
    recorded: string,
    now: string | null,
    cause: Difference['cause'],
  ): void {
    this.differences.push({ seq, runId, recorded, now, cause })
  }

  #note(recorded: Recorded | null, { events, main }: Group): void {
    if (main.type === 'model-end') this.#inFlight.delete(modelKey(main.scope))
    if (main.type === 'tool-end') this.#inFlight.delete(toolKey(main.call_id))
    if (main.type === 'run-start' || main.type === 'run-end') this.#inFlight.clear()
    if (main.type === 'run-start' || main.type === 'run-end' || main.type === 'run-pause') this.#owed = []
    if (recorded && 'key' in recorded) this.#inFlight.set(recorded.key, startIn(main, events))
    this.#state = reduce(this.#state, events)
    this.#time = Date.parse(main.time)
  }
}

/** The seq of the event that says that a move begins. */
function startIn(main: SessionEvent, events: readonly SessionEvent[]): number {
  return (events.find(({ type }) => type === 'model-start' || type === 'tool-start') ?? main).seq
}

function isOutcome({ main }: Group): boolean {
  return main.type === 'model-end' || main.type === 'tool-end'
}

/** A move that is begun again while it is under way, or given up: its process had died, and all that it had under way. */
function tellsOfRestart(recorded: Recorded, inFlight: ReadonlySet<string>): boolean {
  if ('key' in recorded) return inFlight.has(recorded.key)
  if (recorded.type === 'reject-call') return recorded.wasStarted
  return recorded.type === 'end' && recorded.code === 'attempts_exhausted'
}

/** The values of a config are not in the log, but each change of it is. */
function isConfigured(event: SessionEvent): boolean {
  return event.type === 'session-update' && event.fields.includes('config')
}

/** The view with the permission and the limits that a recorded decision shows. */
function asRecorded(view: RunView, recorded: Recorded): RunView {
  const { run, limits } = view
  const ended = recorded.type === 'end' ? recorded.code : null
  const permission = { ask: 'ask', 'call-tool': 'allow', 'reject-call': 'deny' } as const
  const shown = recorded.type in permission ? permission[recorded.type as keyof typeof permission] : null
  return {
    ...view,
    permission: (call) => ('callId' in recorded && recorded.callId === call.id && shown) || view.permission(call),
    limits: {
      ...limits,
      maxIterations: recorded.type === 'rest' ? run.batchIterations : Infinity,
      maxIterationsTotal: ended === 'iteration_limit' ? run.iterations : Infinity,
      errorsInARowMax: ended === 'stuck' ? branchOf(run, null).errorsInARow : Infinity,
      deadlineMs: ended === 'deadline' ? 0 : null,
    },
  }
}

/** Seqs of the model calls that were made to summarise. The log tells by what they wrote; where a call was cut, by what goes
 *  before it: a turn of the agent opens an iteration, and what is repeated is what was cut. */
function compactionsIn(events: readonly SessionEvent[]): Set<number> {
  const found = new Set<number>()
  const latest = new Map<string | null, boolean>()
  const wrote = new Map(
    events.flatMap((event) => (event.type === 'message' ? [[event.message.id, event.message.kind] as const] : [])),
  )
  events.forEach((event, at) => {
    if (event.type !== 'model-start' || event.purpose !== undefined) return
    const kind = wrote.get(event.message_id)
    const cut = event.attempt > 1 ? latest.get(event.scope) === true : events[at - 1]?.type !== 'iteration-start'
    const isCompaction = kind === undefined ? cut : kind === 'summary'
    latest.set(event.scope, isCompaction)
    if (isCompaction) found.add(event.seq)
  })
  return found
}

/** Seqs of the model calls and tool calls that were begun and never ended: their process died, or they were given up. */
function cutMovesIn(events: readonly SessionEvent[]): Set<number> {
  const open = new Map<string, number>()
  const cut = new Set<number>()
  for (const event of events) {
    const id = idOf(event)
    if (id === null) continue
    const begun = open.get(id)
    if (event.type === 'model-end' || event.type === 'tool-end') open.delete(id)
    else {
      if (begun !== undefined) cut.add(begun)
      open.set(id, event.seq)
    }
  }
  return new Set([...cut, ...open.values()])
}

function idOf(event: SessionEvent): string | null {
  if (event.type === 'model-start' || event.type === 'model-end') return event.message_id
  return event.type === 'tool-start' || event.type === 'tool-end' ? event.call_id : null
}
