import { describe, test } from 'vitest'
import type { StreamEvent } from '../../../../src/client/client.ts'
import type { Decision } from '../../../../src/domain/pending.ts'
import type { DeltaBody, EventBody, SessionEvent } from '../../../../src/domain/event.ts'
import type { Message } from '../../../../src/domain/message.ts'
import type { PlanTask } from '../../../../src/domain/plan.ts'
import { NO_USAGE } from '../../../../src/domain/usage.ts'
import { endedCall } from '../../../support/ended-call.ts'
import { roundsOf, isMain, Timeline } from '../../../../src/console/timeline/timeline.ts'
import { fence } from '../../../../src/lib/fence.ts'
import type { Item } from '../../../../src/console/timeline/item.ts'

const TIME = '2026-11-21T00:00:00.000Z'
let seq = 0
const event = (body: EventBody): SessionEvent => ({ ...body, seq: ++seq, run_id: 'run_1', time: TIME, scope: null })
const delta = (id: string, text: string, body: DeltaBody = { type: 'message-delta' }): StreamEvent => ({
  ...body,
  message_id: id,
  delta: text,
  seq,
  run_id: 'run_1',
  time: TIME,
  scope: null,
})
const message = (id: string, fields: Partial<Message>): EventBody => ({
  type: 'message',
  message: {
    id,
    seq: 0,
    run_id: 'run_1',
    role: 'assistant',
    content: '',
    kind: 'reply',
    created_time: TIME,
    scope: null,
    ...fields,
  },
})
const started = (id: string, attempt: number): EventBody => ({
  type: 'model-start',
  message_id: id,
  model: 'm',
  attempt,
  reserved_tokens: 0,
  reserved_cost: null,
})
const ended = (result: string, loop?: true): EventBody => ({
  type: 'run-end',
  status: 'completed',
  finish_reason: 'completed',
  result,
  usage: NO_USAGE,
  error: null,
  ...(loop ? { loop } : {}),
})

/** Items as short words, for a look at all of them. */
function shown(items: readonly Item[]): string[] {
  return items.map((item) => {
    if (item.kind === 'reply') return `reply ${item.text.whole}${item.isLive ? ' …' : ''}`
    if (item.kind === 'call') return `call ${item.tool} ${item.status} ${item.result ?? ''}`.trim()
    if (item.kind === 'end') return `end ${item.result ?? ''}`.trim()
    return item.kind === 'note' ? `note ${item.note.type}` : item.kind
  })
}

const made = (id: string, name: string, args: Record<string, unknown> = {}) => [{ id, name, arguments: args }]

