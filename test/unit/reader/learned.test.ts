import { expect, test } from 'vitest'
import { buildTree } from '../../../src/reader/build-tree.ts'
import { chooseBlocks, keepIllustrations } from '../../../src/reader/choose.ts'
import { findContent } from '../../../src/reader/content.ts'
import { createModel, describePage, FEATURES } from '../../../src/reader/learned.ts'
import { readMetadata } from '../../../src/reader/metadata.ts'
import { Forest } from '../../../src/reader/model/forest.ts'
import { TABLE } from '../../../src/reader/model/table.ts'
import { readHtml } from '../../../src/reader/read-page.ts'

const ADDRESS = 'https://site.example/page'
const sentence = (topic: string, n: number) =>
  `The ${topic} number ${n} was tried by our team for a month, and it held up well in rain, wind and cold weather.`
const paragraphs = (topic: string, count: number) =>
  Array.from({ length: count }, (_, index) => `<p>${sentence(topic, index)}</p>`).join('')
const page = (body: string) =>
  `<html><head><title>Tents</title></head><body><nav><ul><li><a href="/">Home</a></li><li><a href="/tents">All tents</a></li></ul></nav>
<main><h1>Tents of the year</h1>${body}</main><footer><p>Copyright. All rights reserved.</p></footer></body></html>`

test('what unfolds at a press is read, and what is hidden otherwise is not', () => {
  const part = (attributes: string, word: string) =>
    `<div ${attributes}><h3>${word} poles</h3>${paragraphs(`${word} pole`, 3)}</div>`
  const folded = part('class="accordion-panel" style="display:none"', 'FOLDED')
  const hidden = part('class="x7" style="display:none"', 'HIDDEN')
  const { text } = readHtml(page(paragraphs('tent', 8) + folded + paragraphs('bag', 4) + hidden), ADDRESS)
  expect(text).toContain('FOLDED')
  expect(text).not.toContain('HIDDEN')
})

test('a thread is read though machines are told its first post alone', () => {
  const question = Array.from({ length: 5 }, (_, index) => sentence('question', index)).join(' ')
  const told = JSON.stringify({ '@type': 'DiscussionForumPosting', headline: 'Tents', text: question })
  const posts = [question, ...Array.from({ length: 9 }, (_, index) => sentence('answer', index).repeat(2))]
  const thread = posts.map(
    (text, index) =>
      `<div class="post"><a class="user" href="/u/${index}">user${index}</a><div class="post-content"><p>${text}</p></div></div>`,
  )
  const { text } = readHtml(page(`<script type="application/ld+json">${told}</script>${thread.join('')}`), ADDRESS)
  for (let index = 0; index < 9; index += 1) expect(text).toContain(sentence('answer', index))
})

test('a model that asks for what the reader does not measure is refused', () => {
  expect(() => new Forest(TABLE.forest, FEATURES.slice(1))).toThrow('a feature that the reader does not have')
})

test('a layout of tables is read cell by cell', () => {
  const links = Array.from({ length: 12 }, (_, index) => `<a href="/l/${index}">Section ${index}</a><br>`).join('')
  const text = Array.from({ length: 12 }, (_, index) => sentence('tent', index)).join('<br><br>')
  const read = readHtml(`<body><table><tr><td>${links}</td><td>${text}</td></tr></table></body>`, ADDRESS).text
  expect(read).toContain(sentence('tent', 11))
  expect(read).not.toContain('Section 5')
})

test('what a script will show is read where it is nearly all of the page, and not beside a text that is there', () => {
  const waiting = `<div class="text" style="display:none">${paragraphs('waiting tent', 14)}</div>`
  expect(readHtml(page(paragraphs('tent', 1) + waiting), ADDRESS).text).toContain(sentence('waiting tent', 13))
  expect(readHtml(page(paragraphs('tent', 14) + waiting), ADDRESS).text).not.toContain('waiting')
})

test('the one sentence that a page shows stays beside what a script will show', () => {
  const waiting = `<div class="text" style="display:none">${paragraphs('waiting tent', 14)}</div>`
  const { text } = readHtml(`<body><p>The shop is closed until the end of May.</p>${waiting}</body>`, ADDRESS)
  expect(text).toContain('The shop is closed until the end of May.')
})

test.each([
  ['React', '<div hidden id="S:1f">'],
  ['Marko', '<div id="afmain12" style="display:none">'],
])('what %s puts in its place when all of the page came is read', (_, start) => {
  const { text } = readHtml(page(`${paragraphs('tent', 14)}${start}${paragraphs('late tent', 8)}</div>`), ADDRESS)
  expect(text).toContain(sentence('late tent', 7))
})

test('a page that is named after the notice over it is read', () => {
  const html = page(paragraphs('tent', 8)).replace('<body>', '<body class="has-header cookie-banner">')
  expect(readHtml(html, ADDRESS).text).toContain(sentence('tent', 7))
})

