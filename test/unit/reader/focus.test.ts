import { describe, expect, test } from 'vitest'
import { focusOn as focusOnPage } from '../../../src/reader/focus.ts'
import { prettyJson } from '../../../src/reader/read-page.ts'

const focusOn = (markdown: string, focus: string) => focusOnPage({ kind: 'markdown', markdown }, focus)

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

describe('where there are no headings, focus keeps', () => {
  const rows = Array.from({ length: 400 }, (_, index) => ({ id: index, animal: index === 300 ? 'zebra' : 'horse' }))

  test('the elements of JSON that match, with the brackets around them', () => {
    const focused = focusOnPage({ kind: 'json', markdown: prettyJson(JSON.stringify({ rows })) ?? '' }, 'zebra')
    expect(focused?.markdown).toMatch(/^\[…\]\n\n{\n {2}…\n {2}"rows": \[\n[^]*"zebra"[^]*\]\n}\n\n\[…\]$/)
    expect(focused?.markdown.length).toBeLessThan(1_600)
  })

  test('the rows of a table that match, with its head', () => {
    const lines = rows.map(({ id, animal }) => `| ${id} | ${animal} |`)
    const focused = focusOnPage(
      { kind: 'csv', markdown: ['| id | animal |', '| --- | --- |', ...lines].join('\n') },
      'zebra',
    )
    expect(focused?.markdown).toMatch(/^\[…\]\n\n\| id \| animal \|\n\| --- \| --- \|\n[^]*\| 300 \| zebra \|/)
    expect(focused?.markdown.length).toBeLessThan(1_600)
  })

  test.each([
    ['items of a list', (animal: string) => `- [A long entry about a ${animal}](https://a.example/)\n  Summary.`],
    ['lines of a text', (animal: string) => `2025-01-01 12:00:00 a ${animal} was seen`],
  ])('the %s that match', (_, line) => {
    const focused = focusOn(rows.map(({ animal }) => line(animal)).join('\n'), 'zebra')
    expect(focused?.markdown).toContain('zebra')
    expect(focused?.markdown.length).toBeLessThan(3_200)
  })
})
