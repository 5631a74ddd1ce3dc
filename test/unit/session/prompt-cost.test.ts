import { afterAll, beforeAll, describe, test } from 'vitest'
import { forgive } from '../../../src/agent/forgiving.ts'
import { codecFor } from '../../../src/agent/codec.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { ModelMessage, ModelRequest } from '../../../src/domain/model.ts'
import { estimateRequest } from '../../../src/models/estimate.ts'
import { TOOLS } from '../agent/example-tools.ts'
import type { Asked } from '../../support/peers.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { startPlay } from '../../support/play.ts'
import { native, WORDS } from '../../support/words.ts'

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('memory')
})
afterAll(() => home.close())

/** Tokens of the first request of a one-line task: goals of design/cost. Chinese may take 1.2 times what English does. */
const GOALS = { native: 1_200, auto: 1_200, xml: 1_500 } as const
const TASKS = {
  en: ['What is the capital of France?', 'Who wrote the novel Moby Dick?'],
  'zh-CN': ['法国的首都是哪里？', '《白鲸》的作者是谁？'],
} as const

async function firstRequest(config: SessionConfig, task: string): Promise<Asked['body']> {
  const words = WORDS.en
  const script = config.llm?.protocol === 'xml' ? [words.finish('ok')] : [native('finish', { reason: 'ok' })]
  const play = await startPlay(home, { config, script })
  await play.create()
  await play.send(task)
  const [first] = await play.asked()
  if (!first) throw new Error('no model was asked')
  return first.body
}

function tokensOf({ messages, tools = [] }: Asked['body']): number {
  const request: ModelRequest = {
    messages: messages.map(({ role, content }): ModelMessage => ({
      role: role === 'system' ? role : 'user',
      content: String(content),
    })),
    tools: tools.map(({ function: { name, description = '', parameters = {} } }) => ({
      name,
      description,
      parameters,
    })),
  }
  return estimateRequest(request)
}

/** What services read, in their order: the tools, then the messages. */
const readOf = ({ messages, tools = [] }: Asked['body']) => JSON.stringify([tools, messages])

function commonChars(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

describe.for(['en', 'zh-CN'] as const)('the prompt of a one-line task, %s', (language) => {
  const [task, other] = TASKS[language]

  test.for(['native', 'auto', 'xml'] as const)('%s: keeps to its tokens', async (protocol, { expect }) => {
    const tokens = tokensOf(await firstRequest({ language, llm: { protocol } }, task))
    expect(tokens).toBeGreaterThan(400)
    expect(tokens).toBeLessThanOrEqual(GOALS[protocol] * (language === 'en' ? 1 : 1.2))
  })

  test.for(['native', 'auto', 'xml'] as const)(
    '%s: a second session reads the same but for its end',
    async (protocol, { expect }) => {
      const config: SessionConfig = { language, llm: { protocol }, instructions: 'Be brief.' }
      const [one, two] = [readOf(await firstRequest(config, task)), readOf(await firstRequest(config, other))]
      expect(commonChars(one, two) / one.length).toBeGreaterThanOrEqual(0.9)
    },
  )

  test.for(['native', 'xml'] as const)(
    '%s: holds nothing that would be a call where it is repeated',
    async (protocol, { expect }) => {
      const { messages } = await firstRequest({ language, llm: { protocol } }, task)
      // Where a secret may go is an address of the operator's.
      const prompt = String(messages[0]?.content).replace(/PAGES \(\S+\)/, 'PAGES')
      expect(prompt).not.toMatch(/https?:\/\//)
      expect(prompt).not.toMatch(/\[(?:tool name|工具名)\]/)
      for (const content of [prompt, ...prompt.split('\n\n')]) {
        const reply = { content, reasoning: '', toolCalls: [], stopReason: null, usage: NO_TOKENS }
        const { calls, problem } = forgive(codecFor('xml').decode(reply, TOOLS, language), reply, TOOLS, 'xml')
        expect([calls, problem]).toEqual([[], { code: 'no_tool_called' }])
      }
    },
  )
})

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }
