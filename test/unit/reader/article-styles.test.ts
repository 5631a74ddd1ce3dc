import { describe, expect, test } from 'vitest'
import { readHtml } from '../../../src/reader/read-page.ts'
import { mean } from '../../bench/reader/accuracy.ts'
import { score } from '../../bench/reader/score.ts'
import { ARTICLE_STYLES } from './styles/article-styles.ts'
import { Writer } from './styles/words.ts'

const SEEDS = [1, 2, 3]
const F1_MIN = 0.93
const F1_MEAN_MIN = 0.985

const results = ARTICLE_STYLES.map(([name, language, style]) => {
  const reads = SEEDS.map((seed) => {
    const { html, text } = style(new Writer(language, seed))
    const { confidence, text: read } = readHtml(html, 'https://site.example/a')
    return { confidence, f1: score(read, text).f1 }
  })
  return {
    name,
    f1: mean(reads.map(({ f1 }) => f1)),
    confidence: Math.min(...reads.map(({ confidence }) => confidence)),
  }
})

describe('an article in the style of', () => {
  test.each(results)('$name is read, and known to be one', ({ f1, confidence }) => {
    expect(f1).toBeGreaterThanOrEqual(F1_MIN)
    expect(confidence).toBeGreaterThanOrEqual(0.5)
  })

  test('any kind of site is read well on the whole', () => {
    expect(mean(results.map(({ f1 }) => f1))).toBeGreaterThanOrEqual(F1_MEAN_MIN)
  })
})
