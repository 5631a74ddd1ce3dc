import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import type { AgentResponseData, SessionData } from '../../src/domain/session.ts'
import { MortalServer } from '../chaos/server.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { parsePrometheus } from '../support/prometheus.ts'
import { calls, startScriptedModel } from '../support/scripted-model.ts'
import { WITH_KEY } from '../support/admin-key.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
}

interface TraceRequest {
  resourceSpans: { resource: { attributes: unknown[] }; scopeSpans: { spans: Span[] }[] }[]
}

/** A collector on loopback that keeps what is sent to it. */
async function startCollector() {
  const spans: Span[] = []
  const keys: (string | undefined)[] = []
  let heard: () => void = () => {}
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const sent = JSON.parse(body) as TraceRequest
      spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      keys.push(request.headers['x-key']?.toString())
      response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
      heard()
    })
  })
  const { url, close } = await onLoopback(server)
  return {
    endpoint: url,
    spans,
    keys,
    /** Once a span of this name is there. */
    until: async (name: string): Promise<Span> => {
      for (;;) {
        const found = spans.find((span) => span.name === name)
        if (found) return found
        await new Promise<void>((resolve) => (heard = resolve))
      }
    },
    stop: close,
  }
}

const post = async <T>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<T> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...WITH_KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as T
}
const valueOf = (span: Span, key: string) => {
  const { stringValue, intValue } = span.attributes.find((one) => one.key === key)?.value ?? {}
  return stringValue ?? intValue
}

