import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { serverConfig } from '../../../src/models/providers.ts'
import type { ModelRequest } from '../../../src/domain/model.ts'
import { type SpanContent, TELEMETRY_LIMITS } from '../../../src/domain/telemetry.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { aliasSpec } from '../../../src/models/aliases.ts'
import { Observer } from '../../../src/telemetry/observer.ts'
import { traceRequest } from '../../../src/telemetry/spans.ts'
import { stepsOf } from '../../support/step-count.ts'
import { withoutBytes } from '../../../src/telemetry/span-content.ts'
import { secretMasks, toldModel } from '../../../src/telemetry/told-model.ts'

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

const contentOf = secretMasks(CONFIG, secret)
const watchedBy = (content: SpanContent | null) => ({
  session: 'ses_1',
  tenant: 'default',
  agent: 'yaa',
  runStart: null,
  modelOf: (alias: string) => (alias === 'main' ? toldModel(spec) : null),
  content,
})

function spansOf(content: SpanContent | null, events = EVENTS, request?: ModelRequest) {
  const observer = new Observer({})
  if (request) observer.hearRequest('msg_1', request)
  return events.flatMap((event) => observer.see(event, watchedBy(content)).spans)
}

const read = (span: { attributes: Record<string, unknown> } | undefined, name: string): unknown =>
  JSON.parse(String(span?.attributes[name]))

describe('the span of a model call', () => {
  test('says what was asked of which service, and what it answered', async ({ expect }) => {
    const [span] = spansOf(null)
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
    const { resourceSpans } = await traceRequest(spansOf(null), { name: 'yaa', version: '1' })
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

  test('has what the model was asked and said where content is asked for, as the conventions have it', ({ expect }) => {
    const request: ModelRequest = {
      messages: [
        { role: 'system', content: 'You are a yak.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image', mediaType: 'image/png', base64: 'QUJD' },
          ],
        },
        {
          role: 'assistant',
          content: '',
          reasoning: 'Hm.',
          toolCalls: [{ id: 'call_1', name: 'look', arguments: '{"at":[1]}' }],
        },
        { role: 'tool', callId: 'call_1', content: 'Grass.' },
        { role: 'assistant', content: 'Grass.', toolCalls: [{ id: 'call_2', name: 'look', arguments: '{"at":' }] },
      ],
    }
    const [span] = spansOf(contentOf({}), EVENTS, request)
    expect(read(span, 'gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'You are a yak.' }])
    expect(read(span, 'gen_ai.input.messages')).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'Look.' },
          { type: 'image', mime_type: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm.' },
          { type: 'tool_call', id: 'call_1', name: 'look', arguments: { at: [1] } },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'Grass.' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Grass.' },
          { type: 'tool_call', id: 'call_2', name: 'look', arguments: '{"at":' },
        ],
      },
    ])
    expect(read(span, 'gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'The word is yak.' }], finish_reason: 'stop' },
    ])
    const [without] = spansOf(null, EVENTS, request)
    expect(JSON.stringify(without)).not.toMatch(/yak\.|Grass|messages|instructions/)
  })

  test('keeps to its bounds, and stays JSON: texts are cut, the oldest messages go', ({ expect }) => {
    const { contentCharsMax, contentAllCharsMax } = TELEMETRY_LIMITS
    const messages = Array.from({ length: 100 }, (_, n) => ({
      role: 'user' as const,
      content: `${n} ${'x"'.repeat(5_000)}`,
    }))
    const [span] = spansOf(contentOf({}), EVENTS, { messages })
    const kept = read(span, 'gen_ai.input.messages') as { parts: { content: string }[] }[]
    expect(String(span?.attributes['gen_ai.input.messages']).length).toBeLessThanOrEqual(contentAllCharsMax + 2)
    expect(kept.length).toBeGreaterThan(1)
    expect(kept.at(-1)?.parts[0]?.content.startsWith('99 ')).toBe(true)
    expect(kept[0]?.parts[0]?.content).toHaveLength(contentCharsMax + 1)
  })
})

