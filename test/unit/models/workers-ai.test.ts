import { describe, test } from 'vitest'
import type { WorkersAi } from '../../../src/models/provider.ts'
import { WEB_ACCESS, failureIn, replyOf, specFor, tryCall, wired } from './call.ts'

const spec = specFor('', { provider: 'workers-ai', model: '@cf/a/b', max_tokens: 9 })
const ask = (workersAi: WorkersAi | null, more = {}) => tryCall(spec, { tools: [WEB_ACCESS] }, { workersAi, ...more })

describe('the Workers AI binding', () => {
  test('is given the model, the request and the signal', async ({ expect }) => {
    const seen: unknown[] = []
    const run: WorkersAi['run'] = async (model, input, options) => {
      seen.push(model, input, options?.signal instanceof AbortSignal)
      return { response: 'ok', usage: { prompt_tokens: 1, completion_tokens: 2 } }
    }
    const reply = replyOf(await ask({ run }))
    expect(reply).toMatchObject({ content: 'ok', usage: { prompt_tokens: 1, completion_tokens: 2 } })
    expect(seen).toEqual([
      '@cf/a/b',
      {
        messages: [{ role: 'user', content: '你好' }],
        max_tokens: 9,
        stream: true,
        stream_options: { include_usage: true },
        tools: [wired(WEB_ACCESS)],
      },
      true,
    ])
  })

  test('is sent no schema, which it takes in another form and in no stream', async ({ expect }) => {
    const seen: unknown[] = []
    const run: WorkersAi['run'] = async (_model, input) => (seen.push(input), { response: '{}' })
    replyOf(await tryCall(spec, { outputSchema: { type: 'object' } }, { workersAi: { run } }))
    expect(seen).toEqual([expect.not.objectContaining({ response_format: expect.anything() })])
  })

  test('answers in the form of OpenAI, too', async ({ expect }) => {
    const answer = {
      choices: [
        {
          message: { content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    }
    expect(replyOf(await ask({ run: async () => answer })).toolCalls).toEqual([{ id: 'a', name: 'f', arguments: '{}' }])
  })

  test('streams', async ({ expect }) => {
    const stream = () => new Blob(['data: {"response":"你"}\n\ndata: {"response":"好"}\n\ndata: [DONE]\n\n']).stream()
    const trial = await ask({ run: async () => stream() })
    expect([replyOf(trial).content, trial.told.pieces]).toEqual(['你好', 2])
  })

  const ERRORS: [string, string, boolean][] = [
    ['InferenceUpstreamError: 3040: Capacity temporarily exceeded, please try again.', 'model_rate_limited', true],
    ['AiError: 5007: No such model @cf/a/b or task', 'model_rejected', false],
    ['AiError: 5016: User has not agreed to the terms', 'model_unauthorized', false],
    ['AiError: 3006: Request is too large', 'model_overflow', false],
    ['something broke', 'model_unavailable', true],
  ]
  test.for(ERRORS)('%s is %s', async ([message, code, retryable], { expect }) => {
    const failure = failureIn(await ask({ run: () => Promise.reject(new Error(message)) }))
    expect(failure).toMatchObject({ code, retryable })
    expect(failure.detail).toContain(message)
  })

  test('that hangs is timed out, also within its stream, and is cancelled at once', async ({ expect }) => {
    const never = { run: () => new Promise<unknown>(() => undefined) }
    const silent = { run: async () => new ReadableStream() }
    const hasty = { ...spec, timeouts: { ...spec.timeouts, callMs: 50 } }
    expect(failureIn(await tryCall(hasty, {}, { workersAi: never })).code).toBe('model_timeout')
    expect(failureIn(await tryCall(hasty, {}, { workersAi: silent })).code).toBe('model_timeout')
    expect(failureIn(await ask(never, { signal: AbortSignal.timeout(20) })).code).toBe('model_cancelled')
  })

  test('that is not there is a rejected call', async ({ expect }) => {
    expect(failureIn(await ask(null))).toMatchObject({ code: 'model_rejected', retryable: false })
  })
})
