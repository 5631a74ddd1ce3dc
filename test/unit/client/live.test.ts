import { describe, test } from 'vitest'
import type { Message } from '../../../src/domain/message.ts'
import type { SessionEvent, StreamedDelta } from '../../../src/domain/event.ts'
import { LiveMessages } from '../../../src/client/live/messages.ts'
import { Shared } from '../../../src/client/live/store.ts'

const PLACE = { seq: 1, run_id: 'run_1', time: '2026-11-23T00:00:00Z', scope: null }

const message = (id: string, content: string, more: Partial<Message> = {}): Message => ({
  id,
  seq: 1,
  run_id: 'run_1',
  role: 'assistant',
  kind: 'reply',
  created_time: PLACE.time,
  scope: null,
  content,
  ...more,
})
const delta = (id: string, text: string): StreamedDelta => ({
  ...PLACE,
  type: 'message-delta',
  message_id: id,
  delta: text,
})
const answer = (id: string, text: string): StreamedDelta => ({
  ...PLACE,
  type: 'answer-delta',
  message_id: id,
  call_id: 'call_1',
  delta: text,
})
const starts = (id: string, purpose?: 'plan'): SessionEvent => ({
  ...PLACE,
  type: 'model-start',
  message_id: id,
  model: 'm',
  attempt: 1,
  reserved_tokens: 1,
  reserved_cost: null,
  ...(purpose ? { purpose } : {}),
})
const wrote = (one: Message): SessionEvent => ({ ...PLACE, type: 'message', message: one })
const textsOf = (messages: LiveMessages) => messages.all().map(({ text }) => text)

describe('the messages of a live session', () => {
  test('leave calls and thoughts out of the text as it is written, as when it is whole', ({ expect }) => {
    const messages = new LiveMessages(['web_access', '访问网页'], [])
    const whole = '<think>hm</think>I look. <web_access><url>http://x</url></web_access>'
    for (const piece of ['<thi', 'nk>hm</think>I ', 'look. <web_', 'access><url>http://x</url></web', '_access>'])
      messages.delta(delta('msg_1', piece))
    expect(messages.all()).toMatchObject([
      { id: 'msg_1', text: 'I look. ', reasoning: 'hm', isWriting: true, message: null },
    ])
    messages.take(wrote(message('msg_1', whole)))
    expect(messages.all()).toMatchObject([
      { text: 'I look. ', reasoning: 'hm', isWriting: false, message: { content: whole } },
    ])
  })

  test('show an answer once that a reply says and gives to finish', ({ expect }) => {
    const messages = new LiveMessages([], [])
    for (const event of [delta('msg_1', 'It boils.'), answer('msg_1', 'It '), answer('msg_1', 'boils.')])
      messages.delta(event)
    expect(textsOf(messages)).toEqual(['It boils.'])
    const finish = [{ id: 'call_1', name: 'finish', arguments: { reason: 'It boils.' } }]
    messages.take(wrote(message('msg_1', 'It boils.', { tool_calls: finish })))
    messages.take(wrote(message('msg_2', 'Look:', { tool_calls: finish })))
    expect(textsOf(messages)).toEqual(['It boils.', 'Look:\n\nIt boils.'])
  })

  test('drop what a repeated call makes void, and a cut reply whose call is made again', ({ expect }) => {
    const messages = new LiveMessages([], [message('msg_0', 'cut sho', { cut: true })])
    messages.delta(delta('msg_1', 'half'))
    messages.take(starts('msg_2'))
    messages.delta(delta('msg_2', 'whole'))
    expect(textsOf(messages)).toEqual(['whole'])
    messages.take({
      ...PLACE,
      type: 'run-end',
      status: 'cancelled',
      finish_reason: 'cancelled',
      result: null,
      error: null,
      usage: USAGE,
    })
    expect(textsOf(messages)).toEqual([])
  })

  test('hold no prompt, no warning and nothing of a plan as it is written', ({ expect }) => {
    const prompts = [
      message('p', '<role>', { role: 'system', kind: 'prompt' }),
      message('w', 'call a tool', { role: 'user', kind: 'warning' }),
    ]
    const messages = new LiveMessages([], prompts)
    for (const one of prompts) messages.take(wrote(one))
    messages.take(starts('msg_1', 'plan'))
    messages.delta(delta('msg_1', '{"plan": ['))
    expect(messages.all()).toEqual([])
  })
})

const USAGE = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  model_calls: 0,
  tool_calls: 0,
  iterations: 0,
  cost: null,
}

test('stores are shared by client and name, and by no other client', ({ expect }) => {
  const shared = new Shared<{ name: string }>()
  const [one, two] = [{}, {}]
  const make = (name: string) => () => ({ name })
  const first = shared.of(one, 'a', make('a'))
  expect(shared.of(one, 'a', make('again'))).toBe(first)
  expect(shared.of(one, 'b', make('b'))).not.toBe(first)
  expect(shared.of(two, 'a', make('a'))).not.toBe(first)
})
