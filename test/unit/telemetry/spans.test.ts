import { describe, test } from 'vitest'
import type { SpanDraft } from '../../../src/domain/telemetry.ts'
import { traceRequest, parseTraceparent } from '../../../src/telemetry/spans.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const draft: SpanDraft = {
  trace: 'run_1',
  of: 'msg_1',
  within: 'run',
  traceparent: null,
  name: 'chat m',
  kind: 'client',
  startTime: 1_000,
  endTime: 1_250,
  attributes: { 'gen_ai.operation.name': 'chat', tokens: 7, share: 0.5, yes: true },
  error: null,
}
const spansOf = async (...drafts: SpanDraft[]) =>
  (await traceRequest(drafts, { name: 'yaa', version: '1' })).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  )

describe('a span on the wire', () => {
  test('has the ids of what it is of, whoever ends it', async ({ expect }) => {
    const [one, again, other] = await spansOf(draft, draft, { ...draft, of: 'msg_2' })
    expect(one).toEqual(again)
    expect(one?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(one?.spanId).toMatch(/^[0-9a-f]{16}$/)
    expect([other?.traceId, other?.parentSpanId]).toEqual([one?.traceId, one?.parentSpanId])
    expect(other?.spanId).not.toBe(one?.spanId)
  })

  test('is within the run, which is within the caller of the request', async ({ expect }) => {
    const traceparent = `00-${TRACE}-${PARENT}-01`
    const [run, call] = await spansOf({ ...draft, of: 'run', within: null, traceparent }, { ...draft, traceparent })
    expect(run).toMatchObject({ traceId: TRACE, parentSpanId: PARENT })
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: run?.spanId })
    const [alone] = await spansOf({ ...draft, of: 'run', within: null })
    expect(alone).not.toHaveProperty('parentSpanId')
  })

  test('has nanoseconds as texts, typed attributes, and its error', async ({ expect }) => {
    const [span, failed] = await spansOf(draft, { ...draft, error: 'timeout' })
    expect(span).toMatchObject({
      startTimeUnixNano: '1000000000',
      endTimeUnixNano: '1250000000',
      kind: 3,
      status: {},
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'tokens', value: { intValue: '7' } },
        { key: 'share', value: { doubleValue: 0.5 } },
        { key: 'yes', value: { boolValue: true } },
      ],
    })
    expect(failed?.status).toEqual({ code: 2, message: 'timeout' })
    expect(failed?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'timeout' } })
  })
})

test.for(['', 'x', `00-${TRACE}-${PARENT}`, `01-${TRACE}-${PARENT}-01`, `00-${'0'.repeat(32)}-${PARENT}-01`])(
  'no trace context is read from %j',
  (text, { expect }) => expect(parseTraceparent(text)).toBeNull(),
)
