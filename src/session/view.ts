import type { SessionConfig } from '../domain/config.ts'
import { LIMITS } from '../domain/limits.ts'
import type { RunState } from '../domain/state.ts'
import type { RunView } from '../orchestrators/move.ts'
import { permissionOf } from '../tools/registry.ts'
import { limitsOf, settingsOf, toolOf, type Engine } from './engine.ts'

/** What a view shows beside the fold of the log. */
export interface Surroundings {
  engine: Pick<Engine, 'config' | 'tools'>
  record: { config: SessionConfig }
  /** Unix ms. */
  now: number
  inFlight: ReadonlySet<string>
  mustCompact: () => boolean
}

/** What decide looks at. */
export function runView(run: RunState, { engine, record, now, inFlight, mustCompact }: Surroundings): RunView {
  const limits = limitsOf(engine, record)
  const settings = settingsOf(engine, record)
  return {
    run,
    limits: {
      maxIterations: limits.max_iterations,
      maxIterationsTotal: limits.max_iterations_total,
      errorsInARowMax: limits.errors_in_a_row_max,
      repeatsMax: limits.repeats_max,
      deadlineMs: limits.deadline_ms ?? null,
      attemptsMax: LIMITS.run.attemptsMax,
    },
    activeMs: run.activeMs + (run.activeSince === null ? 0 : now - run.activeSince),
    inFlight,
    permission: (call) => {
      const tool = toolOf(engine, call.tool)
      return tool ? permissionOf(tool, settings) : 'deny'
    },
    mustCompact,
    isIdempotent: (call) => toolOf(engine, call.tool)?.idempotent ?? false,
    isQuestion: (call) => call.tool === 'ask',
  }
}