describe('what content takes', () => {
  const SECRETS = Array.from({ length: 3 }, (_, n) => `sk-${n}-very-secret`)
  const maskedBy = () => secretMasks(serverConfig.parse({ ...CONFIG, secrets: {} }), secret)({ llm: llmOf() })
  const llmOf = () => ({ extra_headers: Object.fromEntries(SECRETS.map((value, n) => [`x-${n}`, value])) })
  const stepsFor = (content: SpanContent, messages: ModelRequest['messages']) =>
    stepsOf(() => spansOf(content, EVENTS, { messages }))
  const text = (n: number, chars: number) => `${n} ${'a \\"word\\" '.repeat(chars / 11)}`

  test('does not grow with what is cut off: a long text, many messages, or many parts', async ({ expect }) => {
    const few = await stepsFor(maskedBy(), [{ role: 'user', content: text(1, 140_000) }])
    const long = await stepsFor(maskedBy(), [{ role: 'user', content: text(1, 700_000) }])
    expect(long / few).toBeLessThan(1.1)
    const parts = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ type: 'text' as const, text: text(n, 7_000) }))
    const some = await stepsFor(maskedBy(), [{ role: 'user', content: parts(8) }])
    const many = await stepsFor(maskedBy(), [{ role: 'user', content: parts(80) }])
    expect(many / some).toBeLessThan(3)
    const history = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ role: 'user' as const, content: text(n, 7_000) }))
    const short = await stepsFor(maskedBy(), history(20))
    const old = await stepsFor(maskedBy(), history(200))
    expect(old / short).toBeLessThan(1.1)
  })

  test('of what a call before had, is nearly nothing', async ({ expect }) => {
    const content = maskedBy()
    const messages = Array.from({ length: 6 }, (_, n) => ({ role: 'user' as const, content: text(n, 7_000) }))
    const first = await stepsFor(content, messages)
    const next = await stepsFor(content, [...messages, { role: 'user', content: 'And now?' }])
    expect(next / first).toBeLessThan(0.1)
  })

  test('lets no secret through where a text is cut within one', ({ expect }) => {
    const { contentCharsMax } = TELEMETRY_LIMITS
    for (const chars of [contentCharsMax - 5, 2 * contentCharsMax - 5]) {
      const messages = [{ role: 'user' as const, content: `${'x'.repeat(chars)}sk-very-secret and more` }]
      const [span] = spansOf(contentOf({}), EVENTS, { messages })
      expect(span?.attributes['gen_ai.input.messages']).not.toContain('sk-v')
    }
  })
})

describe('what models are asked', () => {
  const asked = (content: string): ModelRequest => ({ messages: [{ role: 'user', content }] })
  const askedOf = (observer: Observer, id: string) =>
    EVENTS.flatMap((event) => ('message_id' in event ? [{ ...event, message_id: id }] : []))
      .flatMap((event) => observer.see(event, watchedBy(contentOf({}))).spans)
      .map(({ attributes }) => attributes['gen_ai.input.messages'])

  test.for<SessionEvent>([
    {
      ...place,
      seq: 9,
      type: 'run-end',
      status: 'cancelled',
      finish_reason: 'cancelled',
      result: null,
      usage: NO_USAGE,
      error: null,
    },
    { ...place, seq: 9, type: 'run-pause', status: 'idle', finish_reason: null, usage: NO_USAGE },
  ])('is forgotten when the run rests, with the calls that it cut off: $type', (event, { expect }) => {
    const observer = new Observer({})
    observer.hearRequest('msg_1', asked('One.'))
    observer.see(event, watchedBy(contentOf({})))
    expect(askedOf(observer, 'msg_1')).toEqual([undefined])
  })

  test('is remembered of the newest calls only', ({ expect }) => {
    const observer = new Observer({})
    for (let n = 0; n <= TELEMETRY_LIMITS.askedMax; n++) observer.hearRequest(`msg_${n}`, asked(`Call ${n}.`))
    expect(askedOf(observer, 'msg_0')).toEqual([undefined])
    expect(askedOf(observer, 'msg_1')).toEqual([expect.stringContaining('Call 1.')])
  })

  test('is remembered without the bytes of images', ({ expect }) => {
    const content = [
      { type: 'text', text: 'Look.' },
      { type: 'image', mediaType: 'image/png', base64: 'QUJD' },
    ] as const
    expect(withoutBytes([{ role: 'user', content }])).toEqual([
      { role: 'user', content: [content[0], { ...content[1], base64: '' }] },
    ])
  })
})

