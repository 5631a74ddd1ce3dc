import type { SessionConfig } from '../../../src/domain/config.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { createEngine } from '../../../src/session/create-engine.ts'
import { replay } from '../../../src/session/replay/replay.ts'

const { engine } = createEngine(
  {},
  {
    publicFetch: () => Promise.reject(new Error('a replay reaches nothing')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: '',
  },
)

/** Whatever was cut, what was decided then is what is decided from the log alone. */
export function claimsOfDecisions(events: readonly SessionEvent[], config: SessionConfig): string[] {
  return replay(events, { engine, config }).differences.map(
    ({ seq, recorded, now }) => `at ${seq} was decided ${recorded}, by the log it is ${now}`,
  )
}
