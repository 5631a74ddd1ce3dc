import { describe, expect, test } from 'vitest'
import { readPage } from '../../../src/reader/read-page.ts'

const read = (body: string | number[], contentType: string | null) =>
  readPage({
    bytes: typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body),
    contentType,
    url: 'https://site.example/feed/',
  })

describe('JSON', () => {
  test('is indented, with every number as it was written', () => {
    const page = read('{"id":12345678901234567890,"a":[1.0,"x\\"{,]"],"e":{},"f":[ ],"n":null}', 'application/json')
    expect(page).toMatchObject({ kind: 'json', mediaType: 'application/json' })
    expect(page.markdown).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": [\n    1.0,\n    "x\\"{,]"\n  ],\n  "e": {},\n  "f": [],\n  "n": null\n}',
    )
  })

  test('that is broken is given as text', () => {
    expect(read('{"a":1', 'application/vnd.api+json')).toMatchObject({ kind: 'text', markdown: '{"a":1' })
  })

  test('of great depth keeps its indents bounded', () => {
    expect(read('['.repeat(3_000) + ']'.repeat(3_000), 'application/json').markdown.length).toBeLessThan(300_000)
  })

  test('of one long string is read', () => {
    const long = 'x\\"'.repeat(200_000)
    expect(read(`{"a":"${long}"}`, 'application/json').markdown).toBe(`{\n  "a": "${long}"\n}`)
  })

  test('that is too long for indents still has its line breaks, and bounded room', () => {
    const long = `${'['.repeat(20)}${'1,'.repeat(1_500_000)}1${']'.repeat(20)}`
    const { markdown } = read(long, 'application/json')
    expect(markdown.split('\n').length).toBeGreaterThan(1_500_000)
    expect(markdown.length).toBeLessThan(2 * long.length + 100)
  })
})

describe('text', () => {
  test.each([
    ['text/plain', 'text'],
    ['text/csv', 'text'],
    ['text/markdown; charset=utf-8', 'markdown'],
    ['application/javascript', 'text'],
  ])('of type %s is given as it is', (type, kind) => {
    expect(read(' # a\r\n<b>&amp;</b>\n', type)).toMatchObject({ kind, markdown: '# a\n<b>&amp;</b>' })
  })
})

describe('a feed', () => {
  test('of RSS is a list of its items', () => {
    const rss = `<?xml version="1.0"?><rss><channel><title>News &amp; more</title><language>en</language>
      <item><title>One [1]</title><link>/a</link><pubDate>Mon</pubDate><description><![CDATA[<p>Some <b>text</b></p>]]></description></item>
      <item><title>Two</title><link>https://other.example/b</link></item></channel></rss>`
    expect(read(rss, 'application/rss+xml')).toMatchObject({ kind: 'feed', title: 'News & more', language: 'en' })
    expect(read(rss, 'text/xml').markdown).toBe(
      '- [One \\[1\\]](https://site.example/a) (Mon)\n  Some text\n- [Two](https://other.example/b)',
    )
  })

  test('of Atom takes the address of its alternate link', () => {
    const atom = `<feed><title>F</title><entry><title>One</title><link rel="self" href="/self"/>
      <link rel="alternate" href="/a?x=1&amp;y=2"/><updated>2025</updated><summary>S</summary></entry></feed>`
    expect(read(atom, 'application/atom+xml').markdown).toBe('- [One](https://site.example/a?x=1&y=2) (2025)\n  S')
  })

  test('of Atom counts addresses from where it says', () => {
    const entry = (attributes: string) => `<entry ${attributes}><title>One</title><link href="a"/></entry>`
    const atom = `<feed xml:base="https://other.example/b/">${entry('')}${entry('xml:base="c/"')}</feed>`
    expect(read(atom, 'application/atom+xml').markdown).toBe(
      '- [One](https://other.example/b/a)\n- [One](https://other.example/b/c/a)',
    )
  })

  test('has entities inside of its markup, and addresses where only its ids have them', () => {
    const rss = `<rss><channel><item><title><![CDATA[Tom &amp; Jerry]]></title><guid isPermaLink="true">https://a.example/1</guid>
      <description>It&amp;#8217;s &lt;b&gt;here&lt;/b&gt;</description></item><item><title>Two</title><guid>7</guid></item></channel></rss>`
    expect(read(rss, 'application/rss+xml').markdown).toBe('- [Tom & Jerry](https://a.example/1)\n  It’s here\n- Two')
  })

  test('of Atom may hold XHTML', () => {
    const atom =
      '<feed><entry><title>One</title><content type="xhtml"><div><p>Some <b>bold</b> text</p></div></content></entry></feed>'
    expect(read(atom, 'application/atom+xml').markdown).toBe('- One\n  Some bold text')
  })

  test('is not what other XML is: a line for each element that holds text', () => {
    const page = read('<book><name>A &amp; b</name><part><page>1</page></part></book>', 'text/xml')
    expect(page).toMatchObject({ kind: 'xml', markdown: 'name: A & b\npage: 1' })
  })
})

test('XML that speaks in attributes is given with them', () => {
  const xml = '<list xmlns="urn:x"><entry id="1" label="A &amp; B"/><entry id="2">text</entry></list>'
  expect(read(xml, 'text/xml').markdown).toBe('entry id="1" label="A & B"\nentry id="2": text')
})