describe('what the operator is told', () => {
  test('a run is a trace within its caller, also when it waited and the process died meanwhile', async ({ expect }) => {
    const collector = await startCollector()
    const lines: string[] = []
    const server = await MortalServer.start(
      {
        language: 'en',
        default_model: 'built-in',
        log: { level: 'debug' },
        otel: { endpoint: collector.endpoint, headers: { 'x-key': 'canary-collector-key' }, service_name: 'it' },
      },
      (line) => lines.push(line),
    )
    try {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const task = 'Read https://secret-word.example/ and sum it up'
      const made = await post<SessionData>(`${server.url}/v1/sessions`, { task }, { traceparent })
      expect(made.status).toBe('interrupted')
      const chat = await collector.until('chat built-in')
      // Whoever asks for counters has them written, so that the kill takes none along.
      await (await fetch(`${server.url}/v1/metrics`, { headers: WITH_KEY })).text()
      await server.restart()
      const path = `${server.url}/v1/sessions/${made.id}/pending/${made.pending[0]?.id}`
      const ended = await post<AgentResponseData>(path, { decision: 'reject', feedback: 'no' })
      expect(ended.status).toBe('completed')
      const run = await collector.until('invoke_agent yaa')
      expect([run.traceId, run.parentSpanId]).toEqual(traceparent.split('-').slice(1, 3))
      expect([chat.traceId, chat.parentSpanId]).toEqual([run.traceId, run.spanId])
      expect(valueOf(run, 'gen_ai.operation.name')).toBe('invoke_agent')
      expect(valueOf(run, 'gen_ai.conversation.id')).toBe(made.id)
      expect(valueOf(chat, 'gen_ai.request.model')).toBe('built-in')
      expect(Number(valueOf(run, 'gen_ai.usage.input_tokens'))).toBeGreaterThan(0)
      expect(new Set(collector.keys)).toEqual(new Set(['canary-collector-key']))

      const facts = lines.flatMap((line) =>
        line.includes('"event":') ? [JSON.parse(line) as Record<string, unknown>] : [],
      )
      const ofRun = facts.filter((fact) => fact['run'] === ended.run_id).map(({ event }) => event)
      expect(ofRun).toEqual(expect.arrayContaining(['run_start', 'model_call', 'pending', 'run_end']))
      expect(facts.find(({ event }) => event === 'run_end')).toMatchObject({
        session: made.id,
        tenant: 'default',
        status: 'completed',
        request: expect.stringMatching(/^req_/),
      })
      expect(facts.filter(({ event }) => event === 'request').length).toBeGreaterThan(1)
      expect(lines.join('\n')).not.toMatch(/secret-word|canary-collector-key/)

      const metrics = parsePrometheus(await (await fetch(`${server.url}/v1/metrics`, { headers: WITH_KEY })).text())
      expect(metrics.get('yaa_runs_total')?.samples).toEqual([
        { name: 'yaa_runs_total', labels: { status: 'completed', finish_reason: 'completed' }, value: 1 },
      ])
      expect(metrics.get('yaa_model_calls_total')?.samples[0]?.labels).toEqual({ model: 'built-in', outcome: 'ok' })
      expect(metrics.get('yaa_pending_total')?.samples[0]?.value).toBe(1)
      expect(metrics.get('yaa_http_requests_total')?.type).toBe('counter')
      expect(metrics.get('yaa_sessions')?.samples).toEqual([
        { name: 'yaa_sessions', labels: { status: 'completed' }, value: 1 },
      ])
    } finally {
      await server.stop()
      await collector.stop()
    }
  })

  test('a call that keeps no session is a trace and is counted like one', async ({ expect }) => {
    const collector = await startCollector()
    const lines: string[] = []
    const config = { language: 'en' as const, default_model: 'built-in', otel: { endpoint: collector.endpoint } }
    const server = await MortalServer.start(config, (line) => lines.push(line))
    try {
      const trace = '0af7651916cd43dd8448eb211c80319c'
      const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` }
      const messages = [{ role: 'user', content: 'What is the workspace for?' }]
      const ended = await post<AgentResponseData>(`${server.url}/v1/agent`, { messages }, headers)
      expect(ended.status).toBe('completed')
      const run = await collector.until('invoke_agent yaa')
      const chat = await collector.until('chat built-in')
      const tool = await collector.until('execute_tool finish')
      expect([run.traceId, run.parentSpanId]).toEqual([trace, 'b7ad6b7169203331'])
      for (const part of [chat, tool]) expect([part.traceId, part.parentSpanId]).toEqual([trace, run.spanId])
      const counted = async () =>
        parsePrometheus(await (await fetch(`${server.url}/v1/metrics`, { headers: WITH_KEY })).text())
      let metrics = await counted()
      while (!metrics.has('yaa_runs_total')) metrics = await counted()
      expect(metrics.get('yaa_runs_total')?.samples[0]?.value).toBe(1)
      expect(metrics.get('yaa_model_calls_total')?.samples[0]?.labels).toEqual({ model: 'built-in', outcome: 'ok' })
      expect(lines.some((line) => line.includes('"event":"run_end"') && line.includes(ended.run_id ?? 'no run'))).toBe(
        true,
      )
    } finally {
      await server.stop()
      await collector.stop()
    }
  })

  test('spans hold what is said where that is asked for, without what the session keeps secret', async ({ expect }) => {
    const collector = await startCollector()
    const model = await startScriptedModel({
      script: [
        calls('write_file', { path: 'a.txt', content: 'own-key-123456 and own-header-123' }),
        calls('finish', { reason: 'Written.' }),
      ],
    })
    const server = await MortalServer.start(
      {
        language: 'en',
        default_model: 'built-in',
        web: { allow_private_hosts: [new URL(model.url).host] },
        otel: { endpoint: collector.endpoint, content: true },
      },
      () => {},
    )
    try {
      const llm = {
        api_url: model.url,
        model: 'm',
        protocol: 'native',
        api_key: 'own-key-123456',
        extra_headers: { 'x-own': 'own-header-123' },
      }
      const config = { llm, tools: { write_file: { permission: 'allow' } } }
      const task = 'Write a.txt with own-key-123456'
      const made = await post<SessionData>(`${server.url}/v1/sessions`, { task, config })
      expect(made).toMatchObject({ status: 'completed', result: 'Written.' })
      const run = await collector.until('invoke_agent yaa')
      const tool = await collector.until('execute_tool write_file')
      const chats = collector.spans.filter(({ name }) => name === 'chat m')
      const read = (span: Span | undefined, key: string): unknown => JSON.parse(String(span && valueOf(span, key)))
      expect(chats).toHaveLength(2)
      expect(read(chats[0], 'gen_ai.system_instructions')).toMatchObject([{ type: 'text' }])
      expect(read(chats[0], 'gen_ai.input.messages')).toMatchObject([
        { role: 'user', parts: [{ type: 'text', content: expect.stringContaining('Write a.txt with ***') }] },
      ])
      expect(read(chats[0], 'gen_ai.output.messages')).toMatchObject([
        { role: 'assistant', parts: [{ type: 'tool_call', name: 'write_file' }], finish_reason: 'tool_call' },
      ])
      expect(read(chats[1], 'gen_ai.input.messages')).toMatchObject([
        { role: 'user' },
        { role: 'assistant', parts: [{ type: 'tool_call', arguments: { content: '*** and ***' } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', response: expect.stringContaining('a.txt') }] },
      ])
      expect(read(tool, 'gen_ai.tool.call.arguments')).toEqual({ path: 'a.txt', content: '*** and ***' })
      expect(valueOf(tool, 'gen_ai.tool.call.result')).toContain('a.txt')
      expect(read(run, 'gen_ai.output.messages')).toMatchObject([{ parts: [{ content: 'Written.' }] }])
      expect(JSON.stringify(collector.spans)).not.toMatch(/own-key|own-header/)
    } finally {
      await server.stop()
      await model.close()
      await collector.stop()
    }
  })

  test('a collector that is not there holds no run', async ({ expect }) => {
    const lines: string[] = []
    const otel = { endpoint: 'http://127.0.0.1:9' }
    const server = await MortalServer.start({ default_model: 'built-in', otel }, (line) => lines.push(line))
    try {
      const made = await post<SessionData>(`${server.url}/v1/sessions`, { task: '你好' })
      expect(made.status).toBe('completed')
    } finally {
      await server.stop()
    }
  })
})
