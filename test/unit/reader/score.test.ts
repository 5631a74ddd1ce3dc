import { expect, test } from 'vitest'
import { score } from '../../bench/reader/score.ts'

test('texts with the same shingles score 1, with none in common 0', () => {
  expect(score('One two, three four five.', 'one TWO three: four five')).toEqual({ precision: 1, recall: 1, f1: 1 })
  expect(score('a b c d e', 'v w x y z').f1).toBe(0)
  expect(score('', '')).toMatchObject({ f1: 1 })
  expect(score('', 'a b c d')).toMatchObject({ f1: 0 })
})

test('what is missing costs recall, what is too much precision, each as often as it is there', () => {
  expect(score('a b c d', 'a b c d e')).toMatchObject({ precision: 1, recall: 0.5 })
  expect(score('a b c d e', 'a b c d')).toMatchObject({ precision: 0.5, recall: 1 })
  expect(score('a a a a a', 'a a a a')).toMatchObject({ precision: 0.5, recall: 1 })
})

test('Chinese counts by characters, not by what stands between spaces', () => {
  expect(score('市议会开会', '市议会开幕')).toMatchObject({ precision: 0.5, recall: 0.5 })
})
