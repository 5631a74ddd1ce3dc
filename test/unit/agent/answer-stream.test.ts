import { describe, test } from 'vitest'
import { AnswerStream } from '../../../src/agent/answer-stream.ts'
import { codecFor } from '../../../src/agent/codec.ts'
import { forgive } from '../../../src/agent/forgiving.ts'
import type { ModelReply, Protocol } from '../../../src/domain/model.ts'
import { finish } from '../../../src/tools/control.ts'
import { randomOf } from '../../chaos/random.ts'
import { TOOLS } from './example-tools.ts'

interface Written {
  content?: string
  calls?: { name: string; arguments: string }[]
}

/** What is told of a reply that arrives in pieces of `size` UTF-16 units: while it is written, and by its end. */
function heard({ content = '', calls = [] }: Written, size: number, protocol: Protocol) {
  const told: string[] = []
  const ids = new Set<string>()
  let made = 0
  const stream = new AnswerStream({
    tools: TOOLS,
    tool: finish,
    parameter: 'reason',
    protocol,
    newCallId: () => `call_${++made}`,
    emit: (id, text) => void (ids.add(id), told.push(text)),
  })
  for (const piece of cut(content, size)) stream.content(piece)
  for (const [call, { name, arguments: args }] of calls.entries())
    cut(args, size).forEach((text, index) => stream.arguments({ call, name, text, isFirst: index === 0 }))
  const early = told.join('')
  const reply: ModelReply = {
    content,
    reasoning: '',
    toolCalls: calls.map((call, index) => ({ ...call, id: `theirs_${index}` })),
    stopReason: null,
    usage: { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  }
  const decoded = forgive(codecFor(protocol).decode(reply, TOOLS, 'en'), reply, TOOLS, protocol)
  const settled = stream.settle(decoded.calls)
  const answering = settled.find(({ toolId, problem }) => toolId === finish.id && problem === null)
  const answer = answering ? String(answering.arguments['reason']).trim() : null
  return { told, early, whole: told.join(''), answer, ids: [...ids], answeringId: answering?.id, settled }
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
}

const call = (reason: string) => ({ name: 'finish', arguments: JSON.stringify({ reason }) })
const ANSWERS = [
  'Paris.',
  '  spaces around\n',
  '# 标题\n\n- 一\n- 二 🌍\n\n```js\nif (a < b) `x`\n```',
  'a </b> <i>c</i>',
]

describe.for([1, 2, 3, 8, 1000])('a reply in pieces of %i', (size) => {
  test.for(ANSWERS)('native: the argument is told as it comes, without its escapes: %j', (reason, { expect }) => {
    for (const protocol of ['native', 'auto', 'xml'] as const) {
      const { early, whole, answer } = heard({ calls: [call(reason)] }, size, protocol)
      expect(early).toBe(reason.trim())
      expect(whole).toBe(answer)
    }
  })

  test.for(ANSWERS)('text: what the tag holds is told as it comes: %j', (reason, { expect }) => {
    for (const [name, parameter] of [
      ['完成会话', '理由'],
      ['finish', 'reason'],
    ]) {
      const content = `<思考>想 <finish><reason>no</reason></finish></思考>\nDone.\n<${name}>\n<${parameter}>${reason}</${parameter}>\n</${name}>`
      const { early, whole, answer } = heard({ content }, size, 'xml')
      expect(early).toBe(reason.trim())
      expect(whole).toBe(answer)
    }
  })

  test.for([
    ['code', 'Use `<finish><reason>x</reason></finish>` at the end.'],
    ['code whose end comes later', 'Use `<finish><reason>x` and then </reason></finish>.'],
    ['a fence', 'Like this:\n```\n<finish><reason>x</reason></finish>\n'],
    ['a thought', '<think>I could <finish><reason>x</reason></finish></think> but no.'],
    ['a thought that a later tag ends', '<think>a <think>b</think><finish><reason>x</reason></finish></think>'],
    [
      'the value of another call',
      '<web_access><url>http://a.test/<finish><reason>x</reason></finish></url></web_access>',
    ],
    [
      'what comes behind another call',
      '<web_access><url>http://a.test/</url></web_access><finish><reason>x</reason></finish>',
    ],
    ['another tool', '<rethink><reason>x</reason></rethink>'],
  ])('nothing is told of what stands in %s', ([, content], { expect }) => {
    expect(heard({ content: content ?? '' }, size, 'xml').told).toEqual([])
  })

  test('an answer that quotes its own end is told up to there, and its rest when the reply is whole', ({ expect }) => {
    const reason = 'Close it with `</reason>` and go on.'
    const { early, whole, answer } = heard({ content: `<finish><reason>${reason}</reason></finish>` }, size, 'xml')
    expect(early).toBe('Close it with `')
    expect(whole).toBe(reason)
    expect(answer).toBe(reason)
  })

  test.for([
    ['left open', '<finish>\n<reason>Paris.</finish>'],
    ['closed by a word that is misspelled', '<finish><reason>Paris.</reson></finish>'],
    ['closed in another language', '<完成会话><reason>Paris.</理由></finish>'],
  ])('an answer that was %s is told once, without its tags', ([, content], { expect }) => {
    const { whole, answer, ids } = heard({ content: content ?? '' }, size, 'xml')
    expect(answer).toBe('Paris.')
    expect(whole).toBe(answer)
    expect(ids).toHaveLength(1)
  })

  test('of several calls the first that finishes is told, under the id that it has in the log', ({ expect }) => {
    const read = { name: 'web_access', arguments: '{"url":"http://a.test/","reason":"no"}' }
    const { whole, ids, answeringId, settled } = heard({ calls: [read, call('one'), call('two')] }, size, 'native')
    expect(whole).toBe('one')
    expect(ids).toEqual([answeringId])
    expect(new Set(settled.map(({ id }) => id)).size).toBe(3)
  })

  test('where the call that was told is none, the one that counts is told whole, under its own id', ({ expect }) => {
    const broken = { name: 'finish', arguments: '{"reason":"half", "reason' }
    const { told, ids, answer, answeringId } = heard({ calls: [broken, call('good')] }, size, 'native')
    expect(told.at(-1)).toBe('good')
    expect(told.slice(0, -1).join('')).toBe('half')
    expect(answer).toBe('good')
    expect(ids).toHaveLength(2)
    expect(ids[1]).toBe(answeringId)
  })

  test('arguments that fit no answer tell nothing at the end', ({ expect }) => {
    const bad = { name: 'finish', arguments: '{"reason":["a"]}' }
    expect(heard({ calls: [bad] }, size, 'native').told).toEqual([])
    const cutOff = { name: 'finish', arguments: '{"reason":"half' }
    expect(heard({ calls: [cutOff] }, size, 'native').whole).toBe('half')
  })
})

test('a try that is made again begins its arguments anew', ({ expect }) => {
  const told: string[] = []
  const stream = new AnswerStream({
    tools: TOOLS,
    tool: finish,
    parameter: 'reason',
    protocol: 'native',
    newCallId: () => 'call_1',
    emit: (_, text) => void told.push(text),
  })
  stream.arguments({ call: 0, name: 'finish', text: '{"rea', isFirst: true })
  stream.arguments({ call: 0, name: 'finish', text: '{"reason":"whole"}', isFirst: true })
  expect(told).toEqual(['whole'])
})

const VALUE = [
  'words',
  ' ',
  '\n',
  '\n\n',
  '`',
  '```\n',
  '<b>',
  '</b>',
  '<',
  '</',
  '</rea',
  '<web_access>',
  '<think>',
  '</think>',
  '🌍',
] as const
const BEFORE = [
  ...VALUE,
  '<finish>',
  '</finish>',
  '</reason>',
  '<url>',
  'http://a.test/',
  '</url>',
  '</web_access>',
  '<tool_call>',
] as const
const CALLS: [Call, ...Call[]] = [
  ['<finish><reason>', '</reason></finish>'],
  ['<完成会话>\n<理由>', '</理由>\n</完成会话>'],
]
type Call = [open: string, close: string]

// A call that is begun and never closed cannot be known for that; none is among these.
test('whatever stands before it: of an answer all is told, and nothing else', ({ expect }) => {
  const random = randomOf('answers')
  const some = (from: readonly [string, ...string[]], most: number) =>
    Array.from({ length: random.int(0, most) }, () => random.pick(from)).join('')
  let answers = 0
  let early = 0
  for (let round = 0; round < 6_000; round++) {
    const [open, close] = random.pick(CALLS)
    const content = `${some(BEFORE, 8)}${open}${some(VALUE, 8)}${close}`
    const one = heard({ content }, random.int(1, 9), round % 2 === 0 ? 'xml' : 'auto')
    if (one.answer === null) {
      expect(one.early, content).toBe('')
      continue
    }
    answers++
    if (one.early !== '') early++
    expect(one.answer.startsWith(one.early), content).toBe(true)
    expect(one.whole, content).toBe(one.answer)
  }
  expect(answers).toBeGreaterThan(300)
  expect(early).toBeGreaterThan(150)
})