test('places where words may be broken are no part of them', () => {
  const { text, markdown } = readHtml(`<p>${sentence('moun\u00adtain tent', 1)} And the riv&shy;er.</p>`, ADDRESS)
  expect(text).toContain('mountain tent')
  expect(markdown).toContain('the river')
})

test('how characters are read aloud is not said beside them', () => {
  const ruby = '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby><ruby>字<rt>じ</rt></ruby>'
  expect(readHtml(`<p>${ruby}の本を${'読みました。'.repeat(40)}</p>`, ADDRESS).markdown).toContain('漢字の本を')
  expect(readHtml(`<p>${ruby}</p>`, ADDRESS).text).toBe('漢字')
})

/** A feature of each block of a page. */
function featureOf(html: string, name: string): number[] {
  const tree = buildTree(html)
  const { title, innerTypes: types, texts } = readMetadata(tree, (address) => address ?? null)
  const about = { title, address: '', types, texts }
  const { blocks, features } = describePage(tree, findContent(tree, title), createModel(TABLE), about)
  return blocks.blocks.map((_, index) => features.rowOf(index)[FEATURES.indexOf(name)] ?? NaN)
}

test('a block knows whether machines are told the same, wherever and in whatever markup', () => {
  const offers = { '@type': 'Offer', description: '<b>Sleeps two</b> people &amp; one dog of any size' }
  const told = JSON.stringify({ '@graph': [{ '@type': 'Product', name: 'Tent', offers: [offers] }] })
  const head = `<head><script type="application/ld+json">${told}</script></head>`
  const html = `${head}<body><p>Sleeps two people &amp; one dog of any size.</p><p>Ships in two days to all countries.</p>`
  expect(featureOf(html, 'told')).toEqual([1, 0])
  expect(featureOf(html, 'page_ldProduct')).toEqual([1, 1])
})

test('a block knows the heading of the part that its own heading stands in', () => {
  const html =
    '<h1>Tent</h1><h2>Others bought</h2><h3>Bag</h3><p>A warm one.</p><h3>Mat</h3><h2>Reviews</h2><p>Good.</p>'
  expect(featureOf(html, 'fromOuter')).toEqual([-1, 1, 1, 2, 3, 5, 6])
})

test('pictures without text count for the block behind them', () => {
  const html = '<p>One.</p><div><p><img src="a.png"></p><p><img src="b.png"></p></div><p>Two.</p><p>Three.</p>'
  expect(featureOf(html, 'imagesBefore')).toEqual([0, 2, 0])
})

test('what is in doubt is kept where it is most of a page, and left out beside a plain text', () => {
  const kept = (likely: number[], words: number[]) =>
    Array.from(chooseBlocks(Float32Array.from(likely), Float32Array.from(words)).isKept)
  expect(kept([0.99, 0.3, 0.3], [500, 20, 20])).toEqual([1, 0, 0])
  expect(kept([0.3, 0.3, 0.05], [200, 200, 200])).toEqual([1, 1, 0])
  expect(kept([0, 0], [10, 10])).toEqual([0, 0])
})

const ROWS = '<table><tr><td>code</td></tr><tr><td>two</td></tr></table>'.replaceAll('<td>', '<td></td><td>')

test.each([
  ['code between two texts', '<p>one</p><pre>code</pre><p>two</p>', true],
  ['code with a title of its own', '<p>one</p><div>a.js</div><pre>code</pre><p>Left out.</p>', true],
  ['a caption', '<p>one</p><figure><img src="/a.png"><figcaption>code</figcaption></figure><p>two</p>', true],
  ['a quote above its answer', '<div><blockquote><p>code</p></blockquote><p>one</p></div><p>two</p>', true],
  ['a row of a table', `<p>one</p>${ROWS}<p>Left out.</p>`, true],
  ['a table within the text', `<p>one</p>${ROWS.replace('two', 'too')}<p>two</p>`, true],
  ['a table far from it', `<p>one</p><p>Left out.</p>${ROWS.replace('two', 'too')}<p>two</p>`, false],
  ['a note below it', '<p>one</p><p>two</p><p>Left out.</p><ol class="footnotes"><li>code</li></ol>', true],
  ['code beside the text', '<p>one</p><aside><pre>code</pre></aside><p>two</p>', false],
  ['code that is hidden', '<p>one</p><pre style="display:none">code</pre><p>two</p>', false],
  ['code far from it', '<p>one</p><p>Left out.</p><p>Left out.</p><pre>code</pre><p>Left out.</p>', false],
])('what belongs to the text that is kept: %s', (_, html, expected) => {
  const tree = buildTree(html)
  const about = { title: null, address: '', types: [], texts: [] }
  const { blocks } = describePage(tree, findContent(tree, null), createModel(TABLE), about)
  const kept = Uint8Array.from(blocks.blocks, ({ text }) => Number(text === 'one' || text === 'two'))
  expect(keepIllustrations(blocks, kept).length > 0).toBe(expected)
  expect(kept[blocks.blocks.findIndex(({ text }) => text === 'code')]).toBe(Number(expected))
})
