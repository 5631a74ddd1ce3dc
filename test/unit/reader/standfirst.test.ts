import { describe, expect, test } from 'vitest'
import { readHtml } from '../../../src/reader/read-page.ts'

const said = (n: number) =>
  `<p>The tent number ${n} was tried by our team for a month, and it held up well in rain, wind and cold weather. Nobody wanted to give it back.</p>`
const TEXT = [1, 2, 3, 4, 5, 6, 7, 8].map(said).join('')
const page = (below: string) => `<html><head><title>Tents of the year | The Camper</title></head><body>
<nav><a href="/">Home</a> <a href="/tents">All tents</a></nav><article><header><h1>Tents of the year</h1>${below}</header>
<div class="byline">By <a rel="author" href="/ann">Ann Walker</a></div><time datetime="2026-02-03">Feb 3, 2026</time>
<div class="share"><a href="/s">Share</a></div><div class="article-body">${TEXT}</div></article>
<aside class="teaser">Read what others bought this year.</aside></body></html>`
const read = (below: string) => readHtml(page(below), 'https://site.example/tents').markdown

const LINE = 'Eight shelters that we would take into a storm'

describe('what stands right below the title', () => {
  test.each([
    ['a subtitle', `<h3 class="subtitle-HEEcLo">${LINE}</h3>`],
    ['a standfirst', `<p class="article__standfirst">${LINE}</p>`],
    ['a deck', `<div class="ArticleHeader_dek__x1"><p>${LINE}</p></div>`],
    ['a lead', `<p class="a-article-header__lead">${LINE}</p>`],
    ['a property', `<p itemprop="alternativeHeadline">${LINE}</p>`],
    ['a line of its group', `</header><hgroup><h1>Tents of the year</h1><p>${LINE}</p></hgroup><header>`],
  ])('is read: %s', (_, below) => {
    expect(read(below)).toMatch(new RegExp(`^${LINE}\\n\\nThe tent number 1`))
  })

  test('is not said twice, nor where it is the beginning of the text', () => {
    expect(read(`<p class="lead">The tent number 1 was tried by our team for a month, and …</p>`)).not.toContain('…')
    const twice = read('<p class="lead">The tent number 1 was tried by our team for a month, and it held up well.</p>')
    expect(twice.split('The tent number 1 ')).toHaveLength(2)
  })

  test.each([
    ['about the author', '<p class="excerpt">Ann is a writer who lives in the mountains all year.</p>'],
    ['a caption', '<div class="lead-image-caption">Somebody else in front of a tent in May</div>'],
    ['hidden', `<p class="subtitle" style="display:none">Somebody says what nobody sees here</p>`],
    ['links', '<p class="subtitle"><a href="/a">Somebody else wrote what is behind this</a></p>'],
  ])('is left out: %s', (_, below) => {
    expect(read(below)).toMatch(/^The tent number 1/)
  })
})

test('a thread says what is asked below its title', () => {
  const answer = (n: number) =>
    `<div class="List-item"><div class="AnswerItem"><a class="UserLink-link" href="/people/${n}">用户${n}</a><div class="RichContent"><p>${`第${n}个回答：链条掉下来多半是后拨挂钩歪了，先校正挂钩，再检查链条的长度。`.repeat(4)}</p></div></div></div>`
  const html = `<html><head><title>自行车链条总是掉怎么办？ - 问答</title></head><body><div itemscope itemtype="https://schema.org/Question">
    <h1 class="QuestionHeader-title">自行车链条总是掉怎么办？</h1><div class="QuestionHeader-detail"><div class="QuestionRichText QuestionRichText--expandable"><div><span class="RichText" itemprop="text">我骑了三年的车，最近上坡一用力链条就掉，换过一次链条也没有用。</span></div></div></div>
    <div class="QuestionAnswers">${[1, 2, 3, 4, 5].map(answer).join('')}</div></div></body></html>`
  const { markdown, type } = readHtml(html, 'https://ask.example/question/123')
  expect(type.name).toBe('forum')
  expect(markdown).toContain('我骑了三年的车')
  expect(markdown.indexOf('我骑了三年的车')).toBeLessThan(markdown.indexOf('第1个回答'))
})
