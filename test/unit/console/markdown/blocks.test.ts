import { describe, expect, test } from 'vitest'
import { BlockSplitter, fenceEndFrom, tableHeadFrom } from '../../../../src/console/markdown/blocks.ts'
import { Heights } from '../../../../src/console/session/heights.ts'

/** All blocks of a text that comes in pieces of a length. */
function blocksOf(text: string, length: number): string[] {
  const splitter = new BlockSplitter()
  const blocks: string[] = []
  for (let at = 0; at < text.length; at += length) blocks.push(...splitter.push(text.slice(at, at + length)))
  return [...blocks, ...splitter.flush()].map((block) => block.trim())
}

describe('Markdown in pieces', () => {
  test.each([
    ['paragraphs end at blank lines', 'One\ntwo\n\nthree\n\n\nfour', ['One\ntwo', 'three', 'four']],
    ['a fence keeps its blank lines', '```js\na\n\nb\n```\n\nend', ['```js\na\n\nb\n```', 'end']],
    ['a longer fence is not closed by a shorter', '````\n```\n\nx\n````\n\ny', ['````\n```\n\nx\n````', 'y']],
    ['a list stays whole', '- a\n\n- b\n\n  more\n\nend', ['- a\n\n- b\n\n  more', 'end']],
    ['code ends the words above it, and ends itself', 'a:\n```\nb\n```\nc', ['a:', '```\nb\n```', 'c']],
    [
      'code within a list is of the list',
      '1. a\n   ```\n   b\n   ```\n2. c\n\nd',
      ['1. a\n   ```\n   b\n   ```\n2. c', 'd'],
    ],
    ['a list ends the words above it', 'a:\n- b\n- c\n\nd', ['a:', '- b\n- c', 'd']],
    ['words that look like a list are words', 'in\n1990. It\n-\n\nd', ['in\n1990. It\n-', 'd']],
    [
      'what is within a formula or HTML is of it',
      '$$\na\n- b\n$$\n\n<div>\n- c\n</div>',
      ['$$\na\n- b\n$$', '<div>\n- c\n</div>'],
    ],
    ['a list below code and a blank line stays whole', '```\na\n```\n\n- b\n\n- c', ['```\na\n```', '- b\n\n- c']],
    ['nothing is nothing', '', []],
  ])('%s, however it is cut', (_claim, text, wanted) => {
    for (const length of [1, 2, 3, 7, 100]) expect(blocksOf(text, length)).toEqual(wanted)
  })
})

test('a block is whole as soon as the next one begins, a list once it is sure that it has ended', () => {
  const splitter = new BlockSplitter()
  expect(splitter.push('One\n\n')).toEqual([])
  expect(splitter.push('T')).toEqual(['One\n\n'])
  expect(splitter.tail).toBe('T')
  expect(splitter.push('wo\n\n- a\n\nT')).toEqual(['Two\n\n'])
  expect(splitter.push('hree\n')).toEqual(['- a\n\n'])
})

describe('heights of a long list', () => {
  test('are guessed until they are measured, and say which row is where', () => {
    const heights = new Heights(10)
    heights.keys = ['a', 'b', 'c']
    expect([heights.total, heights.indexAt(0), heights.indexAt(15), heights.indexAt(999)]).toEqual([30, 0, 1, 2])
    expect([heights.measure('a', 100), heights.measure('a', 100)]).toEqual([true, false])
    expect([heights.total, heights.offset(1), heights.indexAt(99), heights.indexAt(100)]).toEqual([120, 100, 0, 1])
    heights.keys = ['z', 'a', 'b', 'c']
    expect(heights.offset(2)).toBe(110)
  })
})

test('what may be the end of a fence is held back, until it is known to be more', () => {
  const shown = (text: string, fence = '```', isStart = false) => text.slice(0, fenceEndFrom(text, fence, isStart))
  expect(['a\n`', 'a\n```', 'a\n```\n', 'a\n  ``` \n\n'].map((text) => shown(text))).toEqual(['a', 'a', 'a', 'a'])
  expect(['a``', 'a\n```x', 'a\n~~~', 'a\nb'].map((text) => shown(text))).toEqual(['a``', 'a\n```x', 'a\n~~~', 'a\nb'])
  expect([shown('```', '```', true), shown('a\n~~', '~~~')]).toEqual(['', 'a'])
})

test('the head of a table is found until the line of marks below it is whole', ({ expect }) => {
  const shown = (text: string) => text.slice(0, tableHeadFrom(text))
  expect(['|', 'a\n| b', '| b |\n', 'a\n| b |\n|--', '| b |\n| :-: |'].map(shown)).toEqual(['', 'a\n', '', 'a\n', ''])
  for (const text of ['', 'a | b', '| b |\n|---|\n', '| b |\n|---|\n| c', '| b |\n|---|\n| c |\n|', '| b |\nc'])
    expect(shown(text)).toBe(text)
})
