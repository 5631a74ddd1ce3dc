import { test } from 'vitest'
import { approvingAll, asking, leavingAll } from '../../../../src/cli/run/decide.ts'
import type { Input } from '../../../../src/cli/run/input.ts'
import { textsOf } from '../../../../src/cli/texts.ts'
import type { Pending } from '../../../../src/domain/pending.ts'

const times = { created_time: '', expires_time: '', scope: null }
const approval: Pending = {
  id: 'pnd_1',
  type: 'approval',
  tool: 'web_access',
  arguments: { url: 'x' },
  arguments_hash: 'h',
  ...times,
}
const question: Pending = { id: 'pnd_2', type: 'question', question: 'Which?', options: ['red', 'blue'], ...times }

/** A person who types these lines, then nothing more. */
function typed(...lines: string[]): Input {
  const left = [...lines]
  return { ask: async () => left.shift() ?? null, interrupted: () => false, close: () => {} }
}

test.for([
  { lines: ['y'], decision: { decision: 'approve', arguments_hash: 'h' } },
  { lines: ['', 'what?', 'YES'], decision: { decision: 'approve', arguments_hash: 'h' } },
  { lines: ['是'], decision: { decision: 'approve', arguments_hash: 'h' } },
  { lines: ['n'], decision: { decision: 'reject', arguments_hash: 'h' } },
  { lines: ['n not that site'], decision: { decision: 'reject', arguments_hash: 'h', feedback: 'not that site' } },
  { lines: ['e', '{"url":"y"}'], decision: { decision: 'approve', arguments_hash: 'h', arguments: { url: 'y' } } },
  {
    lines: ['e', '', '{broken', '[1]', '{"url":"y"}'],
    decision: { decision: 'approve', arguments_hash: 'h', arguments: { url: 'y' } },
  },
  { lines: ['e {"url":"z"}'], decision: { decision: 'approve', arguments_hash: 'h', arguments: { url: 'z' } } },
  { lines: [], decision: null },
  { lines: ['e'], decision: null },
])('typing $lines at an approval decides $decision', async ({ lines, decision }, { expect }) => {
  expect(await asking(typed(...lines), textsOf('en'))(approval)).toEqual(decision)
})

test.for([
  { lines: ['2'], answer: 'blue' },
  { lines: ['', '9'], answer: '9' },
  { lines: ['a dark green'], answer: 'a dark green' },
])('typing $lines at a question answers $answer', async ({ lines, answer }, { expect }) => {
  expect(await asking(typed(...lines), textsOf('zh-CN'))(question)).toEqual({ decision: 'answer', answer })
})

const waiting: Pending = {
  id: 'pnd_3',
  type: 'tool_call',
  tool: 'find_order',
  arguments: { number: 7 },
  arguments_hash: 'h',
  ...times,
}

test.for([
  { lines: ['{"place":"Köln"}'], said: { result: { place: 'Köln' }, arguments_hash: 'h' } },
  { lines: ['', 'on its way', 'null'], said: { result: null, arguments_hash: 'h' } },
  { lines: ['! the shop is closed'], said: { error: 'the shop is closed', arguments_hash: 'h' } },
  { lines: ['！商店关门了'], said: { error: '商店关门了', arguments_hash: 'h' } },
  { lines: ['!'], said: null },
])('typing $lines at a call that waits for its caller says $said', async ({ lines, said }, { expect }) => {
  expect(await asking(typed(...lines), textsOf('en'))(waiting)).toEqual(said)
  expect(await approvingAll(leavingAll)(waiting)).toBeNull()
})

test('--yes approves calls with the arguments that were shown, and leaves questions to the person', async ({
  expect,
}) => {
  const decide = approvingAll(leavingAll)
  expect(await decide(approval)).toEqual({ decision: 'approve', arguments_hash: 'h' })
  expect(await decide(question)).toBeNull()
})
