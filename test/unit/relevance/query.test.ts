import { describe, expect, test } from 'vitest'
import { queryTerms, stem } from '../../../src/relevance/query.ts'
import { scoresOf } from '../../../src/relevance/score.ts'

const termsOf = (query: string, isBare = false) => queryTerms(query, { isBare }).map(({ text }) => text)
const scores = (query: string, ...texts: string[]) =>
  scoresOf(
    texts.map((text) => ({ text, context: '' })),
    queryTerms(query),
  )

describe('the terms of a request', () => {
  test.each([
    ['Please read https://lighthouse.example/tower and tell me who built the lighthouse', ['built', 'lighthous']],
    ['List 5 key points of max_tokens in GPT4', ['max', 'token', 'gpt4']],
    ['What happened in 1994?', ['happen', '1994']],
    ['ＨＡＲＢＯＵＲ harbours', ['harbour']],
  ])('are its telling words: %s', (query, terms) => {
    expect(termsOf(query)).toEqual(terms)
  })

  test.each([
    '',
    '  ',
    '请总结这篇文章的主要内容',
    'Please summarise this page in 5 points',
    'https://a.example/b',
    '?!。',
    '\ud800\u0000',
  ])('are none where it says nothing: %j', (query) => expect(termsOf(query)).toEqual([]))

  test('of Chinese are words, and pairs of characters for names that no dictionary holds', () => {
    expect(termsOf('请访问网页，告诉我修建灯塔的费用是谁出的')).toEqual(
      expect.arrayContaining(['修建', '灯塔', '费用']),
    )
    expect(termsOf('鹿角港')).toEqual(expect.arrayContaining(['鹿角', '角港']))
    expect(termsOf('网页 告诉 我')).toEqual([])
  })

  test('of Japanese leave the endings out, and of Korean the particles', () => {
    expect(termsOf('灯台の高さについて教えてください')).toEqual(expect.arrayContaining(['灯台']))
    expect(termsOf('등대는 항구에서')).toEqual(expect.arrayContaining(['등대', '항구']))
  })

  test('of words to search by are all, if there is no other', () => {
    expect(termsOf('the page', true)).toEqual(['the', 'page'])
    expect(termsOf('part 7', true)).toEqual(['part', '7'])
  })

  test('are bounded', () => {
    expect(termsOf('灯塔与海港的故事'.repeat(10_000)).length).toBeLessThanOrEqual(80)
    expect(termsOf(Array.from({ length: 9_000 }, (_, index) => `w${index}`).join(' ')).length).toBeLessThanOrEqual(80)
  })
})

test.each([
  ['lighthouses', 'lighthouse'],
  ['harbours', 'harbour'],
  ['boxes', 'box'],
  ['cities', 'city'],
  ['stopped', 'stopping'],
  ['managed', 'manages'],
  ['studied', 'studies'],
  ['quickly', 'quick'],
])('%s and %s are one word', (one, other) => expect(stem(one)).toBe(stem(other)))

test.each(['bus', 'gas', 'glass', 'thing', 'red', '灯塔', 'gpt4'])('%s stays as it is', (word) =>
  expect(stem(word)).toBe(word),
)

describe('a score', () => {
  test('is higher for a rarer word, and 0 without any', () => {
    const [both, common, none] = scores('common rare', 'common rare', 'common', 'none')
    const [, , , rare] = scores('common rare', 'common', 'common', 'none', 'rare')
    expect(both).toBeGreaterThan(common ?? 0)
    expect(rare).toBeGreaterThan(common ?? 0)
    expect(none).toBe(0)
  })

  test('counts words of spaced scripts whole, and of others wherever they stand', () => {
    const [inside, whole] = scores('art', 'the party started', 'the art')
    expect(inside).toBe(0)
    expect(whole).toBeGreaterThan(0)
    expect(scores('灯塔', '老灯塔边')[0]).toBeGreaterThan(0)
  })

  test('counts what a piece belongs to', () => {
    const pieces = [
      { text: 'It is deep.', context: '# Harbour' },
      { text: 'It is deep.', context: '' },
    ]
    const [under, apart] = scoresOf(pieces, queryTerms('harbour'))
    expect(under).toBeGreaterThan(0)
    expect(apart).toBe(0)
  })
})
