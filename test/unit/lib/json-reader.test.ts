import { describe, test } from 'vitest'
import { JsonReader } from '../../../src/lib/json-reader.ts'

const LIMITS = { charsMax: 1_000, levelsMax: 8 }

async function* piecesOf(text: string, length: number): AsyncGenerator<string, void, void> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

/** The value as a reader has it that goes into objects and arrays and takes the rest whole. */
async function readWithin(reader: JsonReader, levels: number): Promise<unknown> {
  const begins = await reader.peek()
  if (begins === '{' && levels > 0) {
    const members: [string, unknown][] = []
    for await (const name of reader.members()) members.push([name, await readWithin(reader, levels - 1)])
    return Object.fromEntries(members)
  }
  if (begins !== '[' || levels === 0) return reader.value()
  const elements: unknown[] = []
  for await (const { index, values } of reader.elements()) {
    if (index !== elements.length) throw new Error(`element ${index} came as number ${elements.length}`)
    elements.push(...values)
  }
  return elements
}

async function read(text: string, length: number, levels: number, limits = LIMITS): Promise<unknown> {
  const reader = new JsonReader(piecesOf(text, length), limits)
  const value = await readWithin(reader, levels)
  await reader.end()
  return value
}

const reasonOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'read',
    (error: unknown) => (error instanceof Error ? error.message : 'no error'),
  )

const DOCUMENTS: unknown[] = [
  {},
  [],
  { a: 1, b: [true, false, null, -0.5e-7, 12], c: { d: 'x' } },
  { 'a"b\\': 'with "quotes", \\ and ]}[{,: in it', '': '\u0000\n\u2028', 灯塔: '灯塔 🗼 \ud800' },
  { list: [{ a: [[], [[]], {}] }, 'text', 7, ['x', 'y'], { b: null }], after: [1, 2, 3] },
  { __proto__: 1, constructor: 2 },
]

describe('a JSON text in pieces', () => {
  test('says what it says in one, however it is cut and spaced, and however far one goes into it', async ({
    expect,
  }) => {
    for (const document of DOCUMENTS) {
      for (const space of [0, 2, '\t']) {
        const text = ` ${JSON.stringify(document, null, space)}\r\n`
        for (const length of [1, 2, 3, 7, text.length])
          for (const levels of [0, 1, 9]) expect(await read(text, length, levels), text).toEqual(JSON.parse(text))
      }
    }
  })

  test('keeps a member called __proto__ a member', async ({ expect }) => {
    const value = await read('{"__proto__":{"x":1}}', 4, 1)
    expect(Object.entries(Object(value))).toEqual([['__proto__', { x: 1 }]])
  })

  test('is refused where it is none: each beginning of one, and each with a character more, less or other', async ({
    expect,
  }) => {
    const text = '{"a":[1,{"b":"c\\u00e9"},"d"],"e":{"f":null}}'
    const changed: string[] = ['', ' ']
    for (let at = 0; at < text.length; at++) {
      changed.push(text.slice(0, at), text.slice(0, at) + text.slice(at + 1))
      for (const char of ',:{}[]"\\x0 ') {
        changed.push(text.slice(0, at) + char + text.slice(at), text.slice(0, at) + char + text.slice(at + 1))
      }
    }
    let refused = 0
    for (const one of changed) {
      const parsed = parseOr(one)
      for (const length of [1, 5, 100]) {
        for (const levels of [1, 9]) {
          const found = await read(one, length, levels).catch(() => 'refused')
          expect(found, `${one} in pieces of ${length}`).toEqual(parsed)
        }
      }
      if (parsed === 'refused') refused++
    }
    expect(refused).toBeGreaterThan(changed.length / 2)
  })

  test('is read no further where one value is longer than may be held', async ({ expect }) => {
    const long = JSON.stringify(['x'.repeat(900), 'y'.repeat(1_100)])
    expect(await reasonOf(read(long, 64, 1))).toBe('chars')
    expect(await reasonOf(read(JSON.stringify(Array(50).fill('x'.repeat(900))), 64, 1))).toBe('read')
    const endless = (async function* () {
      yield '"'
      for (;;) yield 'x'
    })()
    expect(await reasonOf(new JsonReader(endless, LIMITS).value())).toBe('chars')
  })

  test('is read no further where it is nested deeper than it may be', async ({ expect }) => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`
    for (const within of [0, 1, 2, 9]) {
      expect(await reasonOf(read(nested(8), 5, within))).toBe('read')
      expect(await reasonOf(read(nested(10), 5, within))).toBe('levels')
      expect(await reasonOf(read('['.repeat(100_000), 5_000, within))).toBe('levels')
    }
  })

  test('gives many short elements at a time, and holds no more of them than a part of the piece', async ({
    expect,
  }) => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index))
    const reader = new JsonReader(piecesOf(text, text.length), LIMITS)
    let most = 0
    let batches = 0
    for await (const { chars } of reader.elements()) {
      most = Math.max(most, chars)
      batches++
    }
    expect(most).toBeLessThan(20_000)
    expect(batches).toBeLessThan(20)
  })
})

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return 'refused'
  }
}