test('a sitemap of fifty thousand addresses is given whole', () => {
  const url = '<url><loc>https://a.example/</loc><lastmod>2025</lastmod><priority>1</priority></url>'
  const page = read(`<urlset>${url.repeat(50_000)}</urlset>`, 'application/xml')
  expect(page.markdown.split('\n')).toHaveLength(50_000)
})

test('XML of more elements than are read says so', () => {
  const { markdown } = read(`<list>${'<a>1</a>'.repeat(150_000)}</list>`, 'text/xml')
  expect(markdown.endsWith('\n[…]')).toBe(true)
})

test('a sitemap is a list of its addresses with their times, and so is an index of sitemaps', () => {
  const map =
    '<urlset><url><loc>https://a.example/?x=1&amp;y=2</loc><lastmod>2025</lastmod></url><url><loc>https://a.example/b</loc></url></urlset>'
  expect(read(map, 'application/xml')).toMatchObject({
    kind: 'sitemap',
    markdown: '- https://a.example/?x=1&y=2 (2025)\n- https://a.example/b',
  })
  const index = '<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>'
  expect(read(index, 'text/xml')).toMatchObject({ kind: 'sitemap', markdown: '- https://a.example/s.xml' })
})

test('separated values are a table, what is none is text', () => {
  expect(read('a,b\n1,2', 'text/csv; charset=utf-8')).toMatchObject({
    kind: 'csv',
    markdown: '| a | b |\n| --- | --- |\n| 1 | 2 |',
    text: 'a,b\n1,2',
  })
  expect(read('just a line', 'text/csv')).toMatchObject({ kind: 'text', markdown: 'just a line' })
})

describe('the kind of a body', () => {
  test.each<[string, string | number[], string | null, string, RegExp]>([
    ['XHTML sent as XML', '<!DOCTYPE html><html><p>x</p></html>', 'application/xml', 'html', /^x$/],
    ['HTML without a type', '\n<!doctype html><p>x', null, 'html', /^x$/],
    ['JSON without a type', ' {"a":1}', null, 'json', /"a": 1/],
    ['text without a type', 'just text', 'application/octet-stream', 'text', /^just text$/],
    ['a picture', [0x89, 0x50, 0x4e, 0x47, 0, 1], 'image/png', 'binary', /^\[image\/png, 6 B\]$/],
    ['a PDF that says it is HTML', '%PDF-1.7\n', 'text/html', 'binary', /^\[application\/pdf, 9 B\]$/],
    ['bytes without a type', [1, 0, 2], null, 'binary', /^\[application\/octet-stream, 3 B\]$/],
    ['a video', [1, 2, 3], 'video/mp4', 'binary', /^\[video\/mp4, 3 B\]$/],
    ['an SVG picture', '<svg/>', 'image/svg+xml', 'binary', /^\[image\/svg\+xml/],
    ['nothing', '', 'text/html', 'html', /^$/],
    ['nothing without a type', '', null, 'text', /^$/],
    ['JSON that says it is HTML', ' [{"a":"<p>x</p>"}]', 'text/html', 'json', /"a": "<p>x<\/p>"/],
    ['JSON that says it is text', '{"a":1}', 'text/plain', 'json', /"a": 1/],
    ['JSON with a mark and without a type', '\uFEFF{"a":"<p>x</p>"}', null, 'json', /^{\n {2}"a"/],
    ['HTML that begins with a bracket', '[<b>x</b>]', 'text/html', 'html', /^\[\*\*x\*\*\]$/],
    ['HTML that says it is text', '<!DOCTYPE html><title>T</title><p>x', 'text/plain; charset=utf-8', 'html', /^x$/],
    ['text that speaks of markup', 'Use <div> and <p>.', 'text/plain', 'text', /^Use <div>/],
    [
      'a feed that says it is HTML',
      '<?xml version="1.0"?>\n<rss><channel><item><title>A</title></item></channel></rss>',
      'text/html',
      'feed',
      /^- A$/,
    ],
    ['a feed that says it is text', '<feed><entry><title>A</title></entry></feed>', 'text/plain', 'feed', /^- A$/],
    [
      'a sitemap without a type',
      '<urlset><url><loc>https://a.example/</loc></url></urlset>',
      null,
      'sitemap',
      /^- https/,
    ],
    [
      'a picture that says it is text',
      [0, 1, 2, 3, 4, 5, 6, 7],
      'text/plain',
      'binary',
      /^\[application\/octet-stream, 8 B\]$/,
    ],
    ['text of a type that nobody knows', 'key: value', 'application/x-settings', 'text', /^key: value$/],
    [
      'bytes of a type that nobody knows',
      [80, 75, 0, 4],
      'application/x-blob',
      'binary',
      /^\[application\/x-blob, 4 B\]$/,
    ],
    ['a WebP picture', [...Buffer.from('RIFF\0\0\0\0WEBPVP8 ')], 'text/html', 'binary', /^\[image\/webp/],
    ['HTML in UTF-16 without a type', [...Buffer.from('\uFEFF<p>中</p>', 'utf16le')], null, 'html', /^中$/],
  ])('%s is told', (_, body, type, kind, text) => {
    const page = read(body, type)
    expect(page.kind).toBe(kind)
    expect(page.markdown).toMatch(text)
  })
})
