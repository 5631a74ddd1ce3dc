import { expect, test } from 'vitest'
import { asideIn, clausesIn, countIn, durationIn, listIn, moneyIn, toldIn } from '../../../src/lib/in-language.ts'

test('amounts have the numbers and units of the language', () => {
  expect(countIn('zh-CN', 1_544)).toBe('1,544')
  expect([340, 2_400, 180_000].map((ms) => durationIn('en', ms))).toEqual(['340 ms', '2.4 s', '3 min'])
  expect([340, 2_400, 180_000].map((ms) => durationIn('zh-CN', ms))).toEqual(['340 毫秒', '2.4 秒', '3 分钟'])
  const money = (amount: number) => moneyIn('zh-CN', { amount, currency: 'CNY' })
  expect([0.02804, 0.002804, 12].map(money)).toEqual(['¥0.03', '¥0.0028', '¥12.00'])
})

test('what stands in a row is joined as the language does it', () => {
  const said = (language: string) => [
    listIn(language, ['a', 'b', 'c']),
    clausesIn(language, ['a', 'b']),
    toldIn(language, 'a', 'b'),
    asideIn(language, 'a', 'b'),
  ]
  expect(said('en')).toEqual(['a, b, c', 'a; b', 'a: b', 'a (b)'])
  expect(said('zh-CN')).toEqual(['a、b、c', 'a；b', 'a：b', 'a（b）'])
})
