import { describe, expect, test } from 'vitest'
import { readHtml } from '../../../src/reader/read-page.ts'

const TEXT = 'The council met on Tuesday and agreed to build the bridge over the river. '
const ARTICLE = `<article><h1>A bridge</h1><p>By Ann Author, 9 March 2025</p>${`<p>${TEXT.repeat(3)}</p>`.repeat(5)}</article>`
const linked = (type: string) =>
  `<script type="application/ld+json">${JSON.stringify({ '@type': type, name: 'x' })}</script>`
const typeOf = (html: string, url: string) => readHtml(html, url).type.name

const item = (type: string) => `<div itemscope itemtype="https://schema.org/${type}">${ARTICLE}</div>`
const POSTS = `<div>${`<div class="post"><a href="/u/1">ann</a><p>${TEXT.repeat(3)}</p></div>`.repeat(4)}</div>`

const COMMENTS = `<h1>A bridge</h1><table>${`<tr><td><a href="/u">ann</a><div class="comment">${TEXT.repeat(3)}</div></td></tr>`.repeat(4)}</table>`

describe('the kind of a page', () => {
  test.each([
    ['article', ARTICLE, 'https://site.example/x'],
    ['forum', linked('DiscussionForumPosting') + ARTICLE, 'https://site.example/x'],
    ['forum', ARTICLE, 'https://site.example/viewtopic.php?t=1'],
    ['forum', item('DiscussionForumPosting'), 'https://site.example/x'],
    ['article', `${ARTICLE}<script>const row = '${item('Product')}'</script>`, 'https://site.example/x'],
    ['forum', POSTS, 'https://site.example/x'],
    ['article', POSTS, 'https://site.example/blog/x'],
    ['forum', COMMENTS, 'https://site.example/item?id=1'],
    ['product', item('Product'), 'https://site.example/shop/x'],
    ['product', `<meta property="og:type" content="product">${ARTICLE}`, 'https://site.example/x'],
    ['collection', `<meta property="og:type" content="product.group">${ARTICLE}`, 'https://site.example/x'],
    ['article', item('Product') + item('Product') + item('Product'), 'https://site.example/x'],
    ['product', linked('Product') + ARTICLE, 'https://site.example/x'],
    ['article', ARTICLE.replace('By Ann Author, 9 March 2025', ''), 'https://site.example/top/best/bridges/1'],
    ['documentation', ARTICLE, 'https://docs.site.example/x'],
    ['collection', ARTICLE, 'https://site.example/collections/bridges'],
    ['article', ARTICLE, 'https://site.example/2026-03/01/c_1.htm'],
    ['service', `<h1>Bridges</h1><p>${TEXT}</p>`, 'https://site.example/services/bridges'],
  ])('%s', (type, html, url) => {
    expect(typeOf(html, url)).toBe(type)
  })
})

const MOUNT = '<div id="root"></div>'
const SCRIPT = '<script src="/app.js"></script>'

describe('an empty shell', () => {
  test.each([
    MOUNT + SCRIPT,
    `<noscript>You need to enable JavaScript to run this app.</noscript><div id="app">Loading …</div>${SCRIPT}`,
    `<p>请启用 JavaScript 以继续。</p>${SCRIPT}`,
    `<p>Bitte aktivieren: JavaScript ist erforderlich, JavaScript aktivieren!</p>${SCRIPT}`,
    `<p>JavaScriptを有効にしてください。</p>${SCRIPT}`,
  ])('%s', (html) => {
    expect(typeOf(`<html><head><title>App</title></head><body>${html}</body></html>`, 'https://app.example/')).toBe(
      'shell',
    )
  })

  test.each([
    `${MOUNT}<p>${TEXT.repeat(9)}</p>${SCRIPT}`,
    `<noscript>Enable JavaScript to comment.</noscript>${ARTICLE}${SCRIPT}`,
    `<h1>Sum</h1><p>42</p>`,
    `<table>${'<tr><td>404</td><td>Not Found</td></tr>'.repeat(30)}</table><noscript>Please enable JavaScript to go on.</noscript>${SCRIPT}`,
    `<h1>Codes</h1><p>200 OK</p>${SCRIPT}<noscript>Please enable JavaScript to view the <a href="https://disqus.com/?ref_noscript">comments powered by Disqus.</a></noscript>`,
    `<h1>Hours</h1><p>Monday to Friday.</p>${SCRIPT}<noscript>This site works best with JavaScript enabled.</noscript>`,
    MOUNT +
      SCRIPT +
      `<script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: TEXT.repeat(9) })}</script>`,
  ])('is not: %s', (html) => {
    expect(typeOf(`<html><body>${html}</body></html>`, 'https://app.example/')).not.toBe('shell')
  })
})
