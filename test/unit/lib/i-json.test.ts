import { describe, test } from 'vitest'
import { iJsonFault } from '../../../src/lib/i-json.ts'

const TWICE = 'the only member of this name'

describe('I-JSON', () => {
  test.for<[string, string]>([
    ['{"a":1,"a":2}', 'a'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    ['{"b":[{"c":1},{"d":{"e":1,"f":[],"e":{}}}]}', 'b.1.d.e'],
    ['[0,[{"x":"}","x":"{"}]]', '1.0.x'],
    [String.raw`{"\"":1,"\\":2,"\\":3}`, '\\'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('has no name twice in an object: %s', ([text, path], { expect }) => {
    expect(iJsonFault(text)).toEqual({ path, message: TWICE })
  })

  test.for<[string, string]>([
    [String.raw`{"a":"\ud800"}`, 'a'],
    [String.raw`["x",{"b":["\uDFFF\uD83D"]}]`, '1.b.0'],
    [String.raw`{"\udc00":1}`, '\udc00'],
    [String.raw`"\ud83dx"`, ''],
  ])('has no half of a character: %s', ([text, path], { expect }) => {
    expect(iJsonFault(text)).toEqual({ path, message: expect.stringContaining('lone surrogate') })
    expect(iJsonFault(text, { surrogates: false })).toBeNull()
  })

  test.for([
    '{}',
    '"a"',
    '{"a":{"a":1},"b":["a","a",{"a":1},{"a":2}]}',
    String.raw`{"a":"\\\"a\",\"a\":","b":"\\"}`,
    String.raw`{"a":"\ud83d\ude00","😀":"\\ud800"}`,
    ' { "a" : "x:y,{" , "b" : [ 1 , 2.5e3 , null , true ] } ',
  ])('is what JSON of most senders is: %s', (text, { expect }) => {
    expect(iJsonFault(text)).toBeNull()
  })

  test('is read in time that grows with its length', ({ expect }) => {
    const slashes = `{"a":"${'\\\\'.repeat(200_000)}","b":"${'\\"'.repeat(200_000)}"}`
    expect(iJsonFault(slashes)).toBeNull()
    expect(iJsonFault(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBeNull()
  })
})
