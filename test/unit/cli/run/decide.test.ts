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
function typed(...lines: string[]): Pick<Input, 'ask'> {
  const left = [...lines]
  return { ask: async () => left.shift() ?? null }
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

const step: Pending = { ...approval, tool: 'workflow', arguments: { step: 'agree', approval: 'Send it?' } }

test('a step of a workflow is agreed to or refused, and not edited', async ({ expect }) => {
  const texts = textsOf('en')
  const asked: string[] = []
  const lines = ['e {"url":"y"}', 'no too dear']
  const ask = async (question: string) => {
    asked.push(question)
    return lines.shift() ?? null
  }
  expect(await asking({ ask }, texts)(step)).toEqual({
    decision: 'reject',
    arguments_hash: 'h',
    feedback: 'too dear',
  })
  expect(asked).toEqual([texts.decideStep, texts.decideStepAgain])
  const person = pressing(['y'])
  expect(await asking(person, texts)(step)).toEqual({ decision: 'approve', arguments_hash: 'h' })
  expect(person.seen).toEqual([texts.decideStepKeys])
})

/** A person at a terminal who presses these keys, types these lines and leaves these texts; null: by Esc. */
function pressing(keys: (string | null)[], lines: (string | null)[] = [], texts: (string | null)[] = []) {
  const seen: string[] = []
  const next = (question: string, left: (string | null)[]) => {
    seen.push(question)
    return left.shift() ?? null
  }
  return {
    seen,
    ask: async (question: string) => next(question, lines),
    key: async (question: string) => next(question, keys),
    edit: async (text: string) => next(text, texts),
  }
}

test.for([
  { keys: ['y'], decision: { decision: 'approve', arguments_hash: 'h' } },
  { keys: ['否'], decision: { decision: 'reject', arguments_hash: 'h' } },
  { keys: ['r'], lines: ['too far'], decision: { decision: 'reject', arguments_hash: 'h', feedback: 'too far' } },
  { keys: ['r', 'y'], lines: [null], decision: { decision: 'approve', arguments_hash: 'h' } },
  { keys: [null], decision: null },
  {
    keys: ['e', 'y'],
    texts: ['{"url":"y"}'],
    decision: { decision: 'approve', arguments_hash: 'h', arguments: { url: 'y' } },
    says: 'as edited: web_access y',
  },
  { keys: ['e', 'n'], texts: ['{"url":"y"}'], decision: { decision: 'reject', arguments_hash: 'h' } },
  { keys: ['e', null], texts: [null], decision: null, says: 'Nothing was changed.' },
  {
    keys: ['e', 'y'],
    texts: ['{"url": "x"}'],
    decision: { decision: 'approve', arguments_hash: 'h' },
    says: 'Nothing was changed.',
  },
  {
    keys: ['e', 'e', 'y'],
    texts: ['{broken', '{"url":"z"}'],
    decision: { decision: 'approve', arguments_hash: 'h', arguments: { url: 'z' } },
    says: 'That is not a JSON object.',
  },
])('pressing $keys decides $decision', async ({ keys, lines, texts, decision, says = '' }, { expect }) => {
  const person = pressing(keys, lines, texts)
  expect(await asking(person, textsOf('en'))(approval)).toEqual(decision)
  expect(person.seen.join('\n')).toContain(says)
})

test('what cannot be read is there again for who edits once more', async ({ expect }) => {
  const person = pressing(['e', 'e', 'y'], [], ['{broken', '{"url":"z"}'])
  await asking(person, textsOf('zh-CN'))(approval)
  expect(person.seen.slice(1, 4)).toEqual([
    '{\n  "url": "x"\n}',
    expect.stringContaining('这不是 JSON 对象'),
    '{broken',
  ])
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

const connection = { of: 'connection', name: 'desk', origin: 'https://desk.example', user: 'ana' } as const
const lacking = (wants: 'secret' | 'grant'): Pending => ({ ...question, connection: { ...connection, wants } })

test.for([
  { wants: 'secret', lines: ['s3cret'], decided: { secret: 's3cret' } },
  { wants: 'secret', lines: [''], decided: { decision: 'reject' } },
  { wants: 'secret', lines: [], decided: null },
  { wants: 'grant', lines: [''], decided: { decision: 'answer', answer: 'done' } },
  { wants: 'grant', lines: ['n'], decided: { decision: 'reject' } },
  { wants: 'grant', lines: [], decided: null },
] as const)('typing $lines where a $wants is wanted gives $decided', async ({ wants, lines, decided }, { expect }) => {
  const options: unknown[] = []
  const left = [...lines]
  const ask: Input['ask'] = async (_, given) => {
    options.push(given?.isSecret)
    return left.shift() ?? null
  }
  expect(await asking({ ask }, textsOf('en'))(lacking(wants))).toEqual(decided)
  expect(options).toEqual([wants === 'secret' ? true : undefined])
})
