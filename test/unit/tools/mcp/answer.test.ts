import { describe, test } from 'vitest'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { mcpOutcome } from '../../../../src/tools/mcp/answer.ts'
import { GIF_BASE64, PNG_BASE64 } from '../../../support/small-image.ts'
import { toolContext } from '../../../support/tool-context.ts'

const text = (...texts: string[]): CallToolResult['content'] => texts.map((one) => ({ type: 'text', text: one }))

async function given(answer: CallToolResult): Promise<string> {
  const outcome = await mcpOutcome('shop', answer, toolContext())
  return outcome.ok ? (outcome.content ?? '') : ''
}

describe('an answer whose text and structure say the same is given once', () => {
  test.for<[string, string[], Record<string, unknown>]>([
    ['the JSON of it', ['{"b":1,"a":[2]}'], { a: [2], b: 1 }],
    ['a text that is wrapped', ['It rains.'], { result: 'It rains.' }],
    ['a number that is wrapped', ['42'], { result: 42 }],
    ['lines that are wrapped', ['one', 'two'], { result: 'one\ntwo' }],
    ['a list of texts', ['one', 'two'], { result: ['one', 'two'] }],
    ['a list of objects', ['{"n":1}', '{"n":2}'], { result: [{ n: 1 }, { n: 2 }] }],
    ['the JSON of what is wrapped', ['[1, 2]'], { items: [1, 2] }],
  ])('%s', async ([, texts, structuredContent], { expect }) => {
    expect(await given({ content: text(...texts), structuredContent })).not.toContain('[structured content]')
  })

  test.for<[string, string[], Record<string, unknown>]>([
    ['another text', ['It rains.'], { result: 'It snows.' }],
    ['a part of it', ['one'], { result: ['one', 'two'] }],
    ['one member of two', ['It rains.'], { result: 'It rains.', sure: true }],
    ['no text', [], { result: 'It rains.' }],
  ])('and both where they do not: %s', async ([, texts, structuredContent], { expect }) => {
    expect(await given({ content: text(...texts), structuredContent })).toContain('[structured content]')
  })
})

test('text that was cut within a character is Unicode all the same: services of models refuse what is not', async ({
  expect,
}) => {
  const half = '晴 \ud83c'
  expect(await given({ content: text(half) })).toContain('\n晴 \ufffd\n')
  const failed = await mcpOutcome('shop', { content: text(half), isError: true }, toolContext())
  expect(failed.ok || failed.reason.isWellFormed()).toBe(true)
})

describe('a picture of an answer', () => {
  const answer: CallToolResult = {
    content: [
      { type: 'image', data: PNG_BASE64, mimeType: 'image/png' },
      { type: 'image', data: btoa('no image'), mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'x://1', blob: GIF_BASE64, mimeType: 'image/gif' } },
    ],
  }

  test('is a line and a file, and is given to a model that is shown images', async ({ expect }) => {
    const seen = await mcpOutcome('shop', answer, toolContext({ vision: true }))
    const image = (path: string, media_type: string, size: number) => ({
      type: 'image',
      path,
      media_type,
      size,
      untrusted: true,
    })
    expect(seen).toMatchObject({
      content: expect.stringContaining('[image/png, 70 bytes] kept as mcp/call_1/1.png'),
      images: [image('mcp/call_1/1.png', 'image/png', 70), image('mcp/call_1/3.gif', 'image/gif', 42)],
    })
    expect(seen.ok && seen.files?.map(({ path }) => path)).toHaveLength(3)
    const unseen = await mcpOutcome('shop', answer, toolContext())
    expect(unseen.ok && [unseen.files?.length, unseen.images]).toEqual([3, undefined])
  })
})
