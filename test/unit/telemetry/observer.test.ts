import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { type LogConfig, TELEMETRY_LIMITS } from '../../../src/domain/telemetry.ts'
import { Observer } from '../../../src/telemetry/observer.ts'

const place = { run_id: 'run_1', scope: null }
const called = (args: Record<string, unknown>): SessionEvent[] => [
  {
    ...place,
    seq: 1,
    time: '2026-01-01T00:00:00.000Z',
    type: 'tool-start',
    call_id: 'call_1',
    tool: 'write_file',
    arguments: args,
    attempt: 1,
  },
  {
    ...place,
    seq: 2,
    time: '2026-01-01T00:00:01.000Z',
    type: 'tool-end',
    call_id: 'call_1',
    ok: true,
    ms: 9,
    digest: 'd',
  },
]

const WATCHED = {
  session: 'ses_1',
  tenant: 'default',
  agent: 'yaa',
  runStart: null,
  modelOf: () => null,
  content: null,
}

function toldOf(content: boolean, args: Record<string, unknown>) {
  const observer = new Observer({ content, level: 'debug' })
  return called(args).map((event) => observer.see(event, WATCHED))
}

describe('the line of a tool call', () => {
  test('is of level debug, which is written where it or content is asked for', ({ expect }) => {
    const linesOf = (log: LogConfig) =>
      called({}).flatMap((event) => new Observer(log).see(event, WATCHED).facts.map(({ level }) => level))
    expect([{}, { level: 'info' as const }, { level: 'debug' as const }, { content: true }].map(linesOf)).toEqual([
      [],
      [],
      ['debug'],
      ['debug'],
    ])
    expect(linesOf({ level: 'error', content: true })).toEqual([])
  })

  test('has its arguments where content is asked for, and no line, measure or span has them else', ({ expect }) => {
    const args = { path: 'a.txt', content: 'the-word' }
    const [, told] = toldOf(true, args)
    expect(told?.facts).toMatchObject([{ event: 'tool_call', tool: 'write_file', arguments: JSON.stringify(args) }])
    expect(JSON.stringify([told?.spans, told?.measures])).not.toContain('the-word')
    expect(JSON.stringify(toldOf(false, args))).not.toMatch(/the-word|arguments/)
  })

  test('has no more of them than a line takes', ({ expect }) => {
    const [, told] = toldOf(true, { content: 'x'.repeat(100_000) })
    const said = String(told?.facts[0]?.['arguments'])
    expect([said.length, said.at(-1)]).toEqual([TELEMETRY_LIMITS.argumentsCharsMax + 1, '…'])
  })
})

test('counts all calls that callers make as one, whatever they call their tools, and names each in its span', ({
  expect,
}) => {
  const observer = new Observer({ content: false, level: 'debug' })
  const [start, end] = called({})
  const told = [start, end].flatMap((event) =>
    event ? [observer.see(event.type === 'tool-start' ? { ...event, client: true } : event, WATCHED)] : [],
  )
  const labels = told.flatMap(({ measures }) => measures.map((measure) => measure.labels['tool']))
  expect(new Set(labels)).toEqual(new Set(['client']))
  const [span] = told.flatMap(({ spans }) => spans)
  expect(span?.attributes).toMatchObject({ 'gen_ai.tool.name': 'write_file', 'gen_ai.tool.type': 'function' })
})

test('looks the start of a call up that it did not see: its object rested, or its process died', ({ expect }) => {
  const observer = new Observer({ content: false, level: 'debug' })
  const [start, end] = called({})
  const toolStart = () => (start?.type === 'tool-start' ? { ...start, client: true as const } : null)
  const told = end && observer.see(end, { ...WATCHED, toolStart })
  expect(told?.measures.map(({ labels }) => labels['tool'])).toEqual(['client', 'client'])
  expect(told?.spans[0]).toMatchObject({ name: 'execute_tool write_file' })
})