describe('the span of a tool call', () => {
  const start = (args: Record<string, unknown>): SessionEvent => ({
    ...place,
    seq: 4,
    type: 'tool-start',
    call_id: 'call_1',
    tool: 'http_request',
    arguments: args,
    attempt: 1,
  })
  const end = (ok: boolean): SessionEvent => ({
    ...place,
    seq: 5,
    type: 'tool-end',
    call_id: 'call_1',
    ok,
    ms: 9,
    digest: 'd',
  })
  const result = (content: string): SessionEvent => ({
    ...place,
    seq: 6,
    type: 'message',
    message: {
      id: 'msg_2',
      seq: 6,
      kind: 'tool_result',
      role: 'tool',
      content,
      tool_call_id: 'call_1',
      tool_name: 'http_request',
      run_id: 'run_1',
      created_time: place.time,
      scope: null,
    },
  })

  test('has its arguments and its result where content is asked for, and is told once', ({ expect }) => {
    const args = { url: 'https://a.example', headers: { 'x-team': 'team-secret-1' } }
    const events = [start(args), end(true), result('200: sk-very-secret')]
    const spans = spansOf(contentOf({}), events)
    expect(spans).toHaveLength(1)
    expect(read(spans[0], 'gen_ai.tool.call.arguments')).toEqual({ ...args, headers: { 'x-team': '***' } })
    expect(spans[0]?.attributes['gen_ai.tool.call.result']).toBe('200: ***')
    expect(spansOf(null, events)).toMatchObject([{ name: 'execute_tool http_request' }])
    expect(JSON.stringify(spansOf(null, events))).not.toMatch(/a\.example|200/)
  })

  test('has no result of a call that failed', ({ expect }) => {
    const spans = spansOf(contentOf({}), [start({}), end(false), result('no')])
    expect(spans).toMatchObject([{ error: 'tool_error' }])
    expect(spans[0]?.attributes['gen_ai.tool.call.result']).toBeUndefined()
  })

  test('has arguments of any size as JSON within its bounds', ({ expect }) => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, 'x'.repeat(500)]))
    const [span] = spansOf(contentOf({}), [start({ content: 'y'.repeat(100_000) }), end(false)])
    expect(read(span, 'gen_ai.tool.call.arguments')).toEqual({
      content: `${'y'.repeat(TELEMETRY_LIMITS.contentCharsMax)}…`,
    })
    const [large] = spansOf(contentOf({}), [start(many), end(false)])
    expect(String(large?.attributes['gen_ai.tool.call.arguments']).length).toBeLessThanOrEqual(
      TELEMETRY_LIMITS.contentAllCharsMax,
    )
    expect(read(large, 'gen_ai.tool.call.arguments')).toBeTypeOf('object')
  })
})

describe('content', () => {
  test('has no secret of the server', ({ expect }) => {
    expect(contentOf({}).masked('sk-very-secret, team-secret-1, word')).toBe('***, ***, word')
  })

  test('has no secret that the session gave its model, and variables that it names say nothing', ({ expect }) => {
    const session = {
      llm: { api_url: 'https://m.example', api_key: 'own-key-123456', extra_headers: { 'x-own': 'own-header-123' } },
    }
    const text = 'own-key-123456, own-header-123, sk-very-secret, word'
    expect(contentOf(session).masked(text)).toBe('***, ***, ***, word')
    expect(contentOf({}).masked(text)).toBe('own-key-123456, own-header-123, ***, word')
  })
})
