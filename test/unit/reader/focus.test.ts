import { describe, expect, test } from 'vitest'
import { focusOn, focusWords } from '../../../src/reader/focus.ts'

const PAGE = [
  '# Guide\n\nIntroduction.',
  '## Install\n\nRun the installer.\n\n```sh\n# not a heading about prices\nnpm ci\n```',
  '## 价格\n\n每月十元。',
  '## Prices\n\nTen a month.',
  '## Contact\n\nWrite to us about anything.',
].join('\n\n')

describe('focus', () => {
  test('keeps sections whose heading or text matches, in the order of the page', () => {
    expect(focusOn(PAGE, 'installer')?.markdown).toBe(
      '[…]\n\n## Install\n\nRun the installer.\n\n```sh\n# not a heading about prices\nnpm ci\n```\n\n[…]',
    )
    expect(focusOn(PAGE, '价格')).toEqual({ markdown: '[…]\n\n## 价格\n\n每月十元。\n\n[…]', kept: 1, total: 5 })
  })

  test('prefers a match in a heading to one in passing', () => {
    expect(focusOn(PAGE, 'PRICES')?.markdown).toBe('[…]\n\n## Prices\n\nTen a month.\n\n[…]')
  })

  test('keeps several sections that match as well', () => {
    expect(focusOn(PAGE, '价格 prices')?.markdown).toBe(
      '[…]\n\n## 价格\n\n每月十元。\n\n## Prices\n\nTen a month.\n\n[…]',
    )
  })

  test('weighs rare words more than those that are everywhere', () => {
    const text = Array.from({ length: 9 }, (_, index) => `## Part ${'abcdefghi'[index]}x\n\nSome text.`).join('\n\n')
    expect(focusOn(text, 'part fx')).toMatchObject({ kept: 1 })
  })

  test('is null when nothing matches', () => {
    expect(focusOn(PAGE, 'zebra')).toBeNull()
    expect(focusOn(PAGE, ' ?! ')).toBeNull()
  })

  test('cuts a text without headings between its paragraphs', () => {
    const text = Array.from({ length: 20 }, (_, index) => `${index === 13 ? 'needle ' : ''}${'hay '.repeat(300)}`).join(
      '\n\n',
    )
    const focused = focusOn(text, 'needle')
    expect(focused).toMatchObject({ kept: 1 })
    expect(focused?.markdown).toContain('needle')
    expect(focused?.markdown.length).toBeLessThan(4_000)
  })
})

test('words are taken from any script', () => {
  expect(focusWords('The 修建大桥 of ＰＲＩＣＥ, price!')).toEqual(expect.arrayContaining(['the', '修建', 'price']))
  expect(focusWords('price PRICE')).toEqual(['price'])
})
