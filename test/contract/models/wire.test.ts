import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { ModelFailure, ModelReply } from '../../../src/domain/model.ts'
import type { Fetch } from '../../../src/domain/ports.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { WEB_ACCESS, failureIn, replyOf, specFor, tryCall } from '../../unit/models/call.ts'

const wire = (name: string) => readFileSync(join(import.meta.dirname, 'wire', name), 'utf8')
const typeOf = (name: string) =>
  name.endsWith('.sse') ? 'text/event-stream; charset=utf-8' : name.endsWith('.html') ? 'text/html' : 'application/json'

let server: MockModel
beforeAll(async () => {
  const play = (name: string) => ({ body: wire(name), headers: { 'content-type': typeOf(name) } })
  server = await startScriptedModel({
    script: ({ headers }) => ({ ...play(headers['x-wire'] ?? ''), status: Number(headers['x-status'] ?? 200) }),
  })
})
afterAll(() => server.close())

/** A fetch that asks for a recorded file and hands its body on in pieces of `size` bytes, characters cut in two. */
function fetchOf(name: string, status: number, size: number): Fetch {
  return async (url, init) => {
    const headers = { ...(init?.headers as Record<string, string>), 'x-wire': name, 'x-status': String(status) }
    const response = await fetch(url, { ...init, headers })
    return new Response(response.body?.pipeThrough(inPieces(size)) ?? null, response)
  }
}

function inPieces(size: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (bytes, out) => {
      for (let at = 0; at < bytes.length; at += size) out.enqueue(bytes.slice(at, at + size))
    },
  })
}

const play = (name: string, status = 200, size = 1 << 20) =>
  tryCall(specFor(server.url), { tools: [WEB_ACCESS] }, { fetchFor: () => fetchOf(name, status, size) })

const reads = (host: string, more = {}) => JSON.stringify({ url: `https://${host}.example/`, ...more })
const call = (id: string, host: string) => ({ id, name: 'web_access', arguments: reads(host) })
const usage = (prompt: number, completion: number, cached = 0, reasoning = 0): ModelReply['usage'] => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  cached_tokens: cached,
  reasoning_tokens: reasoning,
})

const REPLIES: [string, ModelReply][] = [
  [
    'openai-stream-tools.sse',
    {
      content: '',
      reasoning: '',
      stopReason: 'tool_calls',
      usage: usage(82, 51, 64, 7),
      toolCalls: [call('call_aa', 'a'), call('call_bb', 'b')],
    },
  ],
  [
    'openai-completion.json',
    { content: '你好，世界 🌏', reasoning: '', stopReason: 'stop', usage: usage(19, 10), toolCalls: [] },
  ],
  [
    'deepseek-reasoner.sse',
    {
      content: '',
      reasoning: '先看页面，再回答。',
      stopReason: 'tool_calls',
      usage: usage(200, 60, 128, 25),
      toolCalls: [{ id: 'call_0_9c1', name: 'web_access', arguments: '{"url": "https://a.example/"}' }],
    },
  ],
  [
    'dashscope-qwen.sse',
    {
      content: '',
      reasoning: '',
      stopReason: 'tool_calls',
      usage: usage(239, 20),
      toolCalls: [
        { id: 'call_6596dafa', name: 'web_access', arguments: '{"url": "https://a.example/", "focus": "价格"}' },
      ],
    },
  ],
  [
    'mistral-thinking.json',
    {
      content: 'The answer is 42.',
      reasoning: 'Simple enough.',
      stopReason: 'stop',
      usage: usage(12, 30),
      toolCalls: [],
    },
  ],
  [
    'mistral-stream.sse',
    {
      content: '',
      reasoning: '',
      stopReason: 'tool_calls',
      usage: usage(94, 24),
      toolCalls: [{ id: 'qW7x1Ab2c', name: 'web_access', arguments: '{"url": "https://a.example/"}' }],
    },
  ],
  [
    'gemini-same-index.sse',
    {
      content: '',
      reasoning: '',
      stopReason: 'stop',
      usage: usage(60, 34),
      toolCalls: [call('function-call-11', 'a'), call('function-call-12', 'b')],
    },
  ],
  [
    'moonshot-choice-usage.sse',
    { content: '好的', reasoning: '', stopReason: 'stop', usage: usage(19, 2, 19), toolCalls: [] },
  ],
  [
    'openrouter-stream.sse',
    { content: 'Yes.', reasoning: 'Hm.', stopReason: 'stop', usage: usage(9, 5), toolCalls: [] },
  ],
  [
    'workers-ai-stream.sse',
    { content: 'Hello, world', reasoning: '', stopReason: null, usage: usage(20, 4), toolCalls: [] },
  ],
]

