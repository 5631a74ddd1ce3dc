import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { sessionConfig } from '../../../src/domain/config.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { importInput } from '../../../src/domain/event-input.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { replay } from '../../../src/run/replay/replay.ts'

const FOLDER = 'test/contract/replay'
const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
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

function recorded(name: string) {
  const {
    events = [],
    session,
    team,
    workers,
    worker_teams: workerTeams,
  } = importInput.parse(JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8')))
  return {
    events,
    config: sessionConfig.parse(session.config),
    workerTeams,
    ...(workers ? { workers } : {}),
    ...(team ? { team } : {}),
  }
}

describe('today decides as it did when these runs were recorded', () => {
  test.for(names)('%s', (name, { expect }) => {
    const { events, ...setting } = recorded(name)
    const { decisions, differences } = replay(events, { engine, ...setting })
    expect(differences.filter(({ cause }) => cause === 'code')).toEqual([])
    expect(decisions).toBeGreaterThan(1)
  })
})

test('news that a team drops as its run is cancelled is no turn that ends', ({ expect }) => {
  const { events, ...setting } = recorded('team-cancelled')
  const first = events.findIndex(({ type }) => type === 'round-start')
  const heard = events.slice(0, first)
  const dropped = heard.flatMap((event) =>
    event.type === 'role-state'
      ? [{ ...event, from: 'HAS_NEWS' as const, to: 'IDLE' as const, dropped: true as const }]
      : [],
  )
  expect(dropped.length).toBeGreaterThan(1)
  const log = [...heard, ...dropped, ...events.slice(-1)].map((event, index) => ({ ...event, seq: index + 1 }))
  expect(log.at(-1)).toMatchObject({ type: 'run-end', status: 'cancelled' })
  expect(replay(log, { engine, ...setting }).differences).toEqual([])
})

test.for(['en-native-several-calls', 'plan-reviewed', 'team-worker-approval-and-choice'])(
  'what only a later release knows is passed over: %s',
  (name, { expect }) => {
    const { events, ...setting } = recorded(name)
    const more = events.flatMap(({ run_id, scope, time }, index) => {
      const seq = 2 * index + 2
      return [
        { ...events[index], seq: seq - 1 },
        { type: 'later-thing', seq, run_id, scope, time },
      ] as SessionEvent[]
    })
    expect(replay(more, { engine, ...setting })).toMatchObject(replay(events, { engine, ...setting }))
  },
)

describe('a replay shows', () => {
  const { events, config } = recorded('en-native-several-calls')
  const seqOf = (type: SessionEvent['type']) => events.find((event) => event.type === type)?.seq

  test('a call that would wait for an approval today', ({ expect }) => {
    const asking = { ...config, tools: {} }
    const { differences } = replay(events, { engine, config: asking })
    expect(differences[0]).toMatchObject({ seq: seqOf('tool-start'), cause: 'code' })
    expect(differences[0]?.recorded).toMatch(/^call-tool call_\w+ \(attempt 1\)$/)
    expect(differences[0]?.now).toMatch(/^ask call_\w+$/)
  })

  test('a run that would rest earlier today', ({ expect }) => {
    const { differences } = replay(events, { engine, config: { ...config, limits: { max_iterations: 1 } } })
    expect(differences[0]).toMatchObject({ recorded: 'call-model (attempt 1)', now: 'rest', cause: 'code' })
  })

  test('a tool that may not be called twice any more', ({ expect }) => {
    const killed = recorded('killed-in-tool-calls')
    const tools = engine.tools.map((tool) => ({ ...tool, isIdempotent: () => false }))
    const { differences } = replay(killed.events, { engine: { ...engine, tools }, config: killed.config })
    expect(differences[0]?.recorded).toMatch(/^call-tool call_\w+ \(attempt 2\)$/)
    expect(differences[0]?.now).toMatch(/^reject-call call_\w+ \(interrupted\)$/)
  })

  test('what would be done while other moves are under way', ({ expect }) => {
    const second = events.findLast((event) => event.type === 'tool-start' && event.tool === 'web_access')
    const late = events.filter((event) => event !== second).map((event, index) => ({ ...event, seq: index + 1 }))
    const { differences } = replay(late, { engine, config })
    expect(differences).toContainEqual(
      expect.objectContaining({ recorded: null, now: expect.stringMatching(/^call-tool/) }),
    )
  })

  test('a plan that would end in an earlier round today', ({ expect }) => {
    const planned = recorded('plan-two-rounds')
    const shorter = { ...planned.config, limits: { max_plan_rounds: 1 } }
    const [first] = replay(planned.events, { engine, config: shorter }).differences
    expect(first).toMatchObject({
      recorded: 'call-planner (plan) (attempt 1)',
      now: 'call-planner (summary) (attempt 1)',
    })
  })

  test('a team whose role would ask a person today', ({ expect }) => {
    const { team, ...played } = recorded('team-parallel-and-join')
    const roles = team?.roles.map((role) => (role.name === 'Left' ? { ...role, human: true } : role)) ?? []
    const { differences } = replay(played.events, { engine, ...played, ...(team ? { team: { ...team, roles } } : {}) })
    expect(differences[0]).toMatchObject({ recorded: 'prompt-role in Left', now: 'ask-role in Left', cause: 'code' })
    expect(differences.every((one) => `${one.recorded} ${one.now}`.includes('in Left'))).toBe(true)
  })

  test('a choice, a round and a message that would not be made today', ({ expect }) => {
    const { team, ...played } = recorded('team-choices')
    const roles = team?.roles.map((role) => (role.name === 'Writer' ? { ...role, watch: [] } : role)) ?? []
    const lost = played.events.map((event) => (event.type === 'team-message' ? { ...event, heard_by: [] } : event))
    const { differences } = replay(lost, { engine, ...played, ...(team ? { team: { ...team, roles } } : {}) })
    const all = differences.map((one) => one.recorded)
    expect(all).toEqual(
      expect.arrayContaining(['start-round', 'choose-action (attempt 1) in Writer', 'publish in Writer']),
    )
  })

  test('that a config which the log shows to have come later is no change of the code', ({ expect }) => {
    const asked = recorded('several-approvals')
    const approved = { ...asked.config, tools: { web_access: { auto_approve: true } } }
    const causes = (log: SessionEvent[]) =>
      new Set(replay(log, { engine, config: approved }).differences.map(({ cause }) => cause))
    const last = asked.events.at(-1)
    const change = { ...last, type: 'session-update', fields: ['config'], seq: asked.events.length + 1 } as SessionEvent
    expect(causes([...asked.events, change])).toEqual(new Set(['config']))
    expect(causes(asked.events)).toEqual(new Set(['code']))
  })
})

test('of two calls that one place is left for, the one that is not made is owed by nobody', ({ expect }) => {
  const { events, ...setting } = recorded('plan-batches')
  const scopes = [...new Set(events.flatMap(({ type, scope }) => (type === 'task-start' && scope ? [scope] : [])))]
  const [first = '', second = ''] = scopes
  const begun = events.slice(
    0,
    events.findIndex(({ type, scope }) => type === 'iteration-start' && scope !== null),
  )
  const of = (type: SessionEvent['type'], scope = first) =>
    events.filter((event) => event.type === type && event.scope === scope)
  const [reply] = of('message').filter((event) => event.type === 'message' && event.message.kind === 'reply')
  const [start, end] = [of('model-start')[0], of('model-end')[0]]
  const [turn, over, rest] = [of('iteration-start')[0], of('task-end')[0], events.find((e) => e.type === 'run-pause')]
  if (reply?.type !== 'message' || !start || !end || !turn || !over || !rest) throw new Error('another recording')
  const at = (event: SessionEvent, scope: string, more: object = {}) => ({ ...event, scope, ...more }) as SessionEvent
  const asked = (scope: string, id: string, iteration: number) => [
    at(turn, scope, { iteration }),
    at(start, scope, { message_id: id }),
  ]
  const calls = (scope: string, id: string, call: string) => {
    const made = [{ id: call, name: 'rethink', arguments: { reason: 'again' } }]
    return [
      at(reply, scope, { message: { ...reply.message, id, scope, tool_calls: made } }),
      at(end, scope, { message_id: id }),
    ]
  }
  const begins = (scope: string, call: string) =>
    at(turn, scope, { type: 'tool-start', call_id: call, tool: 'rethink', arguments: { reason: 'again' }, attempt: 1 })
  const ends = (scope: string, call: string) => [
    at(turn, scope, { type: 'tool-end', call_id: call, ok: true, ms: 1, digest: 'x' }),
    at(reply, scope, {
      message: { ...reply.message, id: `msg_${call}`, scope, role: 'tool', kind: 'tool_result', tool_call_id: call },
    }),
  ]
  const log = [
    ...begun,
    ...asked(first, 'msg_a', 2),
    ...asked(second, 'msg_b', 3),
    ...calls(first, 'msg_a', 'call_a'),
    ...calls(second, 'msg_b', 'call_b'),
    begins(first, 'call_a'),
    begins(second, 'call_b'),
    ...ends(second, 'call_b'),
    ...ends(first, 'call_a'),
    ...asked(first, 'msg_c', 4),
    at(reply, first, { message: { ...reply.message, id: 'msg_c' } }),
    at(end, first, { message_id: 'msg_c' }),
    over,
    rest,
  ].map((event, index) => ({ ...event, seq: index + 1 }))
  const config = { ...setting.config, limits: { max_iterations: 4 } }
  const { differences } = replay(log, { engine, ...setting, config })
  expect(differences).toEqual([])
})
