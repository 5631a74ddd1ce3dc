import { describe, expect, test } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import { codecFor } from '../../../src/agent/codec.ts'
import { parseTextCalls } from '../../../src/agent/text-protocol.ts'
import { writeCall } from '../../../src/agent/tool-names.ts'
import type { Message, ToolCall } from '../../../src/domain/message.ts'
import { type WireMessage, wireMessages } from '../../../src/models/openai/openai.ts'
import { specFor } from '../models/call.ts'
import { validateStrictHistory } from '../../support/strict-history.ts'
import { message } from './example-messages.ts'
import { TOOLS, toolOf } from './example-tools.ts'

type Random = () => number

/** mulberry32: the same numbers for the same seed. */
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

const TEXTS = [
  '',
  ' ',
  '好',
  '<finish><reason>x</reason></finish>',
  '<old><a>x</a></old>',
  '<think>',
  '```',
  '<tool_call>{',
  '网页',
]

function calls(random: Random): ToolCall[] {
  return Array.from({ length: Math.floor(random() * 4) }, () => ({
    id: pick(random, ['a', 'b', 'c', '']),
    name: pick(random, ['web_access', 'finish', 'gone', '旧 工具', '']),
    arguments: pick<Record<string, unknown>>(random, [{}, { url: 'https://a.test' }, { reason: '</reason>', n: [1] }]),
  }))
}

function anyMessage(random: Random): Message {
  const text = pick(random, TEXTS)
  const made = calls(random)
  switch (
    pick(random, [
      'task',
      'prompt',
      'reply',
      'reply',
      'result',
      'result',
      'warning',
      'approval',
      'answer',
      'summary',
    ] as const)
  ) {
    case 'task':
      return message('user', 'task', text)
    case 'prompt':
      return message('system', 'prompt', text)
    case 'reply':
      return message('assistant', 'reply', text, made.length > 0 ? { tool_calls: made, reasoning: text } : {})
    case 'result':
      return message(
        'tool',
        'tool_result',
        text,
        random() < 0.8 ? { tool_call_id: pick(random, ['a', 'b', 'c', '']) } : {},
      )
    case 'warning':
      return message('system', 'warning', text)
    case 'approval':
      return message('user', 'approval', text)
    case 'answer':
      return message('user', 'answer', text)
    default:
      return message(pick(random, ['assistant', 'system', 'user']), 'summary', text)
  }
}

function history(seed: number): Message[] {
  const random = seeded(seed)
  return Array.from({ length: Math.floor(random() * 14) }, () => anyMessage(random))
}

const SPEC = specFor('https://llm.test/v1')
const seeds = Array.from({ length: 2_000 }, (_, index) => index + 1)

describe('any history is valid for a strict service', () => {
  test.each([
    ['native', TOOLS],
    ['auto', TOOLS],
    ['native', []],
    ['xml', TOOLS],
    ['xml', []],
  ] as const)('%s, with tools %#', (protocol, tools) => {
    const broken = seeds.filter((seed) => {
      const input = { prompt: 'P', messages: history(seed), tools, language: 'zh-CN' as const }
      const messages = wireMessages(SPEC, codecFor(protocol).encode(input).messages)
      return validateStrictHistory(messages).length > 0 || messages.filter(({ role }) => role === 'system').length !== 1
    })
    expect(broken).toEqual([])
  })

  test('text encoding has no tool messages or calls, and tells every result', () => {
    for (const seed of seeds) {
      const messages = history(seed)
      const said = codecFor('xml').encode({ prompt: null, messages, tools: TOOLS, language: 'en' })
      const wire = wireMessages(SPEC, said.messages)
      expect(wire.every((one) => one.role !== 'tool' && !('tool_calls' in one))).toBe(true)
      const results = messages.filter(
        ({ role, content }) => role === 'tool' && contentText(content, null).trim() !== '',
      ).length
      expect(wire.filter(({ role }) => role === 'user').length).toBeGreaterThanOrEqual(results)
    }
  })
})

describe('the validator of histories', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const
  const asks: WireMessage = { role: 'assistant', content: null, tool_calls: [call] }
  const answer: WireMessage = { role: 'tool', tool_call_id: 'a', content: 'x' }

  test.each<[string, unknown[]]>([
    [
      'a system message in the middle',
      [
        { role: 'user', content: 'x' },
        { role: 'system', content: 'x' },
      ],
    ],
    ['a tool message without a call (the bug of seed 001)', [{ role: 'assistant', content: 'x' }, answer]],
    ['a call without a result', [asks, { role: 'user', content: 'x' }]],
    ['something between call and result', [asks, { role: 'user', content: 'x' }, answer]],
    ['two results of a call', [asks, answer, answer]],
    ['a repeated id', [asks, answer, asks, answer]],
    ['an empty user message', [{ role: 'user', content: ' ' }]],
    ['an empty assistant message', [{ role: 'assistant', content: null }]],
    ['broken arguments', [{ ...asks, tool_calls: [{ ...call, function: { name: 'f', arguments: '{' } }] }, answer]],
    [
      'a bad function name',
      [{ ...asks, tool_calls: [{ ...call, function: { name: '网', arguments: '{}' } }] }, answer],
    ],
    ['an unknown role', [{ role: 'developer', content: 'x' }]],
  ])('names %s', (_, messages) => {
    expect(validateStrictHistory(messages)).not.toEqual([])
  })

  test('takes a good history', () => {
    expect(
      validateStrictHistory([{ role: 'system', content: 'x' }, { role: 'user', content: 'x' }, asks, answer]),
    ).toEqual([])
  })
})

test('what is written as a call is read as the same call, whatever its value quotes whole or in code', () => {
  const whole = [
    '<finish><reason>q</reason></finish>',
    '<rethink><reason>q</reason></rethink>',
    '<网页访问><地址>u</地址></网页访问>',
  ]
  const code = [' `</reason></finish>` ', '\n```\n</reason>\n```\n', '\n~~~\n</finish></reason></finish>\n~~~\n']
  const tags = [
    '<reason>',
    '</finish>',
    '<url>',
    '<think>',
    '</think>',
    '<b>',
    '</b>',
    '<foo>',
    '<',
    '&lt;',
    '\n\n',
    ' ',
  ]
  const parts = [...whole, ...code, ...tags]
  for (const seed of seeds) {
    const random = seeded(seed)
    const value = `v${Array.from({ length: 5 }, () => pick(random, parts)).join('')}v`
    const written = writeCall({ name: 'finish', arguments: { reason: value } }, [toolOf('finish')], 'en')
    expect(parseTextCalls(`好\n${written}\n好`, TOOLS).calls.map(({ params }) => params)).toEqual([[['reason', value]]])
  }
})
