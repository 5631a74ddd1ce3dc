import { describe, expect, test } from 'vitest'
import { GAP, relevantPart } from '../../../src/relevance/choose.ts'
import { items, sections } from '../../../src/relevance/units.ts'

const textsOf = (text: string, charsMax = 1_000, by = sections) =>
  by(text, charsMax).map(({ start, end }) => text.slice(start, end))
const contextsOf = (text: string, charsMax = 1_000) =>
  sections(text, charsMax).map(({ context }) => context.map(({ start, end }) => text.slice(start, end)))

describe('sections', () => {
  test('begin at headings and know those above them', () => {
    const text = '# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd'
    expect(textsOf(text)).toEqual(['# A\n\na', '## B\n\nb', '### C\n\nc', '## D\n\nd'])
    expect(contextsOf(text)).toEqual([[], ['# A'], ['# A', '## B'], ['# A']])
  })

  test('that are long end between paragraphs, items or lines, and know their heading', () => {
    const text = `# A\n\n${Array.from({ length: 30 }, (_, i) => `Paragraph ${i} of some length.`).join('\n\n')}`
    const parts = textsOf(text, 200)
    expect(parts.length).toBeGreaterThan(4)
    for (const part of parts) expect(part).toMatch(/length\.$/)
    expect(
      contextsOf(text, 200)
        .slice(1)
        .every((context) => context[0] === '# A'),
    ).toBe(true)
  })

  test('of a table know its head', () => {
    const text = `| id | name |\n| --- | --- |\n${Array.from({ length: 60 }, (_, i) => `| ${i} | name ${i} |`).join('\n')}\n\nAfter.`
    const contexts = contextsOf(text, 200)
    expect(contexts[1]).toEqual(['| id | name |\n| --- | --- |'])
    expect(textsOf(text, 200).every((part) => /^(\||After)/.test(part))).toBe(true)
  })

  test('of JSON know the brackets that they stand in', () => {
    const rows = Array.from({ length: 60 }, (_, id) => ({ id, name: `Name ${id}` }))
    expect(contextsOf(JSON.stringify({ rows }, null, 2), 200)[2]).toEqual(expect.arrayContaining(['{', '  "rows": [']))
  })

  test('keep a fence whole where they can; a heading in it is none', () => {
    const code = '```sh\n# no heading\nls\n\nls -l\n```'
    expect(textsOf(`${'Text. '.repeat(20)}\n\n${code}\n\n# End`, 130)).toEqual([expect.any(String), code, '# End'])
  })

  test('hold all of a text, in order, none longer than it may be', () => {
    for (const text of [
      'word '.repeat(5_000),
      '一二三四。'.repeat(5_000),
      'x'.repeat(20_000),
      '```\n'.repeat(900),
      '👍🏽'.repeat(4_000),
    ]) {
      const units = sections(text, 300)
      expect(units.every(({ start, end }) => end - start <= 301)).toBe(true)
      const kept = units.map(({ start, end }) => text.slice(start, end)).join('')
      expect(kept.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    }
    expect(sections('', 100)).toEqual([])
    expect(sections(' \n \n', 100)).toEqual([])
  })
})

test('items stand by themselves', () => {
  const text = '1. One\n   https://a.example\n   About one\n2. Two\n   https://b.example\n\nA paragraph'
  expect(textsOf(text, 1_000, items)).toEqual([
    '1. One\n   https://a.example\n   About one',
    '2. Two\n   https://b.example',
    'A paragraph',
  ])
})

describe('what of a text speaks of a query', () => {
  const filler = (count: number) =>
    Array.from({ length: count }, (_, i) => `第${i}条：关于别的主题的一些事实 ${i}。`).join('\n')
  const answer = '量子预报的准确率是 93%。'
  const query = '量子预报准确率'

  test.for([
    ['at the end', `${filler(900)}\n${answer}`],
    ['in the middle', `${filler(400)}\n\n${answer}\n\n${filler(500)}`],
    ['at the start', `${answer}\n${filler(900)}`],
  ] as const)('is kept where only one part does, %s', ([, text]) => {
    const part = relevantPart(text, query, 3_000)
    expect(part).toContain(answer)
    expect(part.length).toBeLessThanOrEqual(3_000)
    expect(part.length).toBeGreaterThan(2_200)
  })

  test('is its start and its end where none does, torn within no character', () => {
    const text = `开头${'👩‍👩‍👧'.repeat(2_000)}结尾`
    const part = relevantPart(text, query, 1_000)
    expect(part).toMatch(/^开头(?:👩‍👩‍👧)+\n\n\[…\]\n\n(?:👩‍👩‍👧)+结尾$/u)
    expect(part.length).toBeLessThanOrEqual(1_000)
    expect(relevantPart('x'.repeat(100), query, 5)).toBe(GAP)
    expect(relevantPart(text, '', 1_000)).toBe(part)
  })
})
