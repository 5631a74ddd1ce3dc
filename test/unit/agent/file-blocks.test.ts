import { describe, test } from 'vitest'
import { fileBlocks } from '../../../src/agent/file-blocks.ts'
import { isLinear } from '../../support/cpu-time.ts'

const lines = (...all: string[]) => all.join('\n')

describe('the files of a reply', () => {
  test.for<[string, string, { path: string; text: string }[]]>([
    ['none in plain text', 'FILE is a word.\n\n```\nx\n```', []],
    ['one', lines('FILE: a.js', '```js', 'x', '```'), [{ path: 'a.js', text: 'x\n' }]],
    ['with a blank line between', lines('FILE: a.js', '', '```js', 'x', '```'), [{ path: 'a.js', text: 'x\n' }]],
    ['not with words between', lines('FILE: a.js', 'as follows', '```', 'x', '```'), []],
    [
      'under marks of Markdown',
      lines('### **FILE: `src/a b.ts`**', '~~~', 'x', '~~~'),
      [{ path: 'src/a b.ts', text: 'x\n' }],
    ],
    ['with a Chinese colon', lines('FILE：a.py', '```', '1', '```'), [{ path: 'a.py', text: '1\n' }]],
    [
      'several, and blocks that are no file',
      lines('FILE: a', '```', '1', '```', '```', '2', '```', 'FILE: b', '```', '', '```'),
      [
        { path: 'a', text: '1\n' },
        { path: 'b', text: '\n' },
      ],
    ],
    [
      'a fence within a longer one',
      lines('FILE: a.md', '````md', '```', 'x', '```', '````'),
      [{ path: 'a.md', text: '```\nx\n```\n' }],
    ],
    ['an empty one', lines('FILE: a', '```', '```'), [{ path: 'a', text: '' }]],
    ['one that is not closed', lines('FILE: a', '```', 'x', 'y'), [{ path: 'a', text: 'x\ny\n' }]],
    [
      'a heading within a block is text of it',
      lines('FILE: a', '```', 'FILE: b', '```'),
      [{ path: 'a', text: 'FILE: b\n' }],
    ],
    ['lines that end in CRLF', 'FILE: a\r\n```\r\nx\r\n```\r\n', [{ path: 'a', text: 'x\n' }]],
  ])('%s', ([, reply, files], { expect }) => {
    expect(fileBlocks(reply)).toEqual(files)
  })

  test('of a megabyte of fences that are never closed are found in time that grows with its length', ({ expect }) => {
    const fences = (count: number) => 'FILE: a\n````\n```\n'.repeat(count)
    expect(isLinear(fileBlocks, fences(2_000), fences(60_000))).toBe(true)
  })
})
