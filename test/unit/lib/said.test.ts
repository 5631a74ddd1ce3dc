import { expect, test } from 'vitest'
import { asideIn, clausesIn, listIn, toldIn } from '../../../src/lib/said.ts'

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
