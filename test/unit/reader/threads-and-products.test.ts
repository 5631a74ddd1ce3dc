import { describe, expect, test } from 'vitest'
import { blocksOf } from '../../../src/reader/blocks.ts'
import { buildTree } from '../../../src/reader/build-tree.ts'
import { keepBlocks } from '../../../src/reader/choose.ts'
import { plainText } from '../../../src/reader/plain-text.ts'
import { readHtml } from '../../../src/reader/read-page.ts'
import { showWriters } from '../../../src/reader/writers.ts'

const SAID =
  'The chain of my bicycle keeps falling off the rear gear whenever I pedal hard uphill, and I would like to know what can be done about it, since a new gear costs more than the whole bicycle did. '
const answer = (name: string, day: string, text: string) => `
  <div class="answer"><div class="votes"><button>up</button><span>12</span></div>
    <div class="answer-body"><p>${text}</p><p>${SAID.repeat(2)}</p></div>
    <div class="tools"><a href="/share">Share</a> <a href="/edit">Improve this answer</a></div>
    <div class="user-info"><div class="user-action-time">answered <span title="x">${day}</span></div>
      <div class="user-details"><a href="/users/7/x">${name}</a></div></div>
  </div>`

test('a thread says who wrote each post and when, in the order of the posts', () => {
  const html = `<html><head><title>How do I mend a chain?</title></head><body>
    <header><nav><a href="/">Home</a> <a href="/users/1">Users</a></nav></header>
    <main><h1>How do I mend a chain?</h1><div class="question"><div class="answer-body"><p>${SAID.repeat(3)}</p></div>
    <div class="user-info"><div class="user-action-time">asked May 2, 2023 at 10:00</div><div class="user-details"><a href="/users/5/ann">Ann Asker</a></div></div></div>
    <h2>2 Answers</h2>
    ${answer('Ben Bolt', 'May 3, 2023 at 9:12', 'Check the hanger of the derailleur first.')}
    ${answer('Cy Gear', 'May 4, 2023 at 7:45', 'Shorten the chain by two links and try again.')}
    </main><footer>About us</footer></body></html>`
  const { markdown, type } = readHtml(html, 'https://site.example/questions/1/chain')
  expect(type.name).toBe('forum')
  const wanted = [
    'Ann Asker',
    'Check the hanger',
    'May 3, 2023 at 9:12',
    'Ben Bolt',
    'Shorten the chain',
    'May 4, 2023',
    'Cy Gear',
  ]
  const places = wanted.map((text) => markdown.indexOf(text))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

const remark = (name: string, text: string) => `<li class="comment js-comment" itemprop="comment">
  <div class="comment-actions"><div class="comment-score"><span>3</span></div></div>
  <div class="comment-text"><div class="comment-body"><span class="comment-copy">${text}</span>
  <div itemprop="author"><div class="d-none" itemprop="name">${name}</div>– <a href="/users/7/x" class="comment-user">${name}</a></div>
  <div class="d-none" itemprop="datePublished">2023-05-04 08:30:35 +00:00</div>
  <span class="comment-date"><span title="x">May 4, 2023 at 8:30</span></span></div></div></li>`

test('a thread has what others remark on its posts, below each', () => {
  const remarks = (items: string) => `<div class="js-post-comments-component"><ul class="comments-list">${items}</ul>
    <div class="comments-banner">Sign up to ask for more information here.</div><div class="comments-link"><a href="#">Add a comment</a></div></div>`
  const post = (kind: string, text: string, items: string) =>
    `<div class="${kind}"><div class="post-layout"><div class="answer-body"><p>${text}</p><p>${SAID.repeat(2)}</p></div>${remarks(items)}</div></div>`
  const html = `<html><head><title>How do I mend a chain?</title></head><body><main><h1>How do I mend a chain?</h1>
    ${post('question', 'My chain falls off.', remark('Joe', 'Which gear is it, and how old is it?'))}<h2>2 Answers</h2>
    ${post('answer', 'Check the hanger first.', '')}
    ${post('answer', 'Shorten the chain by two links.', remark('Kim', 'Two links were too much for mine.'))}</main></body></html>`
  const { markdown, text } = readHtml(html, 'https://site.example/questions/1/chain')
  const wanted = [
    'My chain falls',
    'Which gear is it',
    'Joe',
    '2 Answers',
    'Shorten the chain',
    'Two links were',
    'Kim',
  ]
  const places = wanted.map((part) => markdown.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(markdown.split('May 4, 2023 at 8:30')).toHaveLength(3)
  expect(markdown).not.toMatch(/Sign up|Add a comment|2023-05-04/)
  expect(text).not.toContain('Two links were')
})

test('a short thread says so, too, and nothing of when somebody took part', () => {
  const post = (name: string, day: string, text: string) =>
    `<div class="post"><dl class="postprofile"><dt><a href="/u/1" class="username">${name}</a></dt><dd><strong>Joined:</strong> 2020-01-01</dd></dl>
    <div class="postbody"><p class="author">by <strong><a href="/u/1">${name}</a></strong> » <time datetime="${day}T10:00:00Z">${day}, 10 am</time></p>
    <div class="content">${text}</div></div></div>`
  const { markdown, type, publishedTime } = readHtml(
    `<html><head><title>Kernel panic - Forum</title></head><body><main><h2><a href="/t">Kernel panic</a></h2>
    ${post('tux', '2026-01-05', `My machine does not boot any more since I updated it to the version of last week. ${SAID}`)}
    ${post('gnu', '2026-01-06', `Boot the old kernel, and make the image of the modules anew with the one of your disk. ${SAID}`)}
    ${post('tux', '2026-01-07', 'That was it, thank you very much! I had to add the module by hand.')}</main></body></html>`,
    'https://forum.example/viewtopic.php?t=5',
  )
  expect(type.name).toBe('forum')
  expect(publishedTime).toContain('2026-01-05')
  expect(markdown).toContain('2026-01-07, 10 am\n\nThat was it')
})

test('a post says whom it quotes, and what it links to', () => {
  const post = (name: string, text: string) =>
    `<div class="topic-body"><div class="meta"><span class="creator"><a href="/u/${name}">${name}</a></span></div><div class="post">${text}</div></div>`
  const quote =
    '<aside class="quote no-group" data-post="1"><div class="title"><div class="quote-controls"></div><img alt="" src="/a.png"> ann:</div><blockquote><p>My chain keeps falling off.</p></blockquote></aside>'
  const { markdown } = readHtml(
    `<title>Chain</title><main><h1>Chain</h1>${post('ann', `<p>My chain keeps falling off. ${SAID}</p>`)}
    ${post('bo', `${quote}<p>Shorten it by two links. ${SAID.repeat(2)}</p>`)}${post('cy', `<p>And mend the gear. ${SAID.repeat(2)}</p>`)}</main>`,
    'https://forum.example/t/chain/12',
  )
  expect(markdown).toContain('> ann:\n>\n> My chain keeps falling off.\n\nShorten it')
})

test('who wrote is named once, apart from when, and not by since when they take part', () => {
  const tree = buildTree(
    `<article><h4><a class="username" href="/members/bo">bo</a><span class="d-none">bo</span></h4><h5 class="rank">Old hand</h5>
    <dl><dt>Joined</dt><dd>Mar 1, 2015</dd></dl><p><a href="/u/bo">bo</a><span>Feb 3 at 10:00</span></p><p>one</p></article>`,
  )
  const blocks = blocksOf(tree.root, tree.root, tree.signs, () => ({ kind: 1, score: 0 }))
  const isKept = Uint8Array.from(blocks.blocks, ({ text }) => Number(text === 'one'))
  keepBlocks(blocks, isKept)
  showWriters({ blocks, isKept })
  expect(plainText(tree.root)).toBe('bo\nbo Feb 3 at 10:00\none')
})

test('a live blog has its introduction, and all its updates their headings and times', () => {
  const said = [
    'The storm has moved over the coast since the early morning and left many roads closed, the police said on Tuesday. ',
    'Trains to the north do not run until further notice, and those who have to travel should ask before they leave. ',
    'The mayor thanked all helpers who had filled sandbags through the night, and asked people to stay at home. ',
  ]
  const update = (_: unknown, index: number) => `<article class="live-post"><h2 class="post-title">Update ${index}</h2>
    <div class="byline">By Ann Walker</div><time datetime="2026-02-03T1${index % 10}:05:00Z">1${index % 10}:05</time>
    <div class="post-body"><p>${said[index % 3]?.repeat(1 + (index % 3))}</p></div></article>`
  const told = JSON.stringify({ '@type': 'LiveBlogPosting', headline: 'Storm live: coast closed' })
  const html = `<html><head><title>Storm live: coast closed</title><script type="application/ld+json">${told}</script></head><body>
    <nav><a href="/">Home</a></nav><main><h1>Storm live: coast closed</h1><p>A storm has reached the coast, and this is what we know.</p>
    <div><ul><li>Bridge closed</li><li><a href="/s">Schools open again on Monday</a></li></ul></div><p class="byline">By Ann Walker and others</p>
    <div class="liveblog">${Array.from({ length: 14 }, update).join('')}</div></main></body></html>`
  const { markdown } = readHtml(html, 'https://news.example/live/storm')
  expect(markdown).toMatch(/^A storm has reached the coast, and this is what we know\.\n\n- Bridge closed\n\n/)
  expect(markdown.match(/^## Update \d+$/gm)).toHaveLength(14)
  expect(markdown.match(/^1\d:05$/gm)).toHaveLength(14)
})

test('a part that opens at a press has its heading, and its tables all their rows', () => {
  const panel = `<div role="tabpanel" id="tab-x" class="wc-tab" style="display:none"><h2>More of it</h2><table><tr><th>Weight</th><td>100 g</td></tr><tr><th>Origin</th><td>Old Town, by the river</td></tr></table><p>${SAID}</p></div>`
  const { markdown } = readHtml(
    `<title>Chain</title><main><h1>Chain</h1><p class="price">€ 8.90</p><div class="tabs"><h2>Description</h2><p>${SAID.repeat(2)}</p><p>${SAID.repeat(2)}</p>${panel}</div></main>`,
    'https://shop.example/product/chain',
  )
  expect(markdown).toContain('## More of it\n\n| Weight | 100 g |\n| --- | --- |\n| Origin | Old Town, by the river |')
})

describe('a product', () => {
  const product = {
    '@type': 'Product',
    name: 'Trail Shoe',
    description: `A light shoe for rough trails. ${'It grips on wet rock and keeps stones out. '.repeat(8)}`,
    brand: { '@type': 'Brand', name: 'Peak' },
    offers: [{ price: '89.90', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' }],
    aggregateRating: { ratingValue: 4.5, reviewCount: 12 },
    additionalProperty: [{ name: 'Drop', value: '6 mm' }],
  }
  const page = (told: unknown, body: string) =>
    `<html><head><title>Trail Shoe</title><script type="application/ld+json">${JSON.stringify(told)}</script><script src="/app.js"></script></head><body>${body}</body></html>`
  const FACTS = '- brand: Peak\n- price: 89.90 EUR\n- availability: InStock\n- ratingValue: 4.5 (12)\n- Drop: 6 mm'

  test('says what it tells machines before its text', () => {
    const { markdown, type } = readHtml(page(product, `<h1>Trail Shoe</h1><p>${SAID}</p>`), 'https://shop.example/p/1')
    expect(type.name).toBe('product')
    expect(markdown.startsWith(`${FACTS}\n\nA light shoe`)).toBe(true)
    expect(markdown).toContain(SAID.trim())
  })

  test('says what its forms cost, and which of them there are', () => {
    const form = (color: string, price: string, availability: string) => ({
      '@type': 'Product',
      color,
      offers: { price, priceCurrency: 'EUR', availability: `https://schema.org/${availability}` },
    })
    const hasVariant = [form('black', '49.90', 'InStock'), form('steel', '44.90', 'OutOfStock')]
    const group = { '@type': 'ProductGroup', name: 'Kettle', hasVariant }
    const { markdown } = readHtml(page(group, `<h1>Kettle</h1><p>${SAID}</p>`), 'https://shop.example/p/1')
    expect(markdown).toContain('- variant: black, 49.90 EUR, InStock\n- variant: steel, 44.90 EUR, OutOfStock')
  })

  test('with several offers costs from the lowest to the highest', () => {
    const offers = ['49.90', '9.50', '120'].map((price) => ({ price, priceCurrency: 'EUR' }))
    const told = page({ ...product, offers }, `<h1>Trail Shoe</h1><p>${SAID}</p>`)
    expect(readHtml(told, 'https://shop.example/p/1').markdown).toContain('- price: 9.50–120 EUR')
  })

  test('does not say its description twice', () => {
    const body = `<h1>Trail Shoe</h1><p>${product.description}</p>`
    const { markdown } = readHtml(page(product, body), 'https://shop.example/p/1')
    expect(markdown.split('A light shoe')).toHaveLength(2)
  })

  test('whose page is empty without scripts is read from that alone', () => {
    const { markdown, type } = readHtml(page(product, '<div id="root"></div>'), 'https://shop.example/x')
    expect(type.name).toBe('product')
    expect(markdown).toBe(`${FACTS}\n\n${product.description.trim()}`)
  })

  test('is none of several', () => {
    const { markdown } = readHtml(page([product, product], `<h1>Shoes</h1><p>${SAID}</p>`), 'https://shop.example/p/1')
    expect(markdown).not.toContain('89.90')
  })
})
