import { describe, test } from 'vitest'
import { JsonTextMember } from '../../../src/lib/json-text-member.ts'

const NAMES = new Set(['reason', '理由'])

/** What is read of a JSON text that arrives in pieces of `size` UTF-16 units, piece by piece. */
function pieces(json: string, size: number): string[] {
  const member = new JsonTextMember(NAMES)
  const read: string[] = []
  for (let at = 0; at < json.length; at += size) read.push(member.push(json.slice(at, at + size)))
  return read
}

const TEXTS = [
  'plain',
  '',
  'line\nbreak\t"quoted" back\\slash / slash',
  '你好，世界 🌍👩‍👩‍👧 and é',
  '\u0000\u0001\u2028\u007f',
  '\\u0041 is not an escape here',
  '{"reason":"inside"}',
]

describe.for([1, 2, 3, 5, 7, 1000])('in pieces of %i', (size) => {
  test.for(TEXTS)('the text member is read as JSON.parse reads it: %j', (text, { expect }) => {
    for (const name of NAMES) {
      const escaped = JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${hex(char)}`)
      for (const value of [JSON.stringify(text), escaped]) {
        const json = `{ "other": [1, {"reason": "no, \\"}"}], "n": -1.5e3,\n"${name}" : ${value}, "more": "x"}`
        expect(pieces(json, size).join('')).toBe(text)
      }
    }
  })

  test.for([
    ['a member of another name', '{"reasons":"x"}'],
    ['a value that is no text', '{"reason":{"reason":"x"}}'],
    ['a list', '[{"reason":"x"}]'],
    ['an empty object', '{}'],
    ['no JSON', 'reason: "x"'],
    ['two texts without a comma', '{"a":"b" "reason":"x"}'],
  ])('nothing is read of %s', ([, json], { expect }) => {
    expect(pieces(json ?? '', size).join('')).toBe('')
  })

  test('the first text of the name counts, and what comes behind it is passed over', ({ expect }) => {
    expect(pieces('{"reason":"one","reason":"two"} and more "text"', size).join('')).toBe('one')
  })

  test('what is cut gives what was whole', ({ expect }) => {
    expect(pieces('{"reason":"half a \\ud83d', size).join('')).toBe('half a ')
    expect(pieces('{"reason":"half an \\u00', size).join('')).toBe('half an ')
    expect(pieces('{"reason":"broken \\uzzzz and on', size).join('')).toBe('broken ')
  })
})

test('a surrogate pair is never parted', ({ expect }) => {
  for (const json of ['{"reason":"a🌍b"}', '{"reason":"a\\ud83c\\udf0db"}'])
    for (const size of [1, 2, 3, 4])
      for (const piece of pieces(json, size)) expect(piece.isWellFormed(), piece).toBe(true)
})

test('a backslash that escapes nothing is part of the text, as in formulas and paths', ({ expect }) => {
  const json = String.raw`{"reason":"\(x\) \sum_{i} C:\Users it\'s \"so\" \\alpha"}`
  const text = String.raw`\(x\) \sum_{i} C:\Users it's "so" \alpha`
  for (const size of [1, 2, 1000]) expect(pieces(json, size).join('')).toBe(text)
})

test('text comes with the piece that brings it', ({ expect }) => {
  const member = new JsonTextMember(NAMES)
  expect(['{"rea', 'son": "', 'Hel', 'lo', ' \\', 'n!', '"}'].map((piece) => member.push(piece))).toEqual([
    '',
    '',
    'Hel',
    'lo',
    ' ',
    '\n!',
    '',
  ])
})

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(4, '0')
}
