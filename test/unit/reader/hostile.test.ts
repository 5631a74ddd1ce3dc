import { describe, expect, test } from 'vitest'
import { buildTree } from '../../../src/reader/build-tree.ts'
import { readPage } from '../../../src/reader/read-page.ts'
import { isLinear } from '../../support/cpu-time.ts'

const read = (html: string) =>
  readPage({ bytes: new TextEncoder().encode(html), contentType: 'text/html', url: 'https://site.example/' })

const HOSTILE: [string, (times: number) => string][] = [
  ['nested blocks', (n) => '<div>'.repeat(n)],
  ['nested inline tags', (n) => `${'<b>'.repeat(n)}x`],
  ['nested and closed', (n) => `${'<div>'.repeat(n)}x${'</div>'.repeat(n)}`],
  ['end tags of what is not open', (n) => '<b>'.repeat(n) + '</i>'.repeat(n)],
  ['blocks that end deep inline tags', (n) => `<p>${'<b>'.repeat(200)}${'<div></div><p>'.repeat(n)}`],
  ['nested lists', (n) => '<ul><li>x'.repeat(n)],
  ['nested quotes', (n) => '<blockquote>x<p>'.repeat(n)],
  ['nested tables', (n) => '<table><tr><td>x'.repeat(n)],
  ['wide cells', (n) => `<table>${'<tr><td colspan=1000>x'.repeat(n)}`],
  ['tall cells', (n) => `<table>${'<tr><td rowspan=1000>x<td rowspan=99>y'.repeat(n)}`],
  ['one wide row', (n) => `<table><tr>${'<td>x'.repeat(n)}<tr><td>y`],
  ['blocks in one cell', (n) => `<table><tr><td>a<td>${'<p>x</p>'.repeat(n)}<tr><td>b`],
  ['lines in nested lists', (n) => '<ul><li>'.repeat(20) + 'x<br>'.repeat(n)],
  ['references', (n) => Array.from({ length: n }, (_, index) => `&x${index};&#${index};`).join('')],
  ['names that differ', (n) => Array.from({ length: n }, (_, index) => `<x-${index} class=c${index}>y`).join('')],
  ['pictures that begin in a link', (n) => `<a href=/x>${'!['.repeat(n)}`],
  ['one line', (n) => `<p>${'word, '.repeat(n)}`],
  ['brackets', (n) => '<'.repeat(n)],
  ['ampersands', (n) => '&'.repeat(n)],
  ['attributes', (n) => `<a ${'b=c '.repeat(n)}>x`],
  ['an attribute without end', (n) => `<a href="${'x'.repeat(n)}`],
  ['comments', (n) => '<!--'.repeat(n)],
  ['scripts', (n) => '<script>'.repeat(n)],
  ['pictures of titles', (n) => '<svg><title>'.repeat(n)],
  ['links', (n) => '<a href=x>y'.repeat(n)],
  ['backticks', (n) => '<code>`</code>'.repeat(n)],
  ['white space', (n) => `<b>x${' '.repeat(n)}y</b>`],
  ['JSON-LD', (n) => `<script type="application/ld+json">${'['.repeat(n)}</script>x`],
]

describe('a hostile page', () => {
  test.each(HOSTILE)('of %s takes time in proportion to its length', (_, make) => {
    expect(isLinear(read, make(3_000), make(48_000))).toBe(true)
  })

  test('does not grow on its way to text', () => {
    for (const [, make] of HOSTILE) {
      const html = make(20_000)
      expect(read(html).markdown.length).toBeLessThan(12 * html.length)
    }
  })

  test('of 100,000 nested tags keeps the text at the bottom', () => {
    expect(read(`${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}<p>after</p>`).text).toMatch(/deep\s+after/)
    expect(read('<ul><li>x'.repeat(100_000)).text.match(/x/g)).toHaveLength(100_000)
  })

  test('of a million elements becomes a tree of bounded size with all its text', () => {
    const { root } = buildTree('<i>x</i>'.repeat(1_000_000))
    expect(root.children.length).toBeLessThan(400_000)
    expect(root.chars).toBe(1_000_000)
  })
})
