import { type BaseEvent, HttpAgent, type Message as ClientMessage } from '@ag-ui/client'
import { describe, test } from 'vitest'
import { agUiEvents, type AgUiView } from '../../../src/doors/ag-ui/project.ts'
import { type EventBody, isDelta, type SessionEvent, type StreamedDelta } from '../../../src/domain/event.ts'
import type { Message } from '../../../src/domain/message.ts'
import type { Pending } from '../../../src/domain/pending.ts'
import type { PlanTask } from '../../../src/domain/plan.ts'
import type { TeamData } from '../../../src/domain/team.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import type { SessionHead, StreamAbout } from '../../../src/session/queries/projection.ts'

const TIME = '2026-01-01T00:00:00.000Z'
const RUN = 'run_1'

type Step = EventBody & { scope?: string | null }
type Piece = Pick<StreamedDelta, 'message_id' | 'delta'> & { type: 'message-delta' | 'reasoning-delta'; scope?: string }

/** A log, in which deltas stand as they were told. */
function logOf(steps: readonly (Step | Piece)[]): (SessionEvent | StreamedDelta)[] {
  let seq = 0
  return steps.map((step): SessionEvent | StreamedDelta => {
    const { scope = null } = step
    if ('delta' in step) return { ...step, seq, run_id: RUN, time: TIME, scope }
    seq += 1
    return { ...step, seq, run_id: RUN, time: TIME, scope }
  })
}

interface Shown {
  types: string[]
  events: (BaseEvent & Record<string, unknown>)[]
  messages: ClientMessage[]
  state: unknown
}

interface Setting {
  head?: Partial<SessionHead>
  view?: Partial<AgUiView>
  isAnswer?: boolean
  /** So many steps of the log were there before the stream. */
  before?: number
}

/** What the protocol's own client makes of a log, with its checks of the order. */
async function shown(steps: readonly (Step | Piece)[], setting: Setting = {}): Promise<Shown> {
  const log = logOf(steps)
  const view = { threadId: 't', runId: 'r', state: {}, held: {}, restates: false, language: 'en' as const }
  const about: StreamAbout = {
    sessionId: 'ses_1',
    runId: RUN,
    options: { ...view, ...setting.view },
    language: () => 'en',
    head: () => (setting.head ?? {}) as SessionHead,
    isStructured: setting.head?.output_schema !== undefined,
    file: () => null,
    reply: () => ({ isAnswer: setting.isAnswer ?? true, toolNames: [] }),
    past: (types) => log.filter((event): event is SessionEvent => types.some((type) => type === event.type)),
    kept: () => ({}),
  }
  const frames = agUiEvents(about)
  const told = log
    .slice(setting.before ?? 0)
    .flatMap((event, n) => [...frames.of({ id: String(n), event: isDelta(event) ? { ...event, n } : event })])
  const body = [frames.head ?? '', ...told, frames.end?.() ?? ''].join('')
  const agent = new HttpAgent({
    url: 'http://localhost/',
    threadId: 't',
    initialState: view.state,
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const events: Shown['events'] = []
  await agent.runAgent({ runId: 'r' }, { onEvent: ({ event }) => void events.push(event) }).catch((error: unknown) => {
    if (!body.includes('RUN_ERROR')) throw error
  })
  return { types: events.map(({ type }) => type), events, messages: agent.messages, state: agent.state }
}

const start: Step = { type: 'run-start', orchestrator: 'agent', mode: 'background', resumed: false }
const calls = (message_id: string, more: { scope?: string; purpose?: 'plan' } = {}): Step => ({
  type: 'model-start',
  message_id,
  model: 'm',
  attempt: 1,
  reserved_tokens: 0,
  reserved_cost: null,
  ...more,
})
const piece = (message_id: string, delta: string, type: Piece['type'] = 'message-delta', scope?: string): Piece => ({
  type,
  message_id,
  delta,
  ...(scope === undefined ? {} : { scope }),
})
const message = (id: string, content: string, more: Partial<Message> = {}): Step => ({
  type: 'message',
  scope: more.scope ?? null,
  message: {
    id,
    seq: 0,
    run_id: RUN,
    role: 'assistant',
    content,
    kind: 'reply',
    created_time: TIME,
    scope: null,
    ...more,
  },
})
const ends = (result: string | null, status: 'completed' | 'failed' | 'cancelled' = 'completed'): Step => ({
  type: 'run-end',
  status,
  finish_reason: status,
  result,
  usage: NO_USAGE,
  error: null,
})
const task = (id: string, more: Partial<PlanTask> = {}): PlanTask => ({
  id,
  round: 1,
  name: `Task ${id}`,
  worker: 'llm_tool',
  description: `What ${id} is.`,
  status: 'running',
  result: null,
  error: null,
  cost: null,
  started_time: null,
  ended_time: null,
  ...more,
})
const waits = (id: string, more: Partial<Pending> = {}): Step => ({
  type: 'pending',
  scope: more.scope ?? null,
  pending: { id, type: 'approval', created_time: TIME, expires_time: TIME, scope: null, ...more },
})
const pause: Step = { type: 'run-pause', status: 'interrupted', finish_reason: null, usage: NO_USAGE }
const texts = ({ messages }: Shown) => messages.map(({ id, role, content }) => [id, role, content])

describe('what a reply says', () => {
  const reply = [
    start,
    calls('msg_1'),
    piece('msg_1', 'Hm.', 'reasoning-delta'),
    piece('msg_1', 'Water '),
    piece('msg_1', '沸腾。'),
    message('msg_1', 'Water 沸腾。', { reasoning: 'Hm.' }),
    ends('Water 沸腾。'),
  ]

  test('is a span of reasoning and a message, each once, as it is written or whole', async ({ expect }) => {
    const written = await shown(reply)
    expect(written.types).toEqual([
      'RUN_STARTED',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    const whole = await shown(reply.filter((step) => !('delta' in step)))
    expect(texts(whole)).toEqual(texts(written))
    expect(texts(whole)).toEqual([
      ['msg_1.thoughts', 'reasoning', 'Hm.'],
      ['msg_1', 'assistant', 'Water 沸腾。'],
    ])
  })

  test('is told behind what its reader has', async ({ expect }) => {
    const { events } = await shown(reply, { view: { held: { msg_1: 7, 'msg_1.thoughts': 3 } } })
    expect(events.flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : []))).toEqual(['腾。'])
    expect(events.filter(({ type }) => type.startsWith('REASONING'))).toEqual([])
  })

  test('is void where the call broke off, and the conversation is restated without it', async ({ expect }) => {
    const { types, messages } = await shown([
      start,
      calls('msg_1'),
      piece('msg_1', 'Wat'),
      calls('msg_2'),
      message('msg_2', 'Anew.'),
      ends('Anew.'),
    ])
    expect(types.indexOf('MESSAGES_SNAPSHOT')).toBeGreaterThan(types.indexOf('TEXT_MESSAGE_END'))
    expect(messages.map(({ id, content }) => [id, content])).toEqual([['msg_2', 'Anew.']])
  })

  test('that is a plan is not told, and one of the text protocol from its answer on', async ({ expect }) => {
    const hidden = await shown([start, calls('msg_1', { purpose: 'plan' }), message('msg_1', '[]'), ends('Done.')])
    expect(texts(hidden)).toEqual([['run_1.result', 'assistant', 'Done.']])
    const finish = { id: 'c', name: 'finish', arguments: { reason: 'Done.' } }
    const steps = [
      start,
      calls('msg_1'),
      piece('msg_1', 'Beside.'),
      message('msg_1', 'Beside.', { tool_calls: [finish] }),
    ]
    const answered = await shown([...steps, ends('Done.')], { isAnswer: false })
    expect(texts(answered)).toEqual([['msg_1.answer', 'assistant', 'Done.']])
  })

  test('that has to fit a schema is told at the end, as JSON', async ({ expect }) => {
    const head = { output_schema: { type: 'object' } }
    const { events } = await shown([start, calls('msg_1'), piece('msg_1', '{"a'), ends('{"a": 1}')], { head })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: { a: 1 } })
  })
})

