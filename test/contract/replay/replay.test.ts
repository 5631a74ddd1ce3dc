import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { sessionConfig } from '../../../src/domain/config.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { importInput } from '../../../src/domain/import-input.ts'
import { WHOLE } from '../../../src/orchestrators/all.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { replay } from '../../../src/run/replay/replay.ts'

const FOLDER = 'test/contract/replay'
const all = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
/** Logs of a release that kept no moves. */
const earlier = all.filter((name) => name.startsWith('earlier-'))
const names = all.filter((name) => !earlier.includes(name))
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

function recorded(name: string) {
  const {
    events = [],
    records = [],
    session,
    team,
    workers,
    worker_teams: workerTeams,
  } = importInput.parse(JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8')))
  return {
    log: { events, records },
    config: sessionConfig.parse(session.config),
    workerTeams,
    ...(workers ? { workers } : {}),
    ...(team ? { team } : {}),
  }
}

describe('today decides as it did when these runs were recorded', () => {
  test.for(names)('%s', (name, { expect }) => {
    const { log, ...setting } = recorded(name)
    const { decisions, unrecorded, differences } = replay(log, { engine, ...setting })
    expect(differences.filter(({ cause }) => cause === 'code')).toEqual([])
    expect(decisions).toBeGreaterThan(1)
    expect(unrecorded).toBe(0)
  })
})

describe('a log whose release kept no moves', () => {
  test.for(earlier)('is read to its end, and nothing of it compared: %s', (name, { expect }) => {
    const { log, ...setting } = recorded(name)
    const nothing = { decisions: 0, unrecorded: log.events.length, differences: [] }
    expect(replay(log, { engine, ...setting })).toEqual(nothing)
  })

  test('is compared from its first record on', ({ expect }) => {
    const { log, ...setting } = recorded('zh-text-approval')
    const whole = replay(log, { engine, ...setting })
    const at = log.records.findIndex(({ move, ends }) => move && !ends) + 1
    const later = { ...log, records: log.records.slice(at) }
    expect(replay(later, { engine, ...setting })).toEqual({
      decisions: whole.decisions - 1,
      unrecorded: (log.records[at]?.seq ?? 0) - 1,
      differences: [],
    })
  })

  test('that is none is refused', ({ expect }) => {
    const { log, ...setting } = recorded('zh-text-approval')
    const events = log.events.slice(3).map((event, index) => ({ ...event, seq: index + 1 }))
    expect(() => replay({ events, records: [] }, { engine, ...setting })).toThrow()
  })
})

test.for(['en-native-several-calls', 'plan-reviewed', 'team-worker-approval-and-choice'])(
  'what only a later release knows is passed over: %s',
  (name, { expect }) => {
    const { log, ...setting } = recorded(name)
    const events = log.events.flatMap(({ run_id, scope, time }, index) => {
      const seq = 2 * index + 2
      return [
        { ...log.events[index], seq: seq - 1 },
        { type: 'later-thing', seq, run_id, scope, time },
      ] as SessionEvent[]
    })
    const records = log.records.map((record) => ({ ...record, seq: 2 * record.seq - 1 }))
    expect(replay({ events, records }, { engine, ...setting })).toEqual(replay(log, { engine, ...setting }))
  },
)

test('a prompt that is there when the time of its request is over was decided before', ({ expect }) => {
  const { log, ...setting } = recorded('bounds-and-continue')
  const pause = log.events.find(({ type }) => type === 'run-pause')
  if (!pause) throw new Error('the run was never paused')
  const [start, task, prompt] = log.events
  const events = [start, task, { ...pause, seq: 3 }, { ...prompt, seq: 4 }] as SessionEvent[]
  const [first, second] = log.records
  const records = [first, { seq: 3 }, { ...second, seq: 4 }] as typeof log.records
  expect(second?.move).toMatchObject({ type: 'prompt' })
  expect(replay({ events, records }, { engine, ...setting })).toEqual({ decisions: 1, unrecorded: 0, differences: [] })
})

describe('a replay shows', () => {
  const several = recorded('en-native-several-calls')
  const { config } = several
  const seqOf = (type: SessionEvent['type']) => several.log.events.find((event) => event.type === type)?.seq

  test('a call that would wait for an approval today', ({ expect }) => {
    const asking = { ...config, tools: {} }
    const { differences } = replay(several.log, { engine, config: asking })
    expect(differences[0]).toMatchObject({ seq: seqOf('tool-start'), cause: 'code' })
    expect(differences[0]?.recorded).toMatch(/^call-tool call_\w+ \(attempt 1\)$/)
    expect(differences[0]?.now).toMatch(/^ask call_\w+$/)
  })

  test('a run that would rest earlier today', ({ expect }) => {
    const { differences } = replay(several.log, { engine, config: { ...config, limits: { max_iterations: 1 } } })
    expect(differences[0]).toMatchObject({ recorded: 'call-model (attempt 1)', now: 'rest', cause: 'code' })
  })

  test('a tool that may not be called twice any more', ({ expect }) => {
    const killed = recorded('killed-in-tool-calls')
    const tools = engine.tools.map((tool) => ({ ...tool, isIdempotent: () => false }))
    const { differences } = replay(killed.log, { engine: { ...engine, tools }, config: killed.config })
    expect(differences[0]?.recorded).toMatch(/^call-tool call_\w+ \(attempt 2\)$/)
    expect(differences[0]?.now).toMatch(/^reject-call call_\w+ \(interrupted\)$/)
  })

  test('a plan that would end in an earlier round today', ({ expect }) => {
    const planned = recorded('plan-two-rounds')
    const shorter = { ...planned.config, limits: { max_plan_rounds: 1 } }
    const [first] = replay(planned.log, { engine, config: shorter }).differences
    expect(first).toMatchObject({
      recorded: 'call-planner (plan) (attempt 1)',
      now: 'call-planner (summary) (attempt 1)',
    })
  })

  test('a team whose role would ask a person today', ({ expect }) => {
    const { team, ...played } = recorded('team-parallel-and-join')
    const roles = team?.roles.map((role) => (role.name === 'Left' ? { ...role, human: true } : role)) ?? []
    const { differences } = replay(played.log, { engine, ...played, ...(team ? { team: { ...team, roles } } : {}) })
    expect(differences[0]).toMatchObject({ recorded: 'prompt-role in Left', now: 'ask-role in Left', cause: 'code' })
    expect(differences.every((one) => `${one.recorded} ${one.now}`.includes('in Left'))).toBe(true)
  })

  test('a choice, a round and a message that would not be made today', ({ expect }) => {
    const { team, ...played } = recorded('team-choices')
    const roles = team?.roles.map((role) => (role.name === 'Writer' ? { ...role, watch: [] } : role)) ?? []
    const lost = played.log.events.map((event) => (event.type === 'team-message' ? { ...event, heard_by: [] } : event))
    const { differences } = replay(
      { ...played.log, events: lost },
      { engine, ...played, ...(team ? { team: { ...team, roles } } : {}) },
    )
    expect(differences.map((one) => one.recorded)).toEqual(
      expect.arrayContaining(['start-round', 'choose-action (attempt 1) in Writer', 'publish in Writer']),
    )
  })

  test.for(['killed-in-tool-calls', 'plan-reader-with-approval'])(
    'that a tool which is not known here is no change of the code: %s',
    (name, { expect }) => {
      const { log, ...setting } = recorded(name)
      const tools = engine.tools.filter(({ id }) => id !== 'web_access')
      const { differences } = replay(log, { engine: { ...engine, tools }, ...setting })
      expect(differences.map(({ recorded: move }) => move.split(' ')[0])).toContain('call-tool')
      expect(differences.filter(({ cause }) => cause === 'code')).toEqual([])
    },
  )

  test('that a config which the log shows to have come later is no change of the code', ({ expect }) => {
    const asked = recorded('several-approvals')
    const approved = { ...asked.config, tools: { web_access: { auto_approve: true } } }
    const { events, records } = asked.log
    const causes = (told: SessionEvent[]) =>
      new Set(replay({ events: told, records }, { engine, config: approved }).differences.map(({ cause }) => cause))
    const change = {
      ...events.at(-1),
      type: 'session-update',
      fields: ['config'],
      seq: events.length + 1,
    } as SessionEvent
    expect(causes([...events, change])).toEqual(new Set(['config']))
    expect(causes(events)).toEqual(new Set(['code']))
  })
})
