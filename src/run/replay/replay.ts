import type { SessionConfig } from '../../domain/config.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { LoggedMove, LogRecord } from '../../domain/log-record.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SessionSkill } from '../../domain/skill.ts'
import { newState, type OpenCall, type SessionState } from '../../domain/state.ts'
import type { Move, RunView } from '../../engine/move.ts'
import type { ExecutionContext } from '../../engine/engine.ts'
import { toolOf } from '../../engine/settings.ts'
import { canonicalJson } from '../../lib/hash.ts'
import { textOf } from '../../lib/text.ts'
import { withMemory } from '../../engine/prompt/user.ts'
import { branchOf } from '../../log/branches.ts'
import type { Permission } from '../../domain/tool.ts'
import { clientToolsBeside } from '../../tools/client/tool.ts'
import { ClientTools } from '../setup/client-tools.ts'
import { withTitle } from '../titling.ts'
import { runView } from '../view.ts'

export interface Difference {
  seq: number
  runId: string | null
  /** What the log says that was decided. */
  recorded: string
  /** What would be decided today; null: nothing. */
  now: string | null
  /** `config`: with the permissions and limits that the recorded move shows it would be the same, and the session's config, whose
   *  earlier values are not in the log, may have been another then, or its tool is not known here. */
  cause: 'code' | 'config'
}

interface Replayed {
  /** Decisions that were compared. */
  decisions: number
  /** Events before the first record: a release wrote them that kept no moves. */
  unrecorded: number
  differences: Difference[]
}

/** A log, and what its records say. */
export interface RecordedLog {
  events: readonly SessionEvent[]
  records: readonly LogRecord[]
}

/** What the recorded run was run with, as far as decisions look at it. */
export interface ReplaySetting {
  engine: ExecutionContext['engine']
  config: SessionConfig
  skill?: SessionSkill | null
  workers?: SessionRecord['workers']
  workerTeams?: SessionRecord['workerTeams'] | undefined
  /** The team that works in the session. */
  team?: SessionRecord['team'] | undefined
}

/** Decide again at every record of a log that a decision made, and compare with the move that it says. The end of a move that has a
 *  start is its outcome and decides nothing. Pure; throws on a log that cannot be reduced. */
export function replay({ events: recorded, records }: RecordedLog, given: ReplaySetting): Replayed {
  const events = recorded.map(believed)
  const { reduce } = given.engine.orchestrators
  const log = { events: (after: number, limit: number) => events.slice(after, after + limit) }
  const client = new ClientTools(() => ({ state, log }), clientToolsBeside)
  const setting = { ...given, engine: withClientTools(given.engine, client) }
  const whole = { setting, written: argumentsIn(events), configuredSeq: events.findLast(isConfigured)?.seq ?? 0 }
  const differences: Difference[] = []
  let decisions = 0
  let state = newState(0)
  for (const record of records) {
    const { seq, ends } = record
    const move = record.move && inTodaysWords(record.move)
    const first = events[seq - 1]
    if (!move || ends || !first) continue
    state = reduce(state, events.slice(state.lastSeq, seq - 1))
    decisions++
    const times = [first, events[seq - 2] ?? first].map(({ time }) => Date.parse(time))
    const difference = differenceAt({ ...whole, state, record, move, times })
    if (difference) differences.push({ seq, runId: first.run_id, ...difference })
  }
  reduce(state, events.slice(state.lastSeq))
  return { decisions, unrecorded: (records[0]?.seq ?? events.length + 1) - 1, differences }
}

/** The engine with the tools that the caller of the run had where it is decided. */
function withClientTools(engine: ReplaySetting['engine'], client: ClientTools): ReplaySetting['engine'] {
  return {
    ...engine,
    get tools() {
      return client.beside(engine.tools)
    },
  }
}

/** What earlier releases called why a run ends. */
const RENAMED: Readonly<Record<string, string>> = { going_in_circles: 'loop' }

function inTodaysWords(move: LoggedMove): LoggedMove {
  const code = move.type === 'end' ? RENAMED[textOf(move['code'])] : undefined
  return code === undefined ? move : { ...move, code }
}

/** Nothing is run here, so what a log says that was decided is believed, whoever wrote the log. */
function believed(event: SessionEvent): SessionEvent {
  return event.type === 'pending-end' && !event.by ? { ...event, by: { kind: 'server', id: 'replay' } } : event
}

/** Where something was decided. */
interface Place {
  setting: ReplaySetting
  /** What each call was written with. */
  written: ReadonlyMap<string, Record<string, unknown>>
  /** Of the last change of the config; 0: there is none. */
  configuredSeq: number
  /** Before the record. */
  state: SessionState
  record: LogRecord
  move: LoggedMove
  /** It was decided between these, Unix ms. */
  times: readonly number[]
}