describe('the timeline', () => {
  test('shows a reply once, while it is written and when it is whole', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    for (const one of [event(started('m1', 1)), delta('m1', 'Hel'), delta('m1', 'lo')]) timeline.push(one)
    expect(shown(timeline.items)).toEqual(['reply Hello …'])
    timeline.push(event(message('m1', { content: 'Hello' })))
    expect(shown(timeline.items)).toEqual(['reply Hello'])
  })

  test('shows the answer that finish is given as it is written, below what is said beside it, and once', ({
    expect,
  }) => {
    const timeline = new Timeline([], 'en')
    const answer = (text: string) => delta('m1', text, { type: 'answer-delta', call_id: 'c1' })
    for (const one of [event(started('m1', 1)), delta('m1', 'Done.'), answer('It is '), answer('so.')])
      timeline.push(one)
    expect(shown(timeline.items)).toEqual(['reply Done.\n\nIt is so. …'])
    timeline.push(
      event(message('m1', { content: 'Done.', tool_calls: made('c1', 'finish', { reason: ' It is so.\n' }) })),
    )
    timeline.push(event(ended(' It is so.\n')))
    expect(shown(timeline.items)).toEqual(['reply Done.\n\nIt is so.', 'end'])
  })

  test('says of an answer that the model went on giving the same', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event(ended('So.', true)))
    timeline.push(event(ended('So.')))
    expect(timeline.items.flatMap((item) => (item.kind === 'end' ? [item.isLoop] : []))).toEqual([true, false])
  })

  test('says what a run waits for, and which servers it does without', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event({ type: 'tools-wait', server: 'words' }))
    timeline.push(event({ type: 'error', code: 'mcp_server_unavailable', detail: 'words: no answer' }))
    expect(timeline.items.map((item) => item.kind === 'note' && item.note)).toEqual([
      { type: 'tools', server: 'words' },
      { type: 'error', code: 'mcp_server_unavailable', detail: 'words: no answer' },
    ])
    expect(timeline.items.every(isMain)).toBe(true)
  })

  test('shows an answer once that the model writes as its text and gives to finish as well', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    const answer = (text: string) => delta('m1', text, { type: 'answer-delta', call_id: 'c1' })
    for (const one of [event(started('m1', 1)), delta('m1', '\nIt is so.'), answer('It is '), answer('so.')])
      timeline.push(one)
    expect(shown(timeline.items)).toEqual(['reply \nIt is so. …'])
    timeline.push(
      event(message('m1', { content: '\nIt is so.', tool_calls: made('c1', 'finish', { reason: 'It is so.' }) })),
    )
    timeline.push(event(ended('It is so.')))
    expect(shown(timeline.items)).toEqual(['reply \nIt is so.', 'end'])
  })

  test('shows the whole of an answer that only begins as the text does', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    const answer = (text: string) => delta('m1', text, { type: 'answer-delta', call_id: 'c1' })
    for (const one of [event(started('m1', 1)), delta('m1', 'It is so, I think.'), answer('It is '), answer('not.')])
      timeline.push(one)
    expect(shown(timeline.items)).toEqual(['reply It is so, I think.\n\nIt is not. …'])
  })

  test('drops what a repeated call of the model makes void', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    for (const one of [event(started('m1', 1)), delta('m1', 'Half'), event(started('m2', 2)), delta('m2', 'Whole')])
      timeline.push(one)
    expect(shown(timeline.items)).toEqual(['note again', 'reply Whole …'])
  })

  test('tells nothing twice when the stream is taken up behind the last event', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    for (const one of [event(started('m1', 1)), delta('m1', 'Hel')]) timeline.push(one)
    timeline.dropLive()
    for (const one of [delta('m1', 'Hel'), delta('m1', 'lo')]) timeline.push(one)
    expect(shown(timeline.items)).toEqual(['reply Hello …'])
  })

  test('hides the calls within a text, and gives the answer of the finish tool once', ({ expect }) => {
    const timeline = new Timeline(['web_access'], 'en')
    timeline.push(event(message('m1', { content: 'I look. <web_access><url>x</url></web_access>' })))
    timeline.push(event(message('m2', { content: '', tool_calls: made('c2', 'finish', { reason: 'It is so.' }) })))
    timeline.push(event(ended('It is so.')))
    expect(shown(timeline.items)).toEqual(['reply I look. ', 'reply It is so.', 'end'])
  })

  test('shows a result that no reply has said', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event(ended('From all of them')))
    expect(shown(timeline.items)).toEqual(['end From all of them'])
  })

  test('shows a reply that was cut as it is, until its call is made again, and one that is rejected as set aside', ({
    expect,
  }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event(started('m1', 1)))
    timeline.push(delta('m1', 'Half of'))
    timeline.push(event(message('m1', { content: 'Half of', cut: true })))
    expect(timeline.items).toMatchObject([{ isCut: true, isLive: false, isRejected: false }])
    const older = new Timeline([], 'en')
    older.prepend([event(message('m1', { content: 'Half of', cut: true })), event(started('m2', 2))])
    timeline.push(event(started('m2', 2)))
    timeline.push(event(message('m2', { content: 'No call.', rejected: true })))
    expect(shown(timeline.items)).toEqual(['note again', 'reply No call.'])
    expect(shown(older.items)).toEqual(['note again'])
    expect(timeline.items.at(-1)).toMatchObject({ isCut: false, isRejected: true })
  })

  test('knows an answer that its service cut, also where its end is read first', ({ expect }) => {
    const said = event(message('m1', { content: 'Par' }))
    const tooLong = (reason: string, isOlder: boolean) => {
      const timeline = new Timeline([], 'en')
      if (!isOlder) timeline.push(said)
      timeline.push(event(endedCall('m1', reason)))
      if (isOlder) timeline.prepend([said])
      return timeline.items.map((item) => item.kind === 'reply' && item.isTooLong)
    }
    for (const isOlder of [true, false]) {
      expect(tooLong('length', isOlder)).toEqual([true])
      expect(tooLong('stop', isOlder)).toEqual([false])
    }
  })

  test('sets an answer aside that was shown while it was written, and then refused', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event(started('m1', 1)))
    timeline.push(delta('m1', 'four', { type: 'answer-delta', call_id: 'c1' }))
    const tool_calls = made('c1', 'finish', { reason: 'four' })
    timeline.push(event(message('m1', { tool_calls, rejected: true })))
    expect(timeline.items.filter(({ kind }) => kind === 'reply')).toMatchObject([{ isRejected: true, isLive: false }])
    timeline.push(event(ended('{"n":4}')))
    expect(shown(timeline.items).at(-1)).toBe('end {"n":4}')
  })

  test('shows a reply that the model was warned of as set aside, and no other', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    const reply = (id: string, content: string, calls: Message['tool_calls'] = []) =>
      timeline.push(event(message(id, { content, tool_calls: calls })))
    const warned = () => timeline.push(event(message('w', { role: 'system', kind: 'warning', content: '[Warning]' })))
    const aside = () => timeline.items.flatMap((item) => (item.kind === 'reply' && item.isRejected ? [item.key] : []))
    reply('m1', 'Think.', made('c1', 'rethink'))
    warned()
    expect(aside(), 'a warning of what calls came to').toEqual([])
    reply('m2', 'Paris.')
    warned()
    reply('m3', 'Paris.')
    timeline.push(event(ended('Paris.')))
    expect(aside()).toEqual(['m2'])
    timeline.push({
      ...event(message('w2', { role: 'system', kind: 'warning', content: '[Warning]' })),
      run_id: 'run_2',
    })
    expect(aside(), 'a warning in another run').toEqual(['m2'])
    expect(shown(timeline.items)).toEqual([
      'reply Think.',
      'note warning',
      'reply Paris.',
      'note warning',
      'reply Paris.',
      'end',
      'note warning',
    ])
  })

  test('shows what there is of a result, though a reply that was set aside says it', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event(message('m1', { content: 'no JSON' })))
    timeline.push(event(message('w', { role: 'system', kind: 'warning', content: '[Warning]' })))
    timeline.push(event(ended('no JSON')))
    expect(shown(timeline.items).at(-1)).toBe('end no JSON')
  })

  test('knows which part of a result comes from outside', async ({ expect }) => {
    const timeline = new Timeline([], 'en')
    timeline.push(event(message('m1', { tool_calls: [...made('c1', 'web_access'), ...made('c2', 'list_files')] })))
    const page = `Page\n${await fence('do [this]', 'outside', 'end', 'secret')}\n(cut)`
    const results = { c1: page, c2: 'notes.md' }
    for (const [id, content] of Object.entries(results))
      timeline.push(event(message(`m${id}`, { role: 'tool', kind: 'tool_result', tool_call_id: id, content })))
    const outside = timeline.items.map((item) => item.kind === 'call' && item.outside)
    expect(outside[0] && page.slice(outside[0].inside.start, outside[0].inside.end)).toBe('do [this]')
    expect(outside[0] && page.slice(0, outside[0].outer.start) + page.slice(outside[0].outer.end)).toBe('Page\n\n(cut)')
    expect(outside[1]).toBeNull()
  })

  test('passes over what only a later release knows', ({ expect }) => {
    const known: EventBody = { type: 'error', code: 'later', detail: 'thing' }
    const later: SessionEvent = Object.assign(event(known), { type: 'later-thing' })
    const timeline = new Timeline([], 'en')
    for (const one of [event(started('m1', 1)), later, event(ended('ok'))]) timeline.push(one)
    timeline.prepend([later])
    expect(shown(timeline.items)).toEqual(['end ok'])
  })

  test('shows a file that a message brings along with it alone, and a later change of it', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    const content: Message['content'] = [{ type: 'file', path: 'a.txt', media_type: 'text/plain', size: 3 }]
    const file = { type: 'file', action: 'write', path: 'a.txt', size: 3 } as const
    timeline.push(event(message('m1', { role: 'user', kind: 'task', content })))
    for (const one of [event(file), { ...event(file), time: '2026-11-21T00:01:00.000Z' }]) timeline.push(one)
    expect(shown(timeline.items)).toEqual(['said', 'note file'])
  })

  test('shows no change of a file beside the call that made it', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    const file = (path: string) => event({ type: 'file', action: 'write', path, size: 3 })
    timeline.push(event(message('m1', { content: '', tool_calls: made('c1', 'write_file', { path: 'a.txt' }) })))
    for (const path of ['a.txt', 'b.txt']) timeline.push(file(path))
    expect(timeline.items.flatMap((item) => (item.kind === 'note' ? [item.note] : []))).toEqual([
      { type: 'file', action: 'write', path: 'b.txt', size: 3 },
    ])
  })

  test('tells by its result how a call went, where messages are all there is', ({ expect }) => {
    const timeline = new Timeline([], 'en')
    const results = {
      a: '[web_access] content:\n\npage',
      b: '[写入文件]执行成功。',
      c: '[web_access] failed: no such host',
      d: '[警告]工具"x"不存在！',
      e: 'what a client brought along',
    }
    for (const id of Object.keys(results)) timeline.push(event(message(`m${id}`, { tool_calls: made(id, id) })))
    for (const [id, content] of Object.entries(results))
      timeline.push(event(message(`r${id}`, { role: 'tool', kind: 'tool_result', tool_call_id: id, content })))
    const states = timeline.items.flatMap((item) => (item.kind === 'call' ? `${item.tool} ${item.status}` : []))
    expect(states).toEqual(['a ok', 'b ok', 'c failed', 'd failed', 'e made'])
  })

  test('knows a workflow that ended since a person refused a step, from one that failed', ({ expect }) => {
    const decides = (decision: Decision): EventBody => ({ type: 'pending-end', id: 'p', decision })
    const ends = (step: string, code: string): EventBody => {
      return { type: 'step-end', step, status: 'failed', error: { code, message: 'No.' } }
    }
    const failed: EventBody = {
      type: 'run-end',
      status: 'failed',
      finish_reason: 'failed',
      result: null,
      usage: NO_USAGE,
      error: { code: 'step_failed', detail: 'agree: No.' },
    }
    const isRefused = (...events: EventBody[]) => {
      const timeline = new Timeline([], 'en')
      for (const body of [...events, failed]) timeline.push(event(body))
      const last = timeline.items.at(-1)
      return last?.kind === 'end' && last.isRefused
    }
    expect(isRefused(decides('reject'), ends('each[0].agree', 'refused'), ends('each[0]', 'step_failed'))).toBe(true)
    expect(isRefused(decides('reject'), ends('a', 'refused'), ends('b', 'tool_failed'))).toBe(false)
    expect(isRefused(decides('approve'), ends('b', 'tool_failed'))).toBe(false)
    // The server does not permit it: no person was asked.
    expect(isRefused(ends('b', 'refused'))).toBe(false)
  })

  test('joins a call with its end and its result, in whichever part of the log they are', ({ expect }) => {
    const call = event(message('m1', { tool_calls: made('c1', 'web_access') }))
    const start = event({ type: 'tool-start', call_id: 'c1', tool: 'web_access', arguments: { url: 'x' }, attempt: 1 })
    const end = event({ type: 'tool-end', call_id: 'c1', ok: true, ms: 12, digest: '' })
    const result = event(message('m2', { role: 'tool', kind: 'tool_result', tool_call_id: 'c1', content: 'page' }))
    const whole = new Timeline([], 'en')
    for (const one of [call, start, end, result]) whole.push(one)
    const inParts = new Timeline([], 'en')
    for (const one of [end, result]) inParts.push(one)
    inParts.prepend([call, start])
    expect(shown(whole.items)).toEqual(['call web_access ok page'])
    expect(shown(inParts.items)).toEqual(shown(whole.items))

    const content = '[web_access] failed: the run was cancelled before this call ended.'
    const cut = event(message('m3', { role: 'tool', kind: 'tool_result', tool_call_id: 'c1', content }))
    const cancelled = new Timeline([], 'en')
    for (const one of [call, start, cut]) cancelled.push(one)
    expect(shown(cancelled.items)).toEqual([`call web_access failed ${content}`])
  })
})

