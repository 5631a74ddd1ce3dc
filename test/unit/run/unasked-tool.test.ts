import { afterAll, beforeAll, test } from 'vitest'
import { WHOLE, MODULES } from '../../../src/orchestrators/all.ts'
import { createRegistry } from '../../../src/orchestrators/registry.ts'
import { MAIN } from '../../../src/domain/state.ts'
import type { Tool } from '../../../src/domain/tool.ts'
import type { Move, RunView } from '../../../src/engine/move.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { countWords } from '../../support/count-words.ts'
import { startPlay } from '../../support/play.ts'
import { native, WORDS } from '../../support/words.ts'

const words = WORDS['zh-CN']
const agent = WHOLE.get('agent')

/** An agent that has every open call made at once, whatever its config says. */
function hasty(view: RunView): Move[] {
  const calls = view.run.scopes[MAIN]?.calls ?? []
  const open = calls.filter(({ id, status }) => status === 'open' && !view.inFlight.has(`tool:${id}`))
  if (open.length === 0) return agent.decide(view)
  return open.map(({ id }) => ({ type: 'call-tool', scope: null, key: `tool:${id}`, callId: id, attempt: 1 }))
}

const asking: Tool = {
  ...countWords,
  run: async (args, { answer }) =>
    answer
      ? { ok: true, content: `${JSON.stringify(args)} ${answer.said}` }
      : { ok: false, reason: 'How?', asks: { question: 'How?', options: null, state: '{}' } },
}

let home: NodeHome
beforeAll(async () => {
  const modules = MODULES.map((one) => (one.name === 'agent' ? { ...one, decide: hasty } : one))
  home = await nodeHome('memory', [asking], {}, fetch, createRegistry(modules))
})
afterAll(() => home.close())

test('a tool that an orchestrator has run without a word of anybody asks instead', async ({ expect }) => {
  const play = await startPlay(home, { script: (page) => [words.visit(page('zh')), words.finish('好')] })
  await play.create()
  expect(await play.send(words.task)).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
  expect(await play.site.visits()).toEqual([])
  expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '好' })
  expect(await play.site.visits()).toHaveLength(1)
})

test('one that is denied is refused', async ({ expect }) => {
  const denied = { tools: { web_access: { rules: [{ host: '127.0.0.1', permission: 'deny' as const }] } } }
  const play = await startPlay(home, {
    script: (page) => [words.visit(page('zh')), words.finish('好')],
    config: denied,
  })
  await play.create()
  expect(await play.send(words.task)).toMatchObject({ status: 'completed' })
  expect((await play.events()).some(({ type }) => type === 'pending')).toBe(false)
  expect(await play.site.visits()).toEqual([])
})

test('one that asks while it runs goes on with the arguments that a human edited', async ({ expect }) => {
  const play = await startPlay(home, {
    script: [native('count_words', { text: 'model' }), native('finish', { reason: 'ok' })],
    config: { llm: { protocol: 'native' } },
  })
  await play.create({ task: 'Count' })
  const edited = { decision: 'approve', arguments: { text: 'human' } } as const
  expect(await play.decide(edited)).toMatchObject({ pending: [{ type: 'question', question: 'How?' }] })
  expect(await play.decide({ decision: 'answer', answer: 'fast' })).toMatchObject({ status: 'completed' })
  const results = (await play.messages()).filter(({ kind }) => kind === 'tool_result')
  expect(JSON.stringify(results)).toContain('human')
  expect(JSON.stringify(results)).not.toContain('model')
})
