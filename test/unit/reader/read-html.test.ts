import { describe, expect, test } from 'vitest'
import { readHtml } from '../../../src/reader/read-page.ts'

const URL = 'https://site.example/news/1'
const EN =
  'The committee met on Tuesday, and after a long debate it agreed to build the bridge. Work begins in spring. '
const ZH = '委员会在星期二开会，经过长时间的讨论，同意修建这座大桥。工程将在春天开始，预计两年后完成。'

function news(paragraph: string): string {
  const article = Array.from({ length: 6 }, (_, index) => `<p>${index + 1} ${paragraph.repeat(2)}</p>`).join('')
  const links = Array.from(
    { length: 20 },
    (_, index) => `<li><a href="/n${index}">NAV link number ${index}</a></li>`,
  ).join('')
  return `<html lang="en"><body>
    <header><nav><ul>${links}</ul></nav></header>
    <div class="cookie-banner"><p>COOKIE ${paragraph}</p></div>
    <div class="wrap"><div class="col"><h1>Bridge</h1><div class="text">${article}
      <div class="share-bar"><a href="/s">SHARE</a></div>
      <div><a href="/r1">RELATED one</a> <a href="/r2">RELATED two</a></div>
      <h2>Next</h2><ul><li>first step, as planned</li><li>second step</li></ul>
    </div></div>
    <aside><p>ASIDE ${paragraph}</p></aside>
    <div id="comments"><p>COMMENT ${paragraph}</p><p>COMMENT ${paragraph}</p></div></div>
    <footer><p>FOOTER ${paragraph}</p></footer></body></html>`
}