describe('a team in the timeline', () => {
  const within = (scope: string | null, body: EventBody): SessionEvent => ({ ...event(body), scope })
  const said = (from: string, content: string, scope: string | null): SessionEvent =>
    within(scope, {
      type: 'team-message',
      message: { id: content, content, role: '', cause_by: '', sent_from: from, send_to: [], timestamp: TIME },
      heard_by: [],
    })
  const round = (number: number, roles: string[], scope: string | null = null) =>
    within(scope, { type: 'round-start', round: number, roles })
  const timelineOf = (events: readonly SessionEvent[]) => {
    const timeline = new Timeline([], 'en')
    for (const one of events) timeline.push(one)
    return timeline
  }
  const told = (timeline: Timeline) =>
    roundsOf(timeline.items).map(({ round: number, said: all }) => [number, all.map(({ message: m }) => m.content)])
  const task: PlanTask = {
    id: 'tsk_1',
    round: 1,
    name: 'crew',
    worker: 'crew',
    description: 'd',
    status: 'running',
    result: null,
    error: null,
    cost: null,
    started_time: null,
    ended_time: null,
  }

  test('has rounds that hold what was said in them, and what came before is round 0', ({ expect }) => {
    const events = [said('user', 'task', null), round(1, ['A']), said('A', 'draft', 'A'), round(2, ['B'])]
    expect(told(timelineOf(events))).toEqual([
      [0, ['task']],
      [1, ['draft']],
      [2, []],
    ])
    const later = timelineOf(events.slice(2))
    later.prepend(events.slice(0, 2))
    expect(told(later)).toEqual(told(timelineOf(events)))
  })

  test('shows the words of the user once, and those of a role as what it publishes', ({ expect }) => {
    const events = [
      event(message('m1', { role: 'user', kind: 'task', content: 'task' })),
      said('user', 'task', null),
      { ...event(message('m2', { content: 'draft' })), scope: 'A' },
      said('A', 'draft', 'A'),
      event(ended('draft')),
    ]
    expect(shown(timelineOf(events).items.filter(isMain))).toEqual(['said', 'team', 'end'])
  })

  test('tells of what an agent gives away by its calls alone', ({ expect }) => {
    const given = { ...task, call_id: 'call_1' }
    const planned = event({ type: 'plan', plan: { round: 1, status: 'running', tasks: [given] } })
    expect(shown(timelineOf([planned, event(ended('done'))]).items)).toEqual(['end done'])
  })

  test('tells how many sub-tasks a round adds, and of no round that adds none', ({ expect }) => {
    const planned = (round: number, tasks: PlanTask[]) =>
      event({ type: 'plan', plan: { round, status: 'running', tasks } })
    const second = { ...task, id: 'tsk_2', round: 2 }
    const timeline = timelineOf([planned(1, [task]), planned(2, [task, second]), planned(3, [task, second])])
    expect(timeline.items.map((item) => item.kind === 'note' && item.note)).toEqual([
      { type: 'plan', round: 1, tasks: 1 },
      { type: 'plan', round: 2, tasks: 1 },
    ])
  })

  test('that works at a sub-task is told by its result, in steps under the names of task and role', ({ expect }) => {
    const timeline = timelineOf([
      event({ type: 'plan', plan: { round: 1, status: 'running', tasks: [{ ...task, id: 'tsk_0' }, task] } }),
      within('tsk_1', { type: 'task-start', task }),
      said('user', 'd', 'tsk_1'),
      round(1, ['A'], 'tsk_1'),
      { ...event(message('m1', { content: 'draft' })), scope: 'tsk_1/A' },
      said('A', 'draft', 'tsk_1/A'),
      within('tsk_1', { type: 'task-end', task: { ...task, status: 'completed', result: 'draft' } }),
      event(ended('draft')),
    ])
    expect(shown(timeline.items.filter(isMain))).toEqual(['note plan', 'task', 'end draft'])
    const places = timeline.items.map((item) => timeline.placeOf(item))
    expect(places).toEqual([null, ...['', '', ' · A', ' · A', ''].map((role) => `#2 crew${role}`), null])
    expect(told(timeline)).toEqual([])
  })
})
