import { afterEach, beforeEach, describe, test } from 'vitest'
import type { ScriptInput } from '../../../src/cli/mock-model/script.ts'
import { toolView } from '../../../src/tools/all-tools.ts'
import { countWords } from '../../support/count-words.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { startPlay } from '../../support/play.ts'
import { native } from '../../support/words.ts'

let home: NodeHome
beforeEach(async () => {
  home = await nodeHome('memory', [countWords])
})
afterEach(() => home.close())

const opened = (script: ScriptInput, protocol: 'native' | 'xml' = 'native') =>
  startPlay(home, { script, config: { language: 'en', llm: { protocol } } })
const counting = native('count_words', { text: 'a log decides' })

describe('a tool that is added by its file and one line', () => {
  test('waits for an approval, runs, and its result reaches the model', async ({ expect }) => {
    const play = await opened([counting, native('finish', { reason: 'three' })])
    await play.create({ task: 'Count' })
    expect(await play.pending()).toMatchObject({ type: 'approval', tool: 'count_words', risk: 'write' })
    expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: 'three' })
    const [result] = (await play.messages()).filter(({ role, kind }) => role === 'tool' || kind === 'tool_result')
    expect(JSON.stringify(result)).toContain('3 words')
  })

  test.for([
    ['native', native('finish', { reason: 'done' })],
    ['xml', { content: '<finish><reason>done</reason></finish>' }],
  ] as const)('is offered to a model by %s', async ([protocol, answer], { expect }) => {
    const play = await opened([answer], protocol)
    expect(await play.create({ task: 'Count' })).toMatchObject({ status: 'completed', result: 'done' })
    const [asked] = await play.asked(1)
    expect(JSON.stringify(asked)).toContain('Counts the words of a text.')
  })

  test('runs at once where the session allows it', async ({ expect }) => {
    const play = await opened([counting, native('finish', { reason: 'three' })])
    const session = await play.create({
      task: 'Count',
      config: { tools: { count_words: { permission: 'allow' } } },
    })
    expect(session).toMatchObject({ status: 'completed', result: 'three', pending: [] })
  })

  test('has its arguments checked before it runs', async ({ expect }) => {
    const play = await opened([native('count_words', { words: 1 }), native('finish', { reason: 'none' })])
    const session = await play.create({ task: 'Count' })
    expect(session).toMatchObject({ status: 'completed', pending: [] })
    expect(JSON.stringify(session.messages)).toContain('words')
    expect(await play.events()).not.toContainEqual(expect.objectContaining({ type: 'tool-start', tool: 'count_words' }))
  })

  test('is listed as GET /v1/tools lists the others', ({ expect }) => {
    expect(toolView(countWords, {})).toMatchObject({
      id: 'count_words',
      object: 'tool',
      names: { 'zh-CN': '数词', en: 'count_words' },
      parameters: { text: { names: { 'zh-CN': '文本', en: 'text' }, required: true } },
      input_schema: { type: 'object', required: ['text'] },
      risk: 'write',
      enabled: true,
      permission: 'ask',
    })
  })
})
