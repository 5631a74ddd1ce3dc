import { expect, test } from 'vitest'
import { asideText, clausesText, listText, toldText } from '../../../src/lib/said.ts'

test('what stands in a row is joined as the language does it', () => {
  const said = (language: string) => [
    listText(language, ['a', 'b', 'c']),
    clausesText(language, ['a', 'b']),
    toldText(language, 'a', 'b'),
    asideText(language, 'a', 'b'),
  ]
  expect(said('en')).toEqual(['a, b, c', 'a; b', 'a: b', 'a (b)'])
  expect(said('zh-CN')).toEqual(['a、b、c', 'a；b', 'a：b', 'a（b）'])
})
