import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import type { ModelMessage } from '../../../src/domain/model.ts'
import { openai, requestBody } from '../../../src/models/openai/openai.ts'
import { estimateRequest } from '../../../src/models/estimate.ts'
import { workersAi } from '../../../src/models/workers-ai/workers-ai.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { startScriptedModel } from '../../support/scripted-model.ts'
import { specFor } from '../../unit/models/call.ts'

/** As the service's reference has them: images of users in their message, those of results behind all results of the reply. */
const WIRE: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'wire', 'openai-images-request.json'), 'utf8'))

const image = (mediaType: string, base64: string) => ({ type: 'image', mediaType, base64 }) as const
const call = (id: string, path: string) => ({ id, name: 'read_file', arguments: JSON.stringify({ path }) })
const MESSAGES: ModelMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Which is larger?\n[image: a.png]' },
      image('image/png', 'iVBORw0KGgo='),
      { type: 'text', text: 'Of these.' },
    ],
  },
  { role: 'assistant', content: '', toolCalls: [call('call_1', 'b.png'), call('call_2', 'c.txt')] },
  {
    role: 'tool',
    callId: 'call_1',
    content: [{ type: 'text', text: 'The image b.png is shown.' }, image('image/webp', 'UklGRg==')],
  },
  { role: 'tool', callId: 'call_2', content: 'one' },
  { role: 'assistant', content: 'The second.' },
]

const bodyOf = (asked: { body: unknown } | undefined): unknown => Reflect.get(Object(asked?.body), 'messages')
const quiet = { onDelta: () => false, onArguments: () => false }
const callOf = (apiUrl: string) => ({
  spec: specFor(apiUrl, { stream: false }),
  apiKey: null,
  request: { messages: MESSAGES },
  trace: null,
  silence: 'failure' as const,
  signal: new AbortController().signal,
  onSign: () => {},
  observer: quiet,
})

describe('images on the wire', () => {
  test('of chat completions stand in messages of the user, those of results behind the last of their reply', async ({
    expect,
  }) => {
    const model = await startScriptedModel({ script: ['Yes'] })
    const fetchFor = () => (url: string, init?: RequestInit) => fetch(url, init)
    expect(await openai.ask(callOf(model.url), { fetchFor, now: Date.now })).toMatchObject({ ok: true })
    expect(bodyOf(model.requests[0])).toEqual(WIRE)
    await model.close()
  })

  test('of Workers AI are the same in what its binding is given', async ({ expect }) => {
    const inputs: unknown[] = []
    const binding = {
      run: async (_model: string, input: unknown) => {
        inputs.push(input)
        return { response: 'Yes' }
      },
    }
    const fetchFor = () => fetch
    await workersAi.ask(callOf(''), { fetchFor, now: Date.now, workersAi: binding })
    expect(inputs[0]).toMatchObject({ messages: WIRE })
  })

  test('that end a history are sent, too, and each counts for so many tokens', ({ expect }) => {
    const messages = MESSAGES.slice(0, 4)
    const { messages: sent } = requestBody(specFor('http://127.0.0.1/v1'), { messages })
    expect(sent).toEqual(Array.isArray(WIRE) ? WIRE.slice(0, 5) : [])
    const texts = messages.map((one) => ({ ...one, content: '' }))
    expect(estimateRequest({ messages })).toBeGreaterThan(2 * LIMITS.parts.imageTokens)
    expect(estimateRequest({ messages: texts })).toBeLessThan(LIMITS.parts.imageTokens)
  })
})
