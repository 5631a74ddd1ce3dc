import { LIMITS } from '../domain/limits.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { OpenCall, RunState, SessionState } from '../domain/state.ts'
import type { Permission } from '../domain/tool.ts'
import type { RunView } from '../engine/move.ts'
import { mayRun } from '../tools/permission.ts'
import { assignmentOf, settingsFor } from '../engine/worker/assignment.ts'
import type { ExecutionContext } from '../engine/engine.ts'
import { limitsOf, toolOf } from '../engine/settings.ts'
import { nextHook } from './steps/tool-hook.ts'
import { branchOfCall } from '../log/branches.ts'

/** All that a view is made of, beside the run: the log's state, what the session was made with, and what is under way in this process. */
export interface Surroundings {
  engine: ExecutionContext['engine']
  record: ExecutionContext['record']
  state: SessionState
  /** Unix ms. */
  now: number
  inFlight: ReadonlySet<string>
  mustCompact: () => boolean
  /** What an open call is made with. */
  argumentsOf: (call: OpenCall) => Record<string, unknown>
  /** Untrusted text is in the context. */
  tainted: boolean
  promptTakesTime: (scope: string | null) => boolean
  mustLoadMemory: boolean
}

function activeMsOf({ activeMs, activeSince }: RunState, now: number): number {
  return activeMs + (activeSince === null ? 0 : now - activeSince)
}

/** How long a run may still go on before its deadline; infinite: it has none. */
export function msToDeadline(
  run: RunState | null,
  { engine, record, now }: Pick<Surroundings, 'engine' | 'now'> & { record: SessionRecord },
): number {
  const { deadline_ms: max = null } = limitsOf(engine, record)
  return run === null || max === null ? Infinity : Math.max(0, max - activeMsOf(run, now))
}

/** What decide looks at. */
export function runView(
  run: RunState,
  {
    engine,
    record,
    state,
    now,
    inFlight,
    mustCompact,
    argumentsOf,
    tainted,
    promptTakesTime,
    mustLoadMemory,
  }: Surroundings,
): RunView {
  const { orchestrators } = engine
  const view: RunView = {
    run,
    state,
    record,
    limits: viewLimits(engine, record),
    activeMs: activeMsOf(run, now),
    inFlight,
    permission: (call) => permissionFor(call, branchOfCall(run, call), { engine, record, state, argumentsOf, tainted }),
    assignment: (scope) => assignmentOf({ engine, record, state }, scope),
    promptTakesTime,
    mustLoadMemory,
    mustCompact,
    hookFor: (call) => nextHook(call, engine),
    isIdempotent: (call) => toolOf(engine, call.tool)?.isIdempotent(argumentsOf(call)) ?? false,
    sequential: (call) => toolOf(engine, call.tool)?.sequential ?? false,
    isQuestion: (call) => call.tool === 'ask',
    movesForCall: (call) => {
      const own = toolOf(engine, call.tool)?.isMove ? orchestrators.all : []
      return own.map(({ movesForCall }) => movesForCall?.(call, view) ?? null).find((moves) => moves !== null) ?? null
    },
    beside: () => orchestrators.all.map(({ beside }) => beside?.(view) ?? null).find((found) => found !== null) ?? null,
    movesIn: (name, branch) => {
      const { movesIn } = orchestrators.get(name)
      if (!movesIn) throw new Error(`${name} works in no branch of another`)
      return movesIn(branch, view)
    },
  }
  return view
}

function viewLimits(engine: Surroundings['engine'], record: Surroundings['record']): RunView['limits'] {
  const limits = limitsOf(engine, record)
  return {
    maxIterations: limits.max_iterations,
    maxIterationsTotal: limits.max_iterations_total,
    errorsInARowMax: limits.errors_in_a_row_max,
    repeatsMax: limits.repeats_max,
    deadlineMs: limits.deadline_ms ?? null,
    taskTimeoutMs: limits.task_timeout_ms ?? null,
    attemptsMax: LIMITS.run.attemptsMax,
    answerRetriesMax: LIMITS.skill.answerRetriesMax,
    maxPlanRounds: limits.max_plan_rounds,
    maxParallelTasks: limits.max_parallel_tasks,
  }
}

/** Whether an open call of a branch may be made. Calls that are moves of an orchestrator may be made in the run's own branch alone. */
function permissionFor(
  call: OpenCall,
  branch: string | null,
  { engine, record, state, argumentsOf, tainted }: ExecutionContext & Pick<Surroundings, 'argumentsOf' | 'tainted'>,
): Permission {
  const tool = toolOf(engine, call.tool)
  if (!tool || (tool.isMove && branch !== null)) return 'deny'
  const facts = { arguments: argumentsOf(call), tainted, unseen: call.unseen }
  return mayRun(call, tool, settingsFor({ engine, record, state }, branch), facts)
}
