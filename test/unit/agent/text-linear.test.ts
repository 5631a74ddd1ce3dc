import { describe, expect, test } from 'vitest'
import { AnswerStream } from '../../../src/agent/answer-stream.ts'
import { parseDecision } from '../../../src/agent/approval.ts'
import { escapeSections } from '../../../src/agent/prompt-parts.ts'
import { answerText, findTextCalls } from '../../../src/agent/text-calls.ts'
import { finish } from '../../../src/tools/control.ts'
import { TOOLS } from './example-tools.ts'
import { isLinear } from '../../support/cpu-time.ts'

const SMALL = 500
const FACTOR = 32

/** Hostile replies of `n` repetitions. Quadratic work would take 1,024 times as long for 32 times the length. */
const HOSTILE: [string, (n: number) => string][] = [
  ['tags without end', (n) => '<a>'.repeat(n)],
  ['names without end', (n) => Array.from({ length: n }, (_, i) => `<a${i}>`).join('')],
  ['less-than signs', (n) => '<'.repeat(n)],
  ['a less-than sign and spaces', (n) => `<${' '.repeat(n)}`.repeat(3)],
  ['a tag with spaces', (n) => `<a${' '.repeat(n)}`],
  ['thinking tags', (n) => '<思考>'.repeat(n)],
  ['thinking blocks in thinking blocks', (n) => '<think>'.repeat(n) + '</think>'.repeat(n)],
  ['thinking tags in code', (n) => '`<think>` '.repeat(n)],
  ['unclosed calls', (n) => '<finish>'.repeat(n)],
  ['unclosed calls and values', (n) => '<finish><reason>'.repeat(n)],
  ['unclosed calls and values, closed once', (n) => `${'<finish><reason>'.repeat(n)}x</reason></finish>`],
  ['calls in calls', (n) => '<finish><reason>'.repeat(n) + '</reason></finish>'.repeat(n)],
  ['values closed in an impossible place', (n) => `${'<finish><reason>'.repeat(n)}</reason><b></finish>`],
  ['unknown parameters, closed once', (n) => `<finish>${'<x>'.repeat(n)}</x><br></finish>`],
  ['values that mention their tag', (n) => '<finish><reason><reason></reason></finish>'.repeat(n)],
  ['values with half a call', (n) => '<finish><reason><finish><reason></reason></finish>'.repeat(n)],
  ['values with an unclosed fence', (n) => '<finish><reason>```\n</reason></finish>\n'.repeat(n)],
  ['values with a lone backtick', (n) => '<finish><reason>`</reason></finish>'.repeat(n)],
  [
    'many parameters before a broken end',
    (n) => '<web_access><url>'.repeat(n) + '</url><url>'.repeat(n) + '<finish></web_access>',
  ],
  ['closing tags', (n) => '<finish><reason>' + '</reason></finish>'.repeat(n)],
  ['closing tags before text', (n) => '<finish><reason>' + '</reason>x</finish>x'.repeat(n)],
  ['calls that start lines in calls', (n) => '\n<finish><reason>'.repeat(n) + '</reason></finish>'.repeat(n)],
  ['calls that start lines, closed once', (n) => `${'\n<finish><reason>'.repeat(n)}</reason></finish>`],
  ['values with half a call on a line', (n) => '<finish><reason>\n<finish><reason></reason></finish>'.repeat(n)],
  ['parameters in code', (n) => `<web_access>${'`<url>` '.repeat(n)}</url></web_access>`],
  ['alternating backticks', (n) => '` `` '.repeat(n)],
  ['backtick runs that grow', (n) => Array.from({ length: Math.sqrt(n * 4) }, (_, i) => '`'.repeat(i)).join(' ')],
  ['backslashes', (n) => `${'\\'.repeat(n)}\``],
  ['escaped backticks', (n) => '\\`'.repeat(n)],
  ['fences', (n) => '```\n'.repeat(n)],
  ['open fences of two kinds', (n) => '```\n~~~\n'.repeat(n)],
  ['quote marks', (n) => `${'>'.repeat(n)}\n`.repeat(2)],
  ['quoted lines', (n) => '> > > ```\n'.repeat(n)],
  ['list marks', (n) => `${'- '.repeat(n)}\n\n\n`],
  ['lists with blank lines', (n) => `${'- '.repeat(40)}\n${'\n'.repeat(n)}`],
  ['rules that are none', (n) => `${'- '.repeat(n)}x`],
  ['unknown calls in each other', (n) => '<x><y>'.repeat(n) + '</y></x>'.repeat(n)],
  ['unclosed tags in unknown calls', (n) => `<x>${'<y>'.repeat(n)}</x>`.repeat(2)],
  ['foreign marks', (n) => '<tool_call>{'.repeat(n)],
  ['foreign marks, closed once', (n) => `${'<tool_call>{'.repeat(n)}</tool_call>`],
  ['one parameter many times', (n) => `<box__tag>${'<numbers>1</numbers>'.repeat(4 * n)}</box__tag>`],
  ['foreign functions', (n) => `${'<function=finish><parameter=reason>'.repeat(n)}</function>`],
  [
    'one parameter of a foreign function many times',
    (n) => `<function=box__tag>${'<parameter=numbers>1</parameter>'.repeat(n)}</function>`,
  ],
  ['bare foreign marks', (n) => '<|tool_call|>[{"name":'.repeat(n)],
  ['a whole fence of fences', (n) => `\`\`\`json\n${'```x\n'.repeat(n)}`],
]

describe('reading a reply takes time in proportion to its length', () => {
  test.each(HOSTILE)('%s', (_, make) => {
    const read = (text: string) => findTextCalls(text, TOOLS)
    expect(isLinear(read, make(SMALL), make(SMALL * FACTOR))).toBe(true)
  })

  test('a megabyte of open tags after a good call leaves the call', () => {
    const reply = `<finish><reason>ok</reason></finish>${'<finish><reason>'.repeat(65_000)}`
    expect(findTextCalls(reply, TOOLS).calls).toEqual([{ tool: TOOLS[3], arguments: { reason: 'ok' } }])
  })

  test('a good call after a hundred thousand open ones is found', () => {
    const reply = `${'<finish><reason>'.repeat(100_000)}\n<finish><reason>ok</reason></finish>`
    expect(findTextCalls(reply, TOOLS).calls).toEqual([{ tool: TOOLS[3], arguments: { reason: 'ok' } }])
  })
})

/** Hears a reply in pieces of four characters, as a model writes it. */
function hear(reply: string): void {
  const stream = new AnswerStream({
    tools: TOOLS,
    tool: finish,
    parameter: 'reason',
    protocol: 'auto',
    newCallId: () => 'call_1',
    emit: () => {},
  })
  for (let at = 0; at < reply.length; at += 4) {
    const text = reply.slice(at, at + 4)
    stream.content(text)
    stream.arguments({ call: 0, name: 'finish', text, isFirst: at === 0 })
  }
}

const answer = (reply: string) => answerText(reply, finish)

describe('other readers of untrusted text are linear, too', () => {
  test.each<[string, (text: string) => unknown, (n: number) => string]>([
    ['a decision of open tags', parseDecision, (n) => `<授权><工具>${'<反馈>'.repeat(n)}</授权>`],
    ['a decision of closing tags', parseDecision, (n) => `<授权><工具>x</工具>${'</反馈>'.repeat(n)}</授权>`],
    ['hearing beginnings of calls', hear, (n) => '<finish><reason>'.repeat(n)],
    ['hearing beginnings in code', hear, (n) => '`<finish><reason>` '.repeat(n)],
    ['hearing an answer', hear, (n) => `<finish><reason>${'word '.repeat(n)}`],
    ['hearing an answer of less-than signs', hear, (n) => `<finish><reason>${'</reas'.repeat(n)}`],
    ['hearing blank lines', hear, (n) => `${'\n'.repeat(n)}<finish><reason>${'\n'.repeat(n)}`],
    ['hearing a tag and spaces', hear, (n) => `<finish>${' '.repeat(n)}`],
    ['hearing plain text', hear, (n) => 'word '.repeat(n)],
    ['hearing escapes', hear, (n) => `{"reason":"${'\\ud83c\\udf0d'.repeat(n)}`],
    ['hearing brackets', hear, (n) => `{"other":${'['.repeat(n)}`],
    ['an answer behind open tags', answer, (n) => '<finish><reason>'.repeat(n)],
    ['an answer of closing tags and spaces', answer, (n) => `</reason>${' '.repeat(n)}x`.repeat(2)],
    ['an answer before closing tags', answer, (n) => `x${'</reason>'.repeat(n)}`],
    ['escaping spaces', escapeSections, (n) => `<${' '.repeat(n)}/${' '.repeat(n)}`.repeat(2)],
    ['escaping tags', escapeSections, (n) => '< / 角色 '.repeat(n)],
  ])('%s', (_, read, make) => {
    expect(isLinear(read, make(SMALL), make(SMALL * FACTOR))).toBe(true)
  })
})
