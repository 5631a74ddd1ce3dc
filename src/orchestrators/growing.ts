import type { EventType, SessionEvent } from '../domain/event.ts'
import type { SessionState } from '../domain/state.ts'
import type { Orchestrator, Orchestrators } from '../engine/engine.ts'
import { NotLoaded } from '../engine/orchestrator-of.ts'
import { agent } from './agent/index.ts'
import { createRegistry } from './registry.ts'

/** Those that are loaded when they are needed. */
const LATER: ReadonlySet<string> = new Set(['plan', 'team', 'route', 'workflow'])

/** Events that only those give a meaning. */
export const LATER_EVENTS: ReadonlySet<EventType> = new Set([
  'plan',
  'task-start',
  'task-end',
  'task-retry',
  'route',
  'round-start',
  'round-end',
  'role-state',
  'team-message',
  'workflow-start',
  'step-start',
  'step-end',
  'step-retry',
  'step-redo',
  'step-due',
  'rollback-start',
  'rollback-end',
])

/** A registry that has `first`, and all of `loadWhole` once that was loaded. Until then it refuses a log that others have a part in:
 *  a state that lacks their part would be written as if it were whole. */
export function createGrowingRegistry(
  first: readonly Orchestrator[],
  loadWhole: () => Promise<Orchestrators>,
): Orchestrators {
  let known = createRegistry(first)
  let isWhole = false
  let loading: Promise<void> | null = null
  const isLater = (name: string) => !isWhole && LATER.has(name)
  const load = async () => {
    try {
      known = await loadWhole()
      isWhole = true
    } finally {
      loading = null
    }
  }
  const concerns = (event: SessionEvent) =>
    event.type === 'run-start' ? isLater(event.orchestrator) : LATER_EVENTS.has(event.type)
  const lacks = ({ run }: SessionState, events: readonly SessionEvent[]) =>
    (run !== null && isLater(run.orchestrator)) || events.some(concerns)
  return {
    get all() {
      return known.all
    },
    find: (name) => known.find(name),
    get: (name) => known.get(name),
    reduce: (state, events) => {
      if (!isWhole && lacks(state, events)) throw new NotLoaded()
      return known.reduce(state, events)
    },
    isLater,
    load: () => (isWhole ? null : (loading ??= load())),
  }
}

/** The product's, in this process: the agent from the start, the others when a session needs them. */
export const ORCHESTRATORS = createGrowingRegistry([agent], async () => (await import('./all.ts')).WHOLE)