describe('what somebody else says to the run', () => {
  test('is a message of the user, and what the client itself said is not', async ({ expect }) => {
    const heard = (id: string, more: Partial<Message>) =>
      message(id, 'And milk?', { role: 'user', kind: 'steer', ...more })
    const { messages } = await shown([
      start,
      heard('msg_1', {}),
      heard('msg_2', { client_id: 'mine' }),
      calls('msg_3'),
      message('msg_3', 'Both.'),
      ends('Both.'),
    ])
    expect(messages.map(({ id, role }) => [id, role])).toEqual([
      ['msg_1', 'user'],
      ['msg_3', 'assistant'],
    ])
  })
})

describe('sub-tasks that work at the same time', () => {
  const [one, two] = ['task_1', 'task_2']
  const plan = (...tasks: PlanTask[]): Step => ({ type: 'plan', plan: { round: 1, status: 'running', tasks } })
  const begun = [
    start,
    plan(task('task_1'), task('task_2')),
    { type: 'task-start', task: task('task_1') } as const,
    { type: 'task-start', task: task('task_2') } as const,
    calls('msg_1', { scope: one }),
    calls('msg_2', { scope: two }),
    piece('msg_1', 'X', 'message-delta', one),
    piece('msg_2', 'B', 'message-delta', two),
  ]

  test('are agents of their own, whose words are told apart', async ({ expect }) => {
    const ended = (id: string, result: string): Step => ({
      type: 'task-end',
      task: task(id, { status: 'completed', result }),
    })
    const { events, state } = await shown([
      ...begun,
      message('msg_1', 'X1', { scope: one }),
      ended('task_1', 'X1'),
      message('msg_2', 'B1', { scope: two }),
      { type: 'task-end', task: task('task_2', { status: 'failed', error: 'no page' }) },
      ends('X1'),
    ])
    const names = new Map(events.flatMap((event) => (event['name'] ? [[event['subagentRunId'], event['name']]] : [])))
    expect([...names.values()]).toEqual(['Task task_1 (llm_tool)', 'Task task_2 (llm_tool)'])
    const said = events.flatMap((event) =>
      event.type === 'TEXT_MESSAGE_START' ? [[event['messageId'], names.get(event['subagentRunId'])]] : [],
    )
    expect(said.slice(0, 2)).toEqual([
      ['msg_1', 'Task task_1 (llm_tool)'],
      ['msg_2', 'Task task_2 (llm_tool)'],
    ])
    expect(events.find(({ type }) => type === 'SUBAGENT_FINISHED')).toMatchObject({ result: 'X1' })
    expect(events.find(({ type }) => type === 'SUBAGENT_ERROR')).toMatchObject({ message: 'no page', code: 'failed' })
    expect(state).toMatchObject({ plan: { tasks: [{ status: 'completed' }, { status: 'failed' }] } })
  })

  test('rest with what was asked in their branch', async ({ expect }) => {
    const call = { id: 'call_1', name: 'web_access', arguments: { url: 'https://a.example/' } }
    const { events } = await shown([
      ...begun,
      message('msg_1', 'X1', { scope: one, tool_calls: [call] }),
      waits('pnd_1', { call_id: 'call_1', tool: 'web_access', arguments: call.arguments, scope: one }),
      pause,
    ])
    const asked = events.filter((event) => 'outcome' in event && event.type === 'RUN_FINISHED')
    const [{ interrupts }] = asked.map(({ outcome }) => outcome) as [{ interrupts: { subagentRunId: string }[] }]
    expect(interrupts).toMatchObject([{ id: 'pnd_1', toolCallId: 'call_1' }])
    const suspended = events.filter(({ type }) => type === 'SUBAGENT_FINISHED')
    expect(suspended).toMatchObject([
      { outcome: { type: 'suspended' } },
      { outcome: { type: 'suspended', interruptIds: ['pnd_1'] }, subagentRunId: interrupts[0]?.subagentRunId },
    ])
    expect(events.find(({ type }) => type === 'TOOL_CALL_START')).toMatchObject({ parentMessageId: 'msg_1' })
  })

  test('end with the run that is cancelled', async ({ expect }) => {
    const { events } = await shown([...begun, ends(null, 'cancelled')])
    expect(events.filter(({ type }) => type === 'SUBAGENT_ERROR')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
  })
})

describe('a team', () => {
  const team: TeamData = {
    name: 'debate',
    round: 0,
    n_round: 2,
    roles: ['Pro', 'Con'].map((name) => ({
      name,
      profile: `${name}.`,
      watch: [],
      actions: [{ name: 'Argue', instruction: 'Argue.' }],
      react_mode: 'by_order',
      state: 'IDLE',
      cost: null,
    })),
    investment: null,
    idle: false,
    stop_reason: null,
    spent: null,
    left: null,
    warnings: [],
    history: [],
    message_count: 0,
  }
  const role = (scope: string, to: 'EXECUTING' | 'IDLE'): Step => ({
    type: 'role-state',
    role: scope,
    from: 'IDLE',
    to,
    scope,
  })

  test('has roles by round as agents, and its bus as state', async ({ expect }) => {
    const said = {
      id: 'm',
      role: 'Pro.',
      content: '赞成',
      cause_by: 'Argue',
      sent_from: 'Pro',
      send_to: ['*'],
      timestamp: TIME,
    }
    const { events, state } = await shown(
      [
        start,
        { type: 'round-start', round: 1, roles: ['Pro'] },
        role('Pro', 'EXECUTING'),
        calls('msg_1', { scope: 'Pro' }),
        message('msg_1', '赞成', { scope: 'Pro' }),
        { type: 'team-message', message: said, heard_by: ['Con'], scope: 'Pro' },
        { type: 'round-end', round: 1 },
        ends('赞成'),
      ],
      { head: { team } },
    )
    expect(events.find(({ type }) => type === 'SUBAGENT_STARTED')).toMatchObject({ name: 'Pro' })
    expect(events.find(({ type }) => type === 'STEP_STARTED')).toMatchObject({ stepName: 'round 1' })
    expect(state).toMatchObject({
      team: { round: 1, roles: [{ name: 'Pro', state: 'EXECUTING' }, { name: 'Con' }], messages: [{ from: 'Pro' }] },
    })
  })
})

describe('a stream that begins in the midst', () => {
  test('restates what stood before, and then goes on', async ({ expect }) => {
    const steps = [
      start,
      message('msg_0', 'When?', { role: 'user', kind: 'task', client_id: 'mine' }),
      calls('msg_1'),
      message('msg_1', 'At 100.'),
      { type: 'run-resume', mode: 'background' } as const,
      calls('msg_2'),
      message('msg_2', 'Sure.'),
      ends('Sure.'),
    ]
    const { types, messages } = await shown(steps, { view: { restates: true }, before: 4 })
    expect(types.slice(0, 3)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT'])
    expect(messages.map(({ id, content }) => [id, content])).toEqual([
      ['mine', 'When?'],
      ['msg_1', 'At 100.'],
      ['msg_2', 'Sure.'],
    ])
  })

  test('of a session that is gone ends in an error', async ({ expect }) => {
    const { events } = await shown([start, calls('msg_1')])
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'not_found' })
  })
})
