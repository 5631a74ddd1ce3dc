import { describe, expect, test } from 'vitest'
import { nameSaid } from '../../../src/reader/bylines.ts'
import { dayOfAddress, findDay, isoTime } from '../../../src/reader/dates.ts'
import { readHtml } from '../../../src/reader/read-page.ts'

const URL = 'https://site.example/news/1'
const TEXT = `<p>${'The council met on Tuesday and agreed to build the bridge over the river. '.repeat(6)}</p>`

const of = (head: string, body: string, url = URL) =>
  readHtml(`<html><head>${head}</head><body>${body}${TEXT}</body></html>`, url)
const linked = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`

describe('a day is found however it is written', () => {
  test.each([
    ['2025-03-09', '2025-03-09'],
    ['2025/3/9 10:12', '2025-03-09'],
    ['Published March 9th, 2025', '2025-03-09'],
    ['Sun, 9 Mar 2025', '2025-03-09'],
    ['Veröffentlicht am 9. März 2025', '2025-03-09'],
    ['09.03.2025, 8 Uhr', '2025-03-09'],
    ['le 9 mars 2025', '2025-03-09'],
    ['9 de marzo de 2025', '2025-03-09'],
    ['9 września 2025', '2025-09-09'],
    ['9 марта 2025 г.', '2025-03-09'],
    ['发布时间：2025年3月9日', '2025-03-09'],
    ['2025年03月09日 公開', '2025-03-09'],
    ['2025년 3월 9일', '2025-03-09'],
    ['03/09/2025', '2025-03-09'],
    ['29/03/2025', '2025-03-29'],
  ])('%s', (text, day) => {
    expect(findDay(text)?.day).toBe(day)
  })

  test.each(['2025', 'in 2025 and 2026', '1234567890', '31 February 2025', 'version 12.20.2', '50 widgets 2025'])(
    'but not in: %s',
    (text) => {
      expect(findDay(text)).toBeNull()
    },
  )

  test('a time keeps its hour and its zone', () => {
    expect(isoTime('2025-03-09T08:30:00.123+01:00')).toBe('2025-03-09T08:30:00+01:00')
    expect(isoTime('2025-03-09T08:30:00+0100')).toBe('2025-03-09T08:30:00+01:00')
    expect(isoTime('Sun, 09 Mar 2025 08:30:00 GMT')).toBe('2025-03-09')
  })

  test('an address may hold it', () => {
    expect(dayOfAddress('https://a.example/2025/03/09/bridge')).toBe('2025-03-09')
    expect(dayOfAddress('https://a.example/blog/2025-03-09-bridge.html')).toBe('2025-03-09')
    expect(dayOfAddress('https://a.example/items/20250399')).toBeNull()
    expect(dayOfAddress('https://a.example/?on=2025-03-09')).toBeNull()
  })
})

describe('a line says who wrote', () => {
  test.each([
    ['By Ann Author', 'Ann Author'],
    ['Written by: Ann Author | Updated 9 March 2025', 'Ann Author'],
    ['9 March 2025 by Ann Author', 'Ann Author'],
    ['March 9, 2025 · 3 min read · By Ann Author', 'Ann Author'],
    ['Posted by ann77 on Friday March 7, 2025 @08:00PM', 'ann77'],
    ['By Ann Author, Senior Editor', 'Ann Author'],
    ['By Ann van der Berg and Bo Lee', 'Ann van der Berg and Bo Lee'],
    ['Von Anna Müller', 'Anna Müller'],
    ['Ein Beitrag von Anna Müller', 'Anna Müller'],
    ['Par Anne Dupont', 'Anne Dupont'],
    ['Por Ana García', 'Ana García'],
    ['作者：王小明', '王小明'],
    ['来源：水乡日报　作者：李建国　责任编辑：王芳', '李建国'],
    ['作者：李建国 校对：王芳', '李建国'],
    ['投稿者：山田 花子 東京', '山田 花子'],
    ['记者 王小明', '王小明'],
    ['文／王小明', '王小明'],
    ['執筆者：山田太郎', '山田太郎'],
    ['بقلم: أحمد محمود ١٢ مارس ٢٠٢٤', 'أحمد محمود'],
    ['Автор: Иван Петров', 'Иван Петров'],
    ['Text von Anna Schmidt', 'Anna Schmidt'],
    ['Texte : Marie Dupont', 'Marie Dupont'],
    ['文 | 王小明', '王小明'],
    ['【記者王小明／台北報導】', '王小明'],
    ['記者王小明台北報導', '王小明'],
    ['取材・文：山田太郎', '山田太郎'],
    ['[서울=연합] 김철수 기자', '김철수'],
  ])('%s', (line, name) => {
    expect(nameSaid(line)).toBe(name)
  })

  test.each([
    'By submitting your email you agree to our terms',
    'By default, all is on',
    'Par exemple, le pont',
    'Von dort geht es weiter',
    'Bypass the bridge',
    'Sorted by date',
  ])('but not: %s', (line) => {
    expect(nameSaid(line) || null).toBeNull()
  })
})

describe('the author', () => {
  test('is the name shown by the title, before the account that machines are told', () => {
    const head = linked({ '@type': 'BlogPosting', headline: 'A bridge', author: { name: 'admin.7' } })
    expect(of(head, '<h1>A bridge</h1><p>by <a>Ann Author</a></p>').byline).toBe('Ann Author')
  })

  test('is found where JSON-LD tells it in another place, with references decoded', () => {
    const graph = [
      { '@type': 'Article', headline: 'A bridge', author: { '@id': '#ann' } },
      { '@type': 'Person', '@id': '#ann', name: 'Ann &amp; Bo' },
    ]
    expect(of(linked({ '@graph': graph }), '<h1>A bridge</h1>').byline).toBe('Ann & Bo')
  })

  test('ends where the next element begins, though no space is between', () => {
    expect(
      of('', '<h1>A bridge</h1><div><span>By Ann Author</span><span>Updated: 9 March 2025</span></div>'),
    ).toMatchObject({
      byline: 'Ann Author',
      publishedTime: '2025-03-09',
    })
  })

  test('stands on the next line, or alone beside the day', () => {
    expect(of('', '<h1>A bridge</h1><div>Written by</div><div>Ann Author</div>').byline).toBe('Ann Author')
    const authors = '<meta name="citation_author" content="Author, Ann"><meta name="citation_author" content="Lee, Bo">'
    expect(of(authors, '<h1>A bridge</h1><p>By Ann Author</p>').byline).toBe('Ann Author, Bo Lee')
    expect(of('<meta property="og:article:author" content="王小明">', '<h1>A bridge</h1>').byline).toBe('王小明')
    expect(of('', '<h1>A bridge</h1><div>Ann Author</div><div>9 March 2025</div>').byline).toBe('Ann Author')
    expect(of('', '<h1>A bridge</h1><div>Ann Author</div><div>Old Town</div>').byline).toBeNull()
    expect(of('', '<h1>Log</h1><p>1.0.0 - 2026-01-01</p><h3>Breaking Changes</h3>').byline).toBeNull()
  })

  test('of a thread is who began it', () => {
    const head = linked({ '@type': 'DiscussionForumPosting', headline: 'Which bridge?', author: { name: 'ann' } })
    const posts = '<h1>Which bridge?</h1><div>by bo</div><div class="author"><b>bo</b> 42 posts</div>'
    expect(of(head, posts).byline).toBe('ann')
  })
})

describe('the day', () => {
  test('is that of publication, not of the last change', () => {
    const head = linked({
      '@type': 'Article',
      headline: 'A bridge',
      datePublished: '2025-03-09',
      dateModified: '2025-05-01',
    })
    expect(of(head, '<h1>A bridge</h1><p>Updated May 1, 2025</p>').publishedTime).toBe('2025-03-09')
  })

  test('is the day in the address where the told one is the same moment in Greenwich', () => {
    const head = '<meta property="article:published_time" content="2025-03-10T02:00:00+00:00">'
    expect(of(head, '<h1>A bridge</h1>', 'https://a.example/2025/03/09/bridge').publishedTime).toBe('2025-03-09')
    expect(of(head, '<h1>A bridge</h1>', 'https://a.example/2024/03/09/bridge').publishedTime).toBe(
      '2025-03-10T02:00:00+00:00',
    )
  })

  test('is read from the line by the title where nothing else tells it', () => {
    expect(of('', '<h1>A bridge</h1><div>Ein Beitrag von Anna Müller, 9. März 2025</div>').publishedTime).toBe(
      '2025-03-09',
    )
  })

  test('survives JSON-LD with line breaks in its strings', () => {
    const head =
      '<script type="application/ld+json">{"@type":"Article","description":"one\ntwo","datePublished":"2025-03-09"}</script>'
    expect(of(head, '<h1>A bridge</h1>').publishedTime).toBe('2025-03-09')
  })
})

describe('the title', () => {
  test('is the heading that says what the title says', () => {
    const head = '<title>The bridge over the river is to be built at last - The Herald</title>'
    expect(of(head, '<h1>Most read</h1><h1>A bridge over the river, at last</h1>').title).toBe(
      'A bridge over the river, at last',
    )
  })

  test('is not the name of the site, though that is a heading', () => {
    const head = '<title>How to build it — Bridge Handbook</title>'
    expect(of(head, '<h1>Bridge Handbook</h1><h2>How to build it</h2>').title).toBe('How to build it')
    expect(of('<title>Herald: How to build it</title>', '<h1><a href="/">Herald</a></h1>').title).toBe(
      'Herald: How to build it',
    )
  })

  test('has its words apart where its heading breaks, and no marks of links', () => {
    expect(of('<title>Engine noise</title>', '<h1>Thread: <span>Engine noise</span></h1>').title).toBe('Engine noise')
    expect(of('', '<h1>Data<br>bridges<a href="#data">¶</a></h1>').title).toBe('Data bridges')
  })
})

test('the site is the one that JSON-LD describes where nothing else names it', () => {
  const site = (...told: unknown[]) =>
    readHtml(`<script type="application/ld+json">${JSON.stringify({ '@graph': told })}</script><p>text</p>`, URL).site
  const website = { '@type': 'WebSite', name: 'The Bridge Blog' }
  const article = { '@type': 'Article', headline: 'A bridge' }
  expect(site(website)).toBe('The Bridge Blog')
  expect(site(article, website)).toBe('The Bridge Blog')
  expect(site({ ...article, publisher: { name: 'The Times' } }, website)).toBe('The Times')
})

test('a paper tells its title, its authors and its day as lists of papers want them', () => {
  const told = [
    ['citation_title', 'A bridge'],
    ['citation_author', 'Author, Ann'],
    ['citation_author', 'Bo Lee'],
    ['citation_author', 'Bo Lee'],
    ['citation_publication_date', '2025/03/09'],
    ['language', 'it'],
  ].map(([name, content]) => `<meta name="${name}" content="${content}">`)
  expect(readHtml(`<title>Journal</title>${told.join('')}<p>text</p>`, URL)).toMatchObject({
    title: 'A bridge',
    byline: 'Ann Author, Bo Lee',
    publishedTime: '2025-03-09',
    language: 'it',
  })
})
