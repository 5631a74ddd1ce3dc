import pc from 'picocolors'
import { expect, test } from 'vitest'
import { humanLine, isHealthRequest, isInnerNote, loggedWords } from '../../../../src/cli/serve/log-lines.ts'

const shown = (line: string) => humanLine(line, pc.createColors(false))
const request = (route: string) =>
  JSON.stringify({
    level: 'info',
    event: 'request',
    time: '2026-11-23T23:27:54.395Z',
    request: 'req_1',
    method: 'GET',
    route,
    status: 200,
    ms: 2,
  })

test('a request is a line of words with the time of day', () => {
  expect(shown(request('/v1/sessions'))).toMatch(/^\d\d:\d\d:54 GET \/v1\/sessions 200 2 ms$/)
  expect([
    isHealthRequest(request('/healthz')),
    isHealthRequest(request('/v1/tools')),
    isHealthRequest('text'),
  ]).toEqual([true, false, false])
})

test('another fact is its event and fields, what workerd says its message, and text stays as it is', () => {
  const fact = { level: 'warn', event: 'run_end', time: '2026-11-23T23:27:54Z', session: 'ses_1', spent: { tokens: 3 } }
  expect(shown(JSON.stringify(fact))).toMatch(/:54 run_end session=ses_1 spent={"tokens":3}$/)
  const own = JSON.stringify({
    timestamp: '1795476482926',
    level: 'error',
    source: 'server.rs:1',
    message: 'bind() \u001b[2J',
    context_depth: 0,
  })
  expect(shown(own)).toMatch(/^\d\d:\d\d:\d\d bind\(\) {1,2}\[2J$/)
  expect(loggedWords(own)).toBe('bind() \u001b[2J')
  const stack = JSON.stringify({
    timestamp: '1795476482926',
    message: 'not known stack: /bin/workerd@2b5 /bin/workerd@3fe',
  })
  expect(shown(stack)).toMatch(/:\d\d not known$/)
  expect([shown('workerd ended'), loggedWords('workerd ended')]).toEqual(['workerd ended', 'workerd ended'])
})

test('what workerd notes for its makers is told from what an operator has to know', () => {
  const line = (level: string, message: string) => JSON.stringify({ timestamp: '1795476482926', level, message })
  const cache = 'NOSENTRY per-isolate bootstrap compile cache failed its compatibility check'
  expect([
    isInnerNote(line('warning', cache)),
    isInnerNote(line('error', cache)),
    isInnerNote(line('warning', 'slow disk')),
    isInnerNote(cache),
  ]).toEqual([true, false, false, false])
  expect(shown(line('error', 'NOSENTRY script not found'))).toMatch(/:\d\d script not found$/)
  expect(loggedWords(line('error', 'NOSENTRY script not found'))).toBe('script not found')
})
