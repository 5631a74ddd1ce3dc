import { expect, test } from 'vitest'
import { stateInWords } from '../../../src/cli/commands/chat.ts'
import { cellsOf } from '../../../src/cli/commands/models.ts'
import { textsOf } from '../../../src/cli/texts.ts'
import { EN } from '../../../src/console/texts/en.ts'
import { ZH } from '../../../src/console/texts/zh-cn.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'

test.for([
  ['en', EN],
  ['zh-CN', ZH],
] as const)('in %s the terminal says of a run and of a session what the console says', ([language, console]) => {
  const { finish, status, modes } = textsOf(language)
  const lower = (words: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(words).map(([name, word]) => [name, word.toLowerCase()]))
  expect(lower(console.finish)).toEqual(finish)
  expect(lower(console.status)).toMatchObject(status)
  expect(modes).toMatchObject(lower(console.task.orchestrators))
})

test('how a session stands is told in words, with the amounts as the console has them', () => {
  const session = {
    id: 'ses_1',
    status: 'interrupted',
    finish_reason: null,
    orchestrator: 'plan',
    usage: { ...NO_USAGE, total_tokens: 12_345, cost: { amount: 0.02804, currency: 'CNY' } },
    pending: [{ id: 'pnd_1', type: 'approval', tool: 'web_access' }],
  } as unknown as Parameters<typeof stateInWords>[0]
  expect(stateInWords(session, textsOf('zh-CN'))).toBe('等待中 · 先做计划 · 12,345 Token，¥0.03 · 等你决定：web_access')
  expect(
    stateInWords({ ...session, status: 'completed', finish_reason: 'completed', pending: [] }, textsOf('en')),
  ).toBe('completed · plan first · 12,345 tokens, CNY\u00a00.03')
})

test('what is said behind what has no full stop begins a sentence', () => {
  expect(textsOf('en').sentences('It is no JSON', 'Try again', '')).toBe('It is no JSON. Try again')
  expect(textsOf('zh-CN').sentences('不是 JSON', '请重试')).toBe('不是 JSON。请重试')
})

test('who can take a task is listed in words at a terminal, by the names of the API in a pipe', () => {
  const plan = { id: 'yaa/plan', object: 'model', kind: 'agent' } as unknown as Parameters<typeof cellsOf>[0]
  const cells = (isTTY: boolean) => cellsOf(plan, { stdout: { isTTY } as NodeJS.WriteStream, texts: textsOf('zh-CN') })
  expect(cells(true)).toEqual(['yaa/plan', '智能体', '先做计划'])
  expect(cells(false)).toEqual(['yaa/plan', 'agent', ''])
})
