import { describe, test } from 'vitest'
import { createReplyFilter, type ReplyPiece } from '../../../src/client/reply-filter.ts'
import { isLinear } from '../../support/cpu-time.ts'

const TOOLS = ['网页访问', 'web_access']

/** The reply in pieces of `size` characters, joined by kind. */
function filtered(reply: string, size: number): ReplyPiece[] {
  const filter = createReplyFilter(TOOLS)
  const pieces: ReplyPiece[] = []
  for (let at = 0; at < reply.length; at += size) pieces.push(...filter.push(reply.slice(at, at + size)))
  pieces.push(...filter.flush())
  return pieces.reduce<ReplyPiece[]>((all, { kind, text }) => {
    const last = all.at(-1)
    if (last?.kind === kind) last.text += text
    else all.push({ kind, text })
    return all
  }, [])
}

const CASES: { name: string; reply: string; pieces: ReplyPiece[] }[] = [
  {
    name: 'thinking, text and a call are told apart, and the call is left out',
    reply: '<思考>先看网页</思考>我去读。<网页访问>\n<地址>https://x.test/?a=1&b=<2></地址>\n</网页访问>',
    pieces: [
      { kind: 'thinking', text: '先看网页' },
      { kind: 'text', text: '我去读。' },
    ],
  },
  {
    name: 'finish is a call as any other: its answer is told by itself',
    reply: 'Done.\n<finish>\n<reason># Title\n\nA < B, <b>bold</b></reason>\n</finish>',
    pieces: [{ kind: 'text', text: 'Done.\n' }],
  },
  {
    name: 'tags in a fence and in inline code are text',
    reply: '```xml\n<网页访问><地址>x</地址></网页访问>\n```\nand `<finish>` too',
    pieces: [{ kind: 'text', text: '```xml\n<网页访问><地址>x</地址></网页访问>\n```\nand `<finish>` too' }],
  },
  {
    name: 'a stray backtick does not show the call of a later line',
    reply: 'it`s here\n<web_access><url>http://x.test</url></web_access>',
    pieces: [{ kind: 'text', text: 'it`s here\n' }],
  },
  {
    name: 'markup that is no tool, and comparisons, are text',
    reply: 'a < b <br> <b>x</b> 3<4',
    pieces: [{ kind: 'text', text: 'a < b <br> <b>x</b> 3<4' }],
  },
  {
    name: 'an unclosed thinking block reaches to the end',
    reply: '<think>never closed <finish><reason>no</reason></finish>',
    pieces: [{ kind: 'thinking', text: 'never closed <finish><reason>no</reason></finish>' }],
  },
]

describe.for(CASES)('$name', ({ reply, pieces }) => {
  test.for([1, 2, 3, 7, 1_000])('in pieces of %i characters', (size, { expect }) => {
    expect(filtered(reply, size)).toEqual(pieces)
  })
})

test('a hundred thousand open tags take linear time', ({ expect }) => {
  const filterAll = (reply: string) => {
    const filter = createReplyFilter(TOOLS)
    return [...filter.push(reply), ...filter.flush()].reduce((sum, { text }) => sum + text.length, 0)
  }
  const large = '<a'.repeat(100_000)
  expect(filterAll(large)).toBe(large.length)
  expect(isLinear(filterAll, '<a'.repeat(3_000), large)).toBe(true)
})