function argumentsIn(events: readonly SessionEvent[]): Map<string, Record<string, unknown>> {
  const calls = events.flatMap((event) => (event.type === 'message' ? (event.message.tool_calls ?? []) : []))
  return new Map(calls.map(({ id, arguments: args }) => [id, args]))
}

/** The values of a config are not in the log, but each change of it is. */
function isConfigured(event: SessionEvent): boolean {
  return event.type === 'session-update' && event.fields.includes('config')
}

function differenceAt(place: Place): Pick<Difference, 'recorded' | 'now' | 'cause'> | null {
  const { move, times } = place
  const views = times.flatMap((now) => viewAt(place, now) ?? [])
  if (views.some((view) => gives(place, view, move))) return null
  const [view] = views
  const now = view && decide(place, view).find((one) => !('scope' in one) || one.scope === move['scope'])
  const isExcused = view !== undefined && mayExcuse(place) && gives(place, asRecorded(view, place), move)
  return { recorded: wordsOf(move), now: now ? wordsOf(now) : null, cause: isExcused ? 'config' : 'code' }
}

function decide({ setting }: Place, view: RunView): Move[] {
  return withTitle(withMemory(setting.engine.orchestrators.get(view.run.orchestrator).decide(view), view), view)
}

function gives(place: Place, view: RunView, move: LoggedMove): boolean {
  const wanted = canonicalJson(move)
  return decide(place, view).some((one) => canonicalJson(one) === wanted)
}

/** What decide looked at; null: there was no run. */
function viewAt({ setting, written, state, record, move }: Place, now: number): RunView | null {
  const { engine, config, skill = null, workers = {}, workerTeams = {}, team } = setting
  if (!state.run) return null
  // A prompt that takes time is written once it is there, when the time of its request may be over.
  const mustLoadMemory = move.type === 'load-memory'
  const isLate = mustLoadMemory || (move.type === 'prompt' && 'key' in move)
  return runView(isLate ? { ...state.run, phase: 'active' } : state.run, {
    engine,
    record: { config, skill, workers, workerTeams, ...(team ? { team } : {}) },
    state,
    now,
    inFlight: new Set(record.in_flight),
    mustCompact: () => record.must_compact === true,
    argumentsOf: ({ id, edited }) => edited ?? written.get(id) ?? {},
    tainted: state.taint.length > 0,
    promptTakesTime: () => isLate,
    mustLoadMemory,
  })
}

/** The config may have been another then, or names a tool that is not known here. */
function mayExcuse({ setting, state, record, move, configuredSeq }: Place): boolean {
  if (record.seq < configuredSeq) return true
  const calls = Object.values(state.run?.scopes ?? {}).flatMap((scope) => scope.calls)
  const call = calls.find(({ id }) => id === move['callId'])
  return call !== undefined && isUnknown(call, setting)
}

function isUnknown({ tool }: OpenCall, { engine }: ReplaySetting): boolean {
  return toolOf(engine, tool) === undefined
}

const SHOWN: Readonly<Record<string, Permission>> = {
  ask: 'ask',
  'call-tool': 'allow',
  'hand-out': 'allow',
  'reject-call': 'deny',
}

/** The view with the permission and the limits that a recorded move shows: itself, since orchestrators within others hold on to it. */
function asRecorded(view: RunView, { move: { type, callId, code }, setting }: Place): RunView {
  const { run, limits } = view
  const own = { ...view }
  const ended = type === 'end' ? code : null
  const isLateTask = type === 'end-task' && code === 'task_timeout'
  return Object.assign<RunView, Partial<RunView>>(view, {
    permission: (call) => (callId === call.id ? SHOWN[type] : undefined) ?? own.permission(call),
    isIdempotent: (call) =>
      (callId === call.id && type === 'call-tool' && isUnknown(call, setting)) || own.isIdempotent(call),
    limits: {
      ...limits,
      maxIterations: type === 'rest' ? run.batchIterations : Infinity,
      maxIterationsTotal: ended === 'iteration_limit' ? run.iterations : Infinity,
      errorsInARowMax: ended === 'stuck' ? branchOf(run, null).errorsInARow : Infinity,
      deadlineMs: ended === 'deadline' ? 0 : null,
      taskTimeoutMs: isLateTask ? 0 : null,
    },
  })
}

/** A move in a few words. */
function wordsOf({ type, scope, attempt, refusal, problem, ...move }: LoggedMove): string {
  const asides = [move['purpose'], attempt ? `attempt ${textOf(attempt)}` : '', codeIn(refusal), codeIn(problem)]
  const words = [type, move['callId'], move['status'], move['finishReason']].map(textOf)
  const inBrackets = [...asides, move['code']].map(textOf).flatMap((aside) => (aside ? [`(${aside})`] : []))
  return [...words, ...inBrackets, scope ? `in ${textOf(scope)}` : ''].filter(Boolean).join(' ')
}

function codeIn(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : ''
}
