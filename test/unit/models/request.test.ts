import { describe, test } from 'vitest'
import type { ModelMessage } from '../../../src/domain/model.ts'
import { quirksFor } from '../../../src/models/openai/quirks.ts'
import { bodyText, completionsUrl, requestBody } from '../../../src/models/openai/openai.ts'
import { specFor } from './call.ts'

const toolCalls = [{ id: 'a', name: 'f', arguments: '{}' }]
const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }]
const HISTORY: ModelMessage[] = [
  { role: 'assistant', content: 'said', reasoning: 'thought 1' },
  { role: 'assistant', content: '', reasoning: 'thought 2', toolCalls },
]

const bodyFor = (apiUrl: string, model: string, more = {}) =>
  requestBody(specFor(apiUrl, { model, temperature: 0.5, ...more }), { messages: HISTORY })

test('what two sessions have in common comes first, so that caches keep it: tools before messages', ({ expect }) => {
  const tools = [{ name: 'f', description: 'does it', parameters: {} }]
  const sent = ['one', 'another'].map((content) =>
    JSON.stringify(requestBody(specFor('https://llm.example/v1'), { messages: [{ role: 'user', content }], tools })),
  )
  const [one = '', another = ''] = sent
  expect(one.slice(0, one.indexOf('one"'))).toBe(another.slice(0, another.indexOf('another"')))
  expect(one.indexOf('"tools"')).toBeLessThan(one.indexOf('"messages"'))
})

test('a body is sent as it is made, whatever its config adds', ({ expect }) => {
  const tools = [{ name: 'one', description: '一', parameters: { type: 'object' } }]
  const messages = [{ role: 'user', content: '"好"' }] as const
  const extras = [{}, { top_k: 1 }, { tools: [1], messages: [2] }, { response_format: { type: 'text' } }]
  for (const extra_body of extras)
    for (const request of [{ messages }, { messages, tools }, { messages, tools, outputSchema: { type: 'string' } }]) {
      const spec = specFor('https://llm.example/v1', { extra_body })
      expect(JSON.parse(bodyText(spec, request))).toEqual(requestBody(spec, request))
      expect(bodyText(spec, request)).toBe(bodyText(spec, request))
    }
})

describe('quirks are data', () => {
  test('by default reasoning is withheld and an empty content is null', ({ expect }) => {
    expect(bodyFor('https://llm.example/v1', 'any')['messages']).toEqual([
      { role: 'assistant', content: 'said' },
      { role: 'assistant', content: null, tool_calls },
    ])
  })

  test('DeepSeek gets the reasoning of replies that called a tool back, and no null content', ({ expect }) => {
    expect(bodyFor('https://api.deepseek.com', 'deepseek-chat')['messages']).toEqual([
      { role: 'assistant', content: 'said' },
      { role: 'assistant', content: '', reasoning_content: 'thought 2', tool_calls },
    ])
  })

  test('OpenAI is told max_completion_tokens, and its reasoning models no temperature', ({ expect }) => {
    expect(bodyFor('https://api.openai.com/v1', 'gpt-5-mini')).toMatchObject({ max_completion_tokens: 4096 })
    expect(bodyFor('https://api.openai.com/v1', 'gpt-5-mini')).not.toHaveProperty('temperature')
    expect(bodyFor('https://api.openai.com/v1', 'gpt-4o')).toMatchObject({ temperature: 0.5 })
    expect(bodyFor('https://api.openai.com/v1', 'gpt-4o')).not.toHaveProperty('max_tokens')
  })

  test('Mistral is sent no stream_options', ({ expect }) => {
    expect(bodyFor('https://api.mistral.ai/v1', 'mistral-small')).not.toHaveProperty('stream_options')
  })

  test('Gemini is told that the calls of a history bear no signature', ({ expect }) => {
    const { messages } = bodyFor('https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3-pro')
    expect(messages).toHaveProperty('1.tool_calls.0.extra_content.google.thought_signature')
    expect(messages).toHaveProperty('1.tool_calls.0.function', tool_calls[0]?.function)
  })

  test('servers that hold all to a schema, at their default ports, are sent none beside tools', ({ expect }) => {
    for (const port of [11434, 1234])
      expect(quirksFor(specFor(`http://127.0.0.1:${port}/v1`)).structuredOutput).toBe('without_tools')
    expect(quirksFor(specFor('http://127.0.0.1:11435/v1')).structuredOutput).toBe('unless_held')
  })

  test('a host that only looks like another is not taken for it', ({ expect }) => {
    expect(quirksFor(specFor('https://api.openai.com.evil.example/v1')).maxTokensField).toBe('max_tokens')
  })

  test('what the config says of a model wins over the table', ({ expect }) => {
    const quirks = {
      echo_reasoning: 'always',
      max_tokens_field: 'max_tokens',
      stream_usage: false,
      temperature: false,
      empty_content: 'null',
    } as const
    const body = bodyFor('https://api.deepseek.com', 'deepseek-chat', { quirks })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('stream_options')
    expect(body['messages']).toEqual([
      { role: 'assistant', content: 'said', reasoning_content: 'thought 1' },
      { role: 'assistant', content: null, reasoning_content: 'thought 2', tool_calls },
    ])
  })
})

test('parts of what a user says are sent as parts, an image as its bytes', ({ expect }) => {
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
  ] as const
  const { messages } = requestBody(specFor('https://llm.example'), { messages: [{ role: 'user', content }] })
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    },
  ])
})

test('the path is added to the base, before a query', ({ expect }) => {
  expect(completionsUrl('https://llm.example')).toBe('https://llm.example/chat/completions')
  expect(completionsUrl('https://llm.example/v1/')).toBe('https://llm.example/v1/chat/completions')
  expect(completionsUrl('https://llm.example/v1?api-version=1')).toBe(
    'https://llm.example/v1/chat/completions?api-version=1',
  )
})
