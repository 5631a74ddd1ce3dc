import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { serverConfig } from '../../../src/models/providers.ts'
import { aliasSpec } from '../../../src/models/aliases.ts'
import { Observer } from '../../../src/telemetry/observer.ts'
import { traceRequest } from '../../../src/telemetry/spans.ts'
import { withoutSecretsOf, toldModel } from '../../../src/telemetry/told-model.ts'

const CONFIG = serverConfig.parse({
  models: {
    main: {
      api_url: 'https://api.deepseek.com/v1',
      api_key_env: 'LLM_KEY',
      model: 'deepseek-flash',
      temperature: 0.4,
      max_tokens: 900,
      extra_headers: { 'x-team': 'team-secret-1' },
    },
  },
  default_model: 'main',
})
const secret = (name: string) => (name === 'LLM_KEY' ? 'sk-very-secret' : undefined)
const spec = aliasSpec('main', CONFIG.models?.['main'] ?? {}, { secret })

const place = { run_id: 'run_1', scope: null, time: '2026-01-01T00:00:00.000Z' }
const said = (id: string, role: 'user' | 'assistant', content: string): SessionEvent => ({
  ...place,
  seq: 1,
  type: 'message',
  message: {
    id,
    seq: 1,
    kind: role === 'user' ? 'task' : 'reply',
    role,
    content,
    run_id: 'run_1',
    created_time: place.time,
    scope: null,
  },
})
const EVENTS: SessionEvent[] = [
  said('msg_0', 'user', 'My key is sk-very-secret, and team-secret-1.'),
  {
    ...place,
    seq: 2,
    type: 'model-start',
    message_id: 'msg_1',
    model: 'main',
    attempt: 1,
    reserved_tokens: 1,
    reserved_cost: null,
  },
  said('msg_1', 'assistant', 'The word is yak.'),
  {
    ...place,
    seq: 3,
    type: 'model-end',
    message_id: 'msg_1',
    ok: true,
    model: 'main',
    cost: null,
    spent: { prompt_tokens: 5, completion_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 },
    protocol: 'native',
    problem: null,
    call_problems: {},
    dropped_calls: 0,
    response_id: 'chatcmpl-1',
    finish_reason: 'stop',
  },
]

function spansOf(withContent: boolean) {
  const observer = new Observer({}, withContent ? withoutSecretsOf(CONFIG, secret) : null)
  const modelOf = (alias: string) => (alias === 'main' ? toldModel(spec) : null)
  const watched = { session: 'ses_1', tenant: 'default', agent: 'yaa', runStart: null, modelOf }
  return EVENTS.flatMap((event) => observer.see(event, watched).spans)
}

describe('the span of a model call', () => {
  test('says what was asked of which service, and what it answered', async ({ expect }) => {
    const [span] = spansOf(false)
    expect(span).toMatchObject({
      name: 'chat deepseek-flash',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'deepseek',
        'server.address': 'api.deepseek.com',
        'server.port': 443,
        'gen_ai.request.model': 'deepseek-flash',
        'gen_ai.request.temperature': 0.4,
        'gen_ai.request.max_tokens': 900,
        'gen_ai.response.id': 'chatcmpl-1',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 5,
      },
    })
    const { resourceSpans } = await traceRequest(spansOf(false), { name: 'yaa', version: '1' })
    expect(resourceSpans).toMatchObject([
      {
        schemaUrl: expect.stringContaining('opentelemetry.io/schemas/'),
        scopeSpans: [{ schemaUrl: expect.stringContaining('opentelemetry.io/schemas/') }],
      },
    ])
    expect(JSON.stringify(resourceSpans)).toContain(
      '{"key":"gen_ai.response.finish_reasons","value":{"arrayValue":{"values":[{"stringValue":"stop"}]}}}',
    )
    expect(JSON.stringify(resourceSpans)).not.toMatch(/yak|secret/)
  })

  test('has what the model said where content is asked for', ({ expect }) => {
    const [span] = spansOf(true)
    expect(JSON.parse(String(span?.attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'The word is yak.' }] },
    ])
  })
})

test('content has no secret of the server', ({ expect }) => {
  const { masked } = withoutSecretsOf(CONFIG, secret)
  expect(masked('sk-very-secret, team-secret-1, word')).toBe('***, ***, word')
})
