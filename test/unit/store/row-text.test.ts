import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { rowJson, rowWriter } from '../../../src/store/row-text.ts'

const FOLDER = 'test/contract/replay'
const ID = '01m8je9zq0dcxq0hm5t974d836'

/** What no release may ever read otherwise: rows say it. */
const WRITTEN: readonly [text: string, json: string][] = [
  [
    '[{\u0005\u00044,\u0016\u0001"msg_IDIDIDIDIDIDIDIDID","more":[1,null]},{\u0016\u00020;,\u0003H\u0001"a \\"text\\" of some length","last":\u00021;}]',
    '[{"type":"model-start","message_id":"msg_IDIDIDIDIDIDIDIDID","more":[1,null]},{"message_id":"msg_IDIDIDIDIDIDIDIDID","action":"a \\"text\\" of some length","last":"a \\"text\\" of some length"}]',
  ],
  ['{"detail":"as releases before wrote it"}', '{"detail":"as releases before wrote it"}'],
]

describe('the text of a row', () => {
  test.for(WRITTEN)('is read as it always was: %j', ([text, json], { expect }) => {
    expect(rowJson(text)).toBe(json)
  })

  test('has a word for each code of the first release with these lists, the same for ever', ({ expect }) => {
    const codes = (mark: string, count: number) =>
      Array.from({ length: count }, (_, index) => mark + String.fromCharCode(0x30 + index))
    const names = Array.from({ length: 27 }, (_, index) => String.fromCharCode(5 + index))
    const all = [...names, ...codes('\u0003', 69), ...codes('\u0004', 58)].map((code) => rowJson(code))
    expect(createHash('sha256').update(all.join('\n')).digest('hex')).toBe(
      '2dcdefaa11ad316f581396ba0f1a4b017eb3ffdf7b6467960c33e629f1ec15d6',
    )
    expect(new Set(all).size).toBe(all.length)
  })

  test('of every recorded event and record is read as it was written, and is shorter', ({ expect }) => {
    let long = 0
    let short = 0
    for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
      const { events, records = [] } = JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))
      for (const value of [...events, ...records, events.slice(0, 16)]) {
        const text = rowWriter()(value)
        const json = JSON.stringify(value)
        expect(rowJson(text)).toBe(json)
        long += json.length
        short += text.length
      }
    }
    expect(short / long).toBeLessThan(0.75)
  })

  test.for([
    ['texts with everything that JSON escapes', { a: '\u0000\u0001\u0002a.b;\u001f"\\\u007f\u2028\ud800\n'.repeat(9) }],
    ['JSON within texts', { content: JSON.stringify({ type: 'message', content: 'x'.repeat(50) }).repeat(3) }],
    ['the same text in several places', ['长'.repeat(40), '长'.repeat(40), { b: '长'.repeat(40) }]],
    ['ids of any kind', [`msg_${ID}`, `call_${ID}`, ID, `_${ID}${ID}`, `msg_${ID}`]],
    ['numbers of any size', [-0, 1e300, 1e21, 0.1, -5e-324, Number.NaN, Infinity, 2 ** 53]],
    ['names that objects have by themselves', JSON.parse('{"__proto__":{"type":1},"constructor":2,"7":3,"":4}')],
    ['members that are not there', { a: undefined, b: [undefined, null, true, false, {}, []], type: undefined }],
    ['words of the lists, in every place', ['message', { message: 'message', completed: 'type' }, 'type']],
    [
      'texts of millions of escapes',
      [`${'\n'.repeat(4_000_000)}a`, { content: '"'.repeat(262_144) }, '\u0000'.repeat(262_145)],
    ],
    ['what lies deep', JSON.parse(`${'[{"type":'.repeat(200)}"message"${'}]'.repeat(200)}`)],
  ] as const)('keeps %s', ([, value], { expect }) => {
    expect(rowJson(rowWriter()(value))).toBe(JSON.stringify(value))
  })

  test('that holds what a later release added is not read wrongly', ({ expect }) => {
    for (const text of ['{\u0003\u9999"a"}', '["\u0004\u9999"]', '[\u00020;]'])
      expect(() => rowJson(text)).toThrow('later release')
  })
})