describe.each([
  ['English', EN],
  ['Chinese', ZH],
])('an article in %s', (_, paragraph) => {
  const page = readHtml(news(paragraph), URL)

  test('is there whole', () => {
    for (let index = 1; index <= 6; index += 1) expect(page.markdown).toContain(`${index} ${paragraph.trim()}`)
    expect(page.markdown).toContain('## Next\n\n- first step, as planned\n- second step')
  })

  test.each(['NAV', 'COOKIE', 'SHARE', 'RELATED', 'ASIDE', 'COMMENT', 'FOOTER'])('is without %s', (word) => {
    expect(page.markdown).not.toContain(word)
  })

  test('is sure of itself, and its plain text has no marks', () => {
    expect(page.confidence).toBeGreaterThan(0.7)
    expect(page.text).toContain('Next\nfirst step, as planned\nsecond step')
    expect(page.text).not.toMatch(/[#*[\]]/)
  })
})

test('a listing comes out whole, and is not sure of itself', () => {
  const items = Array.from({ length: 30 }, (_, index) => `<li><a href="/p/${index}">Result ${index}</a></li>`).join('')
  const page = readHtml(`<body><nav><a href="/">Home</a></nav><ul>${items}</ul></body>`, URL)
  expect(page.confidence).toBeLessThan(0.5)
  expect(page.markdown).toContain('- [Result 0](https://site.example/p/0)\n- [Result 1](https://site.example/p/1)')
  expect(page.markdown).toContain('Result 29')
  expect(page.markdown).toContain('[Home](https://site.example/)')
})

describe('a short page that says what it is about', () => {
  const around = (main: string) =>
    `<body><header><nav><a href="/">Home</a></nav></header><aside class="sidebar"><ul><li><a href="/i">Intro</a></li></ul></aside>
    <main>${main}</main><footer><p>© 2025 Brand</p></footer></body>`

  test('is without what surrounds it', () => {
    const code = '<pre class="brush: js; toolbar: false">const a = 1</pre>'
    const page = readHtml(around(`<h1>Install</h1><p>Flume runs on Linux.</p>${code}`), URL)
    expect(page.confidence).toBeLessThan(0.5)
    expect(page.markdown).toBe('# Install\n\nFlume runs on Linux.\n\n```js\nconst a = 1\n```')
  })

  test('is read whole where nearly all of it is of that kind', () => {
    const parts = Array.from({ length: 4 }, (_, index) => `<nav><a href="/${index}">Chapter number ${index}</a></nav>`)
    const page = readHtml(`<body><h1>Book</h1>${parts.join('')}</body>`, URL)
    expect(page.markdown).toContain('[Chapter number 3]')
  })
})

test('a name of boilerplate does not take out what holds most of the page', () => {
  const page = readHtml(
    `<body class="has-sidebar"><div class="social"><div><p>${EN.repeat(5)}</p></div></div></body>`,
    URL,
  )
  expect(page.text).toContain('The committee met')
})

test('an article that waits for a script to be shown is read', () => {
  const article = `<div id="x" style="visibility: hidden">${`<p>${EN}</p>`.repeat(8)}</div>`
  expect(readHtml(`<body><a href="/">Home</a>${article}</body>`, URL).text).toContain('The committee met')
  expect(readHtml(`<body>${`<p>${ZH.repeat(4)}</p>`.repeat(4)}${article}</body>`, URL).text).not.toContain('committee')
})

test('what asks for leave to track is never the article, however long it is', () => {
  const notice = `<div id="cookie-consent">${`<p>NOTICE ${EN}</p>`.repeat(30)}</div>`
  const page = readHtml(`<body>${notice}<div><p>${ZH.repeat(4)}</p><p>${ZH.repeat(4)}</p></div></body>`, URL)
  expect(page.text).toBe(`${ZH.repeat(4)}\n${ZH.repeat(4)}`)
  expect(readHtml(`<body>${notice}<ul><li><a href="/x">Item</a></li></ul></body>`, URL).text).toBe('Item')
})

test('a main part with little running text is read as a whole', () => {
  const page = readHtml(
    `<body><nav><a href="/">Home</a></nav><main><h1>Bridge kit</h1><div class="price">€ 49.99</div><button>Buy</button>
      <div class="description"><p>${EN.repeat(3)}</p></div><table><tr><th>Weight</th><td>3 kg</td></tr><tr><th>Size</th><td>3 m</td></tr></table></main></body>`,
    URL,
  )
  for (const piece of ['€ 49.99', EN.trim(), '| Weight | 3 kg |', '| Size | 3 m |'])
    expect(page.markdown).toContain(piece)
  expect(page.markdown).not.toContain('Home')
})

test('elements of the page’s own speak by their names', () => {
  const article = `<p>${EN.repeat(3)}</p><site-newsletter><p>NEWSLETTER ${EN}</p></site-newsletter><p>${EN.repeat(3)}</p>`
  expect(readHtml(`<body><div>${article}</div></body>`, URL).text).not.toContain('NEWSLETTER')
})

test('a page that shows nothing without its scripts is read from what it tells machines', () => {
  const ld = (articleBody: string) =>
    `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', headline: 'H', articleBody })}</script>`
  const shell = '<body><nav><a href="/">Home</a></nav><div id="root"></div>'
  expect(readHtml(shell + ld(`${EN.repeat(3)}\n${ZH}`), URL)).toMatchObject({
    title: 'H',
    markdown: `${EN.repeat(3)}\n\n${ZH}`,
  })
  expect(readHtml(shell + ld(`<p>${EN.repeat(3)}</p><p>${ZH}</p>`), URL).text).toBe(`${EN.repeat(3).trim()}\n${ZH}`)
  expect(readHtml(`<p>${ZH.repeat(9)}</p>${ld(EN.repeat(9))}`, URL).markdown).toBe(ZH.repeat(9))
})

describe('metadata', () => {
  const of = (head: string, body = `<p>${EN.repeat(5)}</p>`) =>
    readHtml(`<html><head>${head}</head><body>${body}</body></html>`, URL)

  test('comes from JSON-LD', () => {
    const ld = {
      '@graph': [
        { '@type': 'WebSite', name: 'no' },
        {
          '@type': ['NewsArticle'],
          headline: 'H',
          author: [{ name: 'Ann' }, { name: 'Bo' }],
          datePublished: '2025-03-29',
          publisher: { name: 'Site' },
          inLanguage: 'fr',
        },
      ],
    }
    expect(of(`<script type="application/ld+json">${JSON.stringify(ld)}</script>`)).toMatchObject({
      title: 'H',
      byline: 'Ann, Bo',
      publishedTime: '2025-03-29',
      site: 'Site',
      language: 'fr',
    })
  })

  test('comes from <meta>, and addresses become absolute', () => {
    const head = `<meta property="og:title" content="T &amp; t"><meta name="Author" content="Ann">
      <meta property="article:published_time" content="2025-01-01"><meta property="og:site_name" content="S">
      <meta property="og:locale" content="zh_CN"><link rel=canonical href="/c">`
    expect(of(head)).toMatchObject({
      title: 'T & t',
      byline: 'Ann',
      publishedTime: '2025-01-01',
      site: 'S',
      language: 'zh-CN',
      canonicalUrl: 'https://site.example/c',
    })
  })

  test('comes from the elements where nothing else tells', () => {
    const body = `<h1>Heading here</h1><a rel="author">Ann</a><time datetime="2025-02-02">x</time><p>${EN.repeat(5)}</p>`
    expect(of('<title>Heading here | Some site</title>', body)).toMatchObject({
      title: 'Heading here',
      byline: 'Ann',
      publishedTime: '2025-02-02',
    })
  })

  test('has no name of the site behind its title, and no "by" before its author', () => {
    const head = '<title>Bridges of the old town | Site</title><meta name=author content="By Ann —">'
    expect(of(head)).toMatchObject({ title: 'Bridges of the old town', byline: 'Ann' })
    expect(of('<meta property=og:title content="T - S"><meta property=og:site_name content=S>').title).toBe('T')
    expect(of('<title>T - S</title>').title).toBe('T - S')
  })

  test('is null where nothing is told, and broken JSON-LD is passed over', () => {
    expect(of('<script type="application/ld+json">{"@type":</script>')).toMatchObject({
      title: null,
      byline: null,
      publishedTime: null,
      language: null,
      site: null,
      canonicalUrl: null,
    })
  })
})

test('a CDATA section outside of SVG hides no more than one tag, as in a browser', () => {
  const page = readHtml(`<body><![CDATA[<p>${EN}</p><p>${EN}</p>`, URL)
  expect(page.text).toContain(EN.trim())
})

test('a CDATA section within SVG is no text of the page', () => {
  const svg = '<svg><text><![CDATA[a > b]]></text></svg>'
  const { text } = readHtml(`<body><p>${EN}</p>${svg}<p>last words ${EN}</p>`, URL)
  expect(text).not.toContain('b]]>')
  expect(text).toContain('last words')
})

test('a page of scripts is read as who runs none would see it', () => {
  const shell = '<div id="app"></div><noscript><p>Please run our scripts.</p></noscript>'
  const posts = Array.from({ length: 6 }, (_, n) => `<div class="post"><p>Post ${n}: ${EN}</p></div>`).join('')
  const page = readHtml(`<body>${shell}<noscript data-path="/t/1"><main>${posts}</main></noscript>`, URL)
  expect(page.text).toContain(`Post 5: ${EN.trim()}`)
})

test('what a page that has text says to those who run no scripts is left out', () => {
  const page = readHtml(`<body><article>${`<p>${EN}</p>`.repeat(12)}</article><noscript>No scripts?</noscript>`, URL)
  expect(page.text).not.toContain('No scripts?')
})

test('what opens at a press is read, and so is code in tabs made of fields', () => {
  const tabs = `<div class="tabbed-set"><input type="radio" name="a"><input type="radio" name="a"><div><label>Linux</label></div><pre>run --fast</pre></div>`
  const steps = `<div class="accordion"><h3><button>Papers</button></h3><div class="accordion-panel" hidden><p>A picture of yours.</p></div><h3><button>Law</button></h3><div class="accordion-panel" hidden><p>The act of 1990.</p></div></div>`
  const page = readHtml(`<main><h1>Bridge</h1>${`<p>${EN}</p>`.repeat(3)}${tabs}${steps}</main>`, URL)
  expect(page.markdown).toContain(
    '```\nrun --fast\n```\n\n### Papers\n\nA picture of yours.\n\n### Law\n\nThe act of 1990.',
  )
})

test('notes of a text are read, wherever they stand beside it', () => {
  const note = '<aside class="footnote brackets" role="doc-footnote"><p>As others showed.</p></aside>'
  const page = readHtml(`<main>${`<p>${EN}</p>`.repeat(4)}<aside class="footnote-list">${note}</aside></main>`, URL)
  expect(page.markdown).toContain('As others showed.')
})

test('entries of a page that goes on all day say when', () => {
  const told = JSON.stringify({ '@type': 'LiveBlogPosting', headline: 'Flood' })
  const entry = (hour: number) =>
    `<article class="block"><p class="block-time"><a href="#b"><time datetime="2024-05-01T${hour}:20:00Z">${hour}.20</time></a></p><h2>News of ${hour}</h2><p>${EN.repeat(3)}</p><p>${EN.repeat(2)}</p></article>`
  const html = `<script type="application/ld+json">${told}</script><header><nav><a href="/">Home</a></nav></header><main><h1>Flood</h1>${[17, 16, 15, 14, 13].map(entry).join('')}</main><aside><p>${EN}</p></aside>`
  expect(readHtml(html, URL).markdown).toContain('16.20')
})
