import { sessionConfig } from '../../../src/domain/config.ts'
import { importInput } from '../../../src/domain/import-input.ts'
import { WHOLE } from '../../../src/orchestrators/all.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { replay } from '../../../src/run/replay/replay.ts'

const { engine } = createEngine(
  {},
  {
    publicFetch: () => Promise.reject(new Error('a replay reaches nothing')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: '',
    orchestrators: WHOLE,
  },
)

/** Whatever was cut, what was decided then is what is decided from the log alone. */
export function claimsOfDecisions(exported: unknown): string[] {
  const { events = [], records = [], session, team, workers, worker_teams: workerTeams } = importInput.parse(exported)
  const config = sessionConfig.parse(session.config)
  const setting = { engine, config, team: team ?? undefined, workerTeams, ...(workers ? { workers } : {}) }
  const { differences, unrecorded } = replay({ events, records }, setting)
  return [
    ...(unrecorded > 0 ? [`the first ${unrecorded} events are of no record`] : []),
    ...differences.map(({ seq, recorded, now }) => `at ${seq} was decided ${recorded}, by the log it is ${now}`),
  ]
}
