import { describe, test } from 'vitest'
import {
  type CallBudget,
  type ModelOutcome,
  type ModelSpec,
  type Protocol,
  type EncodedRequest,
  textIn,
} from '../../../src/domain/model.ts'
import { modelFailure } from '../../../src/models/failure.ts'
import type { ModelProvider } from '../../../src/models/provider.ts'
import { createModels } from '../../../src/models/try.ts'
import { specFor } from './call.ts'

const reply = (content: string): ModelOutcome => ({
  ok: true,
  reply: {
    content,
    reasoning: '',
    toolCalls: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
    stopReason: 'stop',
  },
})
const failed = (...how: Parameters<typeof modelFailure>): ModelOutcome => ({ ok: false, failure: modelFailure(...how) })
const CUT = failed('model_bad_answer', 'cut off')
const DOWN = failed('model_unavailable', 'down')

const model = (alias: string, more: Partial<ModelSpec> = {}) =>
  specFor('https://llm.test/v1', {}, { alias, retry: { times: 1, delayMs: 10 }, ...more })

/** What one model answers, in order; the last again and again. Text in it is heard. */
type Script = Record<string, readonly (ModelOutcome | { says: string; ends: ModelOutcome })[]>

/** One call on a chain of models, and what was done for it, in order. */
async function tried(
  chain: readonly [ModelSpec, ...ModelSpec[]],
  script: Script,
  allows = true,
  luck = 0.5,
  attempt = 1,
) {
  const [first, ...fallbacks] = chain
  const done: string[] = []
  const counts = new Map<string, number>()
  let time = 1_000
  const provider: ModelProvider = {
    ask: async ({ spec: { alias }, apiKey, observer, request }) => {
      const count = counts.get(alias) ?? 0
      counts.set(alias, count + 1)
      const said = textIn(request.messages[0]?.content ?? '')
      done.push(['ask', alias, said, ...(apiKey === null ? [] : [apiKey])].join(' '))
      const answers = script[alias] ?? []
      const answer = answers[Math.min(count, answers.length - 1)] ?? DOWN
      if (!('says' in answer)) return answer
      observer.onDelta('content', answer.says)
      return answer.ends
    },
  }
  const models = createModels({
    providers: { openai: provider },
    fetchFor: () => fetch,
    sleep: async (ms) => void done.push(`wait ${ms}`),
    random: () => luck,
    now: () => time++,
  })
  const say = (spec: ModelSpec, protocol: Protocol = spec.protocol): EncodedRequest => ({
    protocol,
    request: { messages: [{ role: 'user', content: protocol }] },
    observer: { onDelta: () => true, onArguments: () => false },
  })
  const budget: CallBudget = {
    reserve: async (spec, failure) => (done.push(`reserve ${spec.alias} ${failure.code}`), allows),
    tellWait: (spec, failure) => void done.push(`tell ${spec.alias} ${failure.code}`),
    settle: async (spec, outcome) => void done.push(`settle ${spec.alias} ${outcome?.ok ?? 'nothing sent'}`),
  }
  const spec = { ...first, fallbacks }
  const { signal } = new AbortController()
  const answered = await models.call({ spec, tenant: 'default', said: say(spec), say, attempt, budget, signal })
  return { done, answered }
}

describe('one call of a model', () => {
  test('asks the budgets before each try that follows another, and settles the last', async ({ expect }) => {
    const { done, answered } = await tried([model('a'), model('b')], { a: [CUT, DOWN], b: [reply('好')] })
    expect(done).toEqual([
      'ask a auto',
      'tell a model_bad_answer',
      'wait 15',
      'reserve a model_bad_answer',
      'ask a auto',
      'reserve b model_unavailable',
      'ask b auto',
      'settle b true',
    ])
    expect(answered).toMatchObject({ spec: { alias: 'b' }, outcome: reply('好'), againMs: null })
  })

  test('ends with its failure where no budget has room for one try more', async ({ expect }) => {
    const { done, answered } = await tried([model('a'), model('b')], { a: [CUT] }, false)
    expect(done).toEqual([
      'ask a auto',
      'tell a model_bad_answer',
      'wait 15',
      'reserve a model_bad_answer',
      'settle a false',
    ])
    expect(answered.outcome).toBe(CUT)
  })

  test('goes over all keys in each attempt, in each protocol, with each model', async ({ expect }) => {
    const two = { apiKey: 'k1', spareKeys: ['k2'] }
    const noTools = failed('model_rejected', 'no tools', { toolsRefused: true })
    const over = failed('model_rate_limited', 'slow down', { status: 429 })
    const script = { a: [over, over, over, noTools, DOWN], b: [reply('好')] }
    const { done } = await tried([model('a', two), model('b', { protocol: 'native' })], script)
    expect(done.filter((deed) => deed.startsWith('ask'))).toEqual([
      'ask a auto k1',
      'ask a auto k2',
      'ask a auto k1',
      'ask a auto k2',
      'ask a xml k2',
      'ask a xml k2',
      'ask b native',
    ])
  })

  test('is asked in text once where tools are refused', async ({ expect }) => {
    const noTools = failed('model_rejected', 'no tools', { toolsRefused: true })
    const { done } = await tried([model('a')], { a: [noTools] })
    expect(done.filter((deed) => deed.startsWith('ask'))).toEqual(['ask a auto', 'ask a xml'])
  })

  test('is not tried again, by nobody, after something of a reply was heard: it is to be made anew', async ({
    expect,
  }) => {
    const script: Script = { a: [{ says: '好', ends: CUT }], b: [reply('好')] }
    const { done, answered } = await tried([model('a'), model('b')], script)
    expect(done).toEqual(['ask a auto', 'settle a false'])
    expect(answered.againMs).toBe(15)
  })

  test('that broke off after something was heard is over where its failure will not pass', async ({ expect }) => {
    const long = failed('model_bad_answer', 'too long', { retryable: false })
    const { answered } = await tried([model('a')], { a: [{ says: '好', ends: long }] })
    expect(answered).toMatchObject({ outcome: long, againMs: null })
  })

  test('waits half of each step at least', async ({ expect }) => {
    const { done } = await tried([model('a', { retry: { times: 2, delayMs: 10 } })], { a: [DOWN] }, true, 0)
    expect(done.filter((deed) => deed.startsWith('wait'))).toEqual(['wait 10', 'wait 20'])
  })

  test('is made anew once after a time-out, however much of a reply was heard', async ({ expect }) => {
    const late = failed('model_timeout', 'late')
    const patient = model('a', { retry: { times: 5, delayMs: 10 } })
    const again = async (attempt: number) => {
      const { answered } = await tried([patient], { a: [{ says: '好', ends: late }] }, true, 0.5, attempt)
      return answered.againMs !== null
    }
    expect([await again(1), await again(2)]).toEqual([true, false])
  })
})