describe('what each provider writes becomes one reply', () => {
  test.for(REPLIES)('%s', async ([name, expected], { expect }) => {
    expect(replyOf(await play(name))).toEqual(expected)
  })

  test.for(REPLIES)('%s, in pieces of 3 bytes', async ([name, expected], { expect }) => {
    expect(replyOf(await play(name, 200, 3))).toEqual(expected)
  })

  test.for(REPLIES)('%s tells all its text as deltas', async ([name, expected], { expect }) => {
    const { told } = await play(name)
    expect([told.content, told.reasoning]).toEqual([expected.content, expected.reasoning])
  })

  test('ollama-no-index.sse: calls without index stay two, and usage is estimated', async ({ expect }) => {
    const reply = replyOf(await play('ollama-no-index.sse'))
    expect(reply.toolCalls).toEqual([call('call_x1', 'a'), call('call_x2', 'b')])
    expect(reply.reasoning).toBe('Two pages.')
    expect(reply.usage.prompt_tokens).toBeGreaterThan(5)
    expect(reply.usage.completion_tokens).toBeGreaterThan(10)
  })

  test('azure-stream-filters.sse: a first chunk without choices is passed over', async ({ expect }) => {
    expect(replyOf(await play('azure-stream-filters.sse')).content).toBe('Safe.')
  })

  test('workers-ai-tools.json: arguments as objects become text, calls without ids get ids of their own', async ({
    expect,
  }) => {
    const { toolCalls } = replyOf(await play('workers-ai-tools.json'))
    expect(toolCalls.map((each) => each.arguments)).toEqual([reads('a'), reads('b')])
    expect(new Set(toolCalls.map((each) => each.id)).size).toBe(2)
    expect(toolCalls[0]?.id).toMatch(/^call_/)
  })
})

const FAILURES: [string, number, Partial<ModelFailure>, string][] = [
  [
    'gemini-error.json',
    400,
    { code: 'model_rejected', toolsRefused: true, retryable: false },
    'Function calling is not enabled',
  ],
  ['ollama-no-tools.json', 400, { code: 'model_rejected', toolsRefused: true }, 'does not support tools'],
  [
    'llama-no-templates.json',
    500,
    { code: 'model_rejected', toolsRefused: true, retryable: false },
    'requires --jinja',
  ],
  ['openrouter-no-tools.json', 404, { code: 'model_rejected', toolsRefused: true }, 'support tool use'],
  ['fastapi-422.json', 422, { code: 'model_rejected', toolsRefused: true }, 'Extra inputs'],
  [
    'openai-overflow.json',
    400,
    { code: 'model_overflow', toolsRefused: false, retryable: false },
    'maximum context length',
  ],
  ['openai-max-tokens.json', 400, { code: 'model_rejected', toolsRefused: false }, 'too large'],
  ['cloudflare-502.html', 502, { code: 'model_unavailable', retryable: true }, 'Bad gateway'],
  ['cloudflare-502.html', 200, { code: 'model_bad_answer', status: 200, retryable: true }, 'Bad gateway'],
  ['openai-overflow.json', 200, { code: 'model_overflow', status: 200 }, 'maximum context length'],
  [
    'openrouter-error-in-stream.sse',
    200,
    { code: 'model_unavailable', status: 502, retryable: true },
    'Provider disconnected',
  ],
]

describe('what is no completion becomes a classified failure', () => {
  test.for(FAILURES)('%s with status %i', async ([name, status, expected, excerpt], { expect }) => {
    const failure = failureIn(await play(name, status))
    expect(failure).toMatchObject({ status, ...expected })
    expect(failure.detail).toContain(excerpt)
    expect(failure.detail).not.toMatch(/[<>\n]/)
  })
})
