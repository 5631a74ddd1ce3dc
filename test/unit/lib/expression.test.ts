import { describe, test } from 'vitest'
import { evaluate, type Expression, isTrue, parseExpression, pathsIn, valueAt } from '../../../src/lib/expression.ts'
import { type Random, randomOf } from '../../chaos/random.ts'
import { isLinear } from '../../support/cpu-time.ts'

const DATA = {
  inputs: { lang: 'de', tags: ['bug', 'ui'], empty: [], zero: 0 },
  steps: { review: { output: { score: 7, words: 'Needs work', 'a key': { b: [1, { c: 'deep' }] } } } },
  item: null,
}

function valueOf(text: string): unknown {
  const parsed = parseExpression(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return evaluate(parsed.expression, (path) => valueAt(DATA, path))
}

describe('an expression', () => {
  test.for<[string, unknown]>([
    ['1', 1],
    ['-2.5', -2.5],
    ["'it''s'", undefined],
    [String.raw`'it\'s'`, "it's"],
    ['"two\\nlines"', 'two\nlines'],
    ['null', null],
    ['inputs.lang', 'de'],
    ['inputs["lang"]', 'de'],
    ['steps.review.output["a key"].b[1].c', 'deep'],
    ['steps.review.output.nothing.at.all', null],
    ['inputs.lang.length', null],
    ['inputs.toString', null],
    ['inputs.__proto__', null],
    ['[1, inputs.lang, []]', [1, 'de', []]],
    ['length(inputs.tags)', 2],
    ['length(inputs.lang)', 2],
    ['length(steps.review.output)', 3],
    ['length(item)', 0],
    ['steps.review.output.score >= 7', true],
    ['steps.review.output.score < 7', false],
    ["inputs.lang > 'aa'", true],
    ['inputs.lang > 1', false],
    ["inputs.lang == 'de' and not inputs.zero", true],
    ['inputs.zero or inputs.empty', false],
    ['not inputs.zero and inputs.empty or true', true],
    ['not (inputs.zero or true)', false],
    ['[1, 2] == [1, 2]', true],
    ["inputs.lang != 'en'", true],
    ["'bug' in inputs.tags", true],
    ["'docs' not in inputs.tags", true],
    ["'work' in steps.review.output.words", true],
    ["'score' in steps.review.output", true],
    ["steps.review.output.words matches 'needs*'", true],
    ["steps.review.output.words matches ['fine*', '*WORK']", true],
    ["steps.review.output.words matches 'work'", false],
    ["inputs.zero matches '0'", false],
  ])('%s comes to %j', ([text, value], { expect }) => {
    if (value === undefined) expect(parseExpression(text).ok).toBe(false)
    else expect(valueOf(text)).toEqual(value)
  })

  test.for([
    ['', 'a value such as inputs.name, 3 or "text" is missing at character 1'],
    ['inputs.', 'a name after the dot is missing at character 8'],
    ['a b', '"b" at character 3 does not belong there'],
    ['(a', '")" is missing at character 3'],
    ['a == == b', 'a value such as inputs.name, 3 or "text" is missing at character 6'],
    ['a + b', '"+ b" at character 3 cannot be read'],
    ['constructor("x")', '"(" at character 12 does not belong there'],
    ['a.b("x")', '"(" at character 4 does not belong there'],
    ["a['b", 'cannot be read'],
    ['{{ a }}', 'an expression without {{ }}, such as inputs.list'],
    ['a = b', '"= b" at character 3 cannot be read'],
    ['a; b', 'cannot be read'],
    ['`x`', 'cannot be read'],
    ['a not b', '"in" is missing at character 7'],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, 'nested at most 32 deep'],
    ['a'.repeat(1_001), 'at most 1000 characters'],
  ] as const)('%s is refused with its place', ([text, words], { expect }) => {
    const parsed = parseExpression(text)
    expect(parsed.ok ? '' : parsed.error).toContain(words)
  })

  test('names every path that it looks at', ({ expect }) => {
    const parsed = parseExpression('length(a.b) > 1 and (not c[0] or d in [e, "f"])')
    expect(parsed.ok && pathsIn(parsed.expression)).toEqual([['a', 'b'], ['c', 0], ['d'], ['e']])
  })

  test('means the same when it is written again, whatever it is', ({ expect }) => {
    const random = randomOf('expressions')
    for (let count = 0; count < 2_000; count++) {
      const made = madeUp(random, 4)
      const parsed = parseExpression(written(made))
      expect(parsed, written(made)).toEqual({ ok: true, expression: made })
      const value = evaluate(made, (path) => valueAt(DATA, path))
      expect(value).toEqual(evaluate(made, (path) => valueAt(DATA, path)))
      expect(typeof isTrue(value)).toBe('boolean')
    }
  })

  test('is read or refused, and never throws, whatever the text is', ({ expect }) => {
    const random = randomOf('texts')
    const pieces = [
      'a',
      '.',
      '[',
      ']',
      '(',
      ')',
      '1',
      "'x'",
      '"',
      'and',
      'or',
      'not',
      ' in ',
      '==',
      '<',
      'length',
      ',',
      '\\',
      '中',
    ] as const
    for (let count = 0; count < 5_000; count++) {
      const text = Array.from({ length: random.int(0, 12) }, () => random.pick(pieces)).join(
        random.chance(0.5) ? ' ' : '',
      )
      expect(typeof parseExpression(text).ok).toBe('boolean')
    }
  })

  test('is read in linear time', ({ expect }) => {
    const limits = { charsMax: 1_000_000, depthMax: 32, matchedCharsMax: 10 }
    const read = (text: string) => parseExpression(text, limits)
    const of = (piece: string, count: number) => `${piece.repeat(count)}1`
    for (const piece of ['a.b or ', 'not in ', "'x' == ", '[', "'"])
      expect(isLinear(read, of(piece, 20), of(piece, 4_000)), piece).toBe(true)
  })
})

/** Any expression. */
function madeUp(random: Random, depth: number): Expression {
  const leaves: Expression[] = [
    { kind: 'value', value: random.pick([1, -3, 0.5, 'x', "it's", '"\\', '', true, false, null]) },
    { kind: 'path', path: ['inputs', random.pick(['lang', 'tags', 'no', 'a key', 0])] },
  ]
  if (depth === 0 || random.chance(0.3)) return random.pick(leaves as [Expression, Expression])
  const inner = () => madeUp(random, depth - 1)
  switch (random.int(0, 4)) {
    case 0:
      return { kind: 'list', items: Array.from({ length: random.int(0, 3) }, inner) }
    case 1:
      return { kind: 'length', of: inner() }
    case 2:
      return { kind: 'not', of: inner() }
    case 3:
      return { kind: random.pick(['and', 'or']), left: inner(), right: inner() }
    default:
      return {
        kind: 'compare',
        by: random.pick(['==', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'matches']),
        left: inner(),
        right: inner(),
      }
  }
}

/** An expression as text; all that is in another stands in brackets. */
function written(one: Expression): string {
  switch (one.kind) {
    case 'value':
      return typeof one.value === 'string' ? quoted(one.value) : String(one.value)
    case 'path':
      return one.path
        .map((part, at) => (at === 0 ? part : `[${typeof part === 'number' ? part : quoted(part)}]`))
        .join('')
    case 'list':
      return `[${one.items.map(written).join(', ')}]`
    case 'length':
      return `length(${written(one.of)})`
    case 'not':
      return `not (${written(one.of)})`
    case 'compare':
      return `(${written(one.left)}) ${one.by} (${written(one.right)})`
    default:
      return `(${written(one.left)}) ${one.kind} (${written(one.right)})`
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`
}
