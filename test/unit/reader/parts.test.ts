import { describe, expect, test } from 'vitest'
import { partsOf } from '../../../src/reader/parts.ts'
import { prettyJson } from '../../../src/reader/read-page.ts'
import { isLinear } from '../../support/cpu-time.ts'

const SIZE = { charsMax: 400, linesMax: 100 }

const parts = (value: unknown, size = SIZE) =>
  partsOf({ kind: 'json', markdown: prettyJson(JSON.stringify(value)) ?? '' }, size)

/** A part without the marks of what is left out is JSON but for commas at the ends. */
const parsed = (part: string): unknown => JSON.parse(part.replace(/^\s*…\n/gm, '').replace(/,(\s*[\]}])/g, '$1'))

describe('JSON', () => {
  const LIST = {
    count: 40,
    items: Array.from({ length: 40 }, (_, id) => ({ id, name: `Name ${id}`, tags: ['a{', ']b'] })),
    end: true,
  }

  test('that fits is one part, as it is', () => {
    expect(parts({ a: 1 })).toEqual(['{\n  "a": 1\n}'])
  })

  test('is cut between its elements, each part with the brackets around it', () => {
    const cut = parts(LIST)
    expect(cut.length).toBeGreaterThan(5)
    for (const part of cut) {
      expect(part.length).toBeLessThanOrEqual(SIZE.charsMax)
      expect(() => parsed(part)).not.toThrow()
    }
    expect(cut[0]).toMatch(/^{\n {2}"count": 40,\n {2}"items": \[\n {4}{\n[^]* {4}},\n {4}…\n {2}\]\n}$/)
    expect(cut[1]).toMatch(/^{\n {2}…\n {2}"items": \[\n {4}…\n {4}{\n {6}"id": \d+,/)
    expect(cut.at(-1)).toMatch(/"end": true\n}$/)
  })

  test('is whole in its parts, nothing twice', () => {
    const ids = parts(LIST).flatMap((part) => [...part.matchAll(/"id": (\d+)/g)].map((found) => Number(found[1])))
    expect(ids).toEqual(Array.from({ length: 40 }, (_, id) => id))
  })

  test('of any shape is cut within its size', () => {
    const shapes = [
      Array.from({ length: 3_000 }, (_, index) => index),
      JSON.parse(`${'['.repeat(500)}1${']'.repeat(500)}`),
      JSON.parse(`${'{"some longer name of a level":'.repeat(200)}1${'}'.repeat(200)}`),
      { text: 'x'.repeat(5_000), next: 'y' },
      ['{', '}', '[', ']', '…', '", {'].flatMap((text) => Array.from({ length: 50 }, () => ({ [text]: text }))),
      {},
    ]
    for (const shape of shapes) {
      for (const part of parts(shape)) {
        expect(part.length).toBeLessThanOrEqual(SIZE.charsMax)
        expect(part.split('\n').length).toBeLessThanOrEqual(SIZE.linesMax)
        expect(part).not.toBe('')
      }
    }
  })

  test('takes time in proportion to its length', () => {
    const entries = (length: number) =>
      prettyJson(JSON.stringify(Array.from({ length }, (_, index) => ({ index, deep: [[[index]]] })))) ?? ''
    const cut = (markdown: string) => partsOf({ kind: 'json', markdown }, { charsMax: 6_000, linesMax: 440 })
    expect(isLinear(cut, entries(2_000), entries(32_000))).toBe(true)
  })
})

describe('a table', () => {
  test('has its head on each part', () => {
    const rows = Array.from({ length: 100 }, (_, index) => `| ${index} | ${'x'.repeat(10)} |`)
    const cut = partsOf({ kind: 'csv', markdown: ['| n | text |', '| --- | --- |', ...rows].join('\n') }, SIZE)
    expect(cut.length).toBeGreaterThan(3)
    for (const part of cut) {
      expect(part).toMatch(/^\| n \| text \|\n\| --- \| --- \|\n\| \d/)
      expect(part.length).toBeLessThanOrEqual(SIZE.charsMax)
    }
    expect(cut.flatMap((part) => part.split('\n').slice(2))).toEqual(rows)
  })

  test('with a head as long as a part is cut like any text', () => {
    const head = `| ${'h'.repeat(500)} | b |\n| --- | --- |\n| 1 | 2 |`
    for (const part of partsOf({ kind: 'csv', markdown: head }, SIZE)) expect(part.length).toBeLessThanOrEqual(400)
  })
})

test('other text is cut between its lines', () => {
  expect(partsOf({ kind: 'text', markdown: 'a\nb' }, { charsMax: 1, linesMax: 9 })).toEqual(['a', 'b'])
})
