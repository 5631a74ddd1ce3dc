import { matchesGlob } from './glob.ts'
import { canonicalJson } from './hash.ts'

/** The first name of a path and the members behind it: `steps.review.output[0]`. */
export type Path = readonly (string | number)[]

type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'matches'

/** A condition or a value as data. It has no calls but `length`, no loops and no assignment: to evaluate it takes time that grows with
 *  its length and with what it looks at. */
export type Expression =
  | { kind: 'value'; value: unknown }
  | { kind: 'path'; path: Path }
  | { kind: 'list'; items: readonly Expression[] }
  | { kind: 'length'; of: Expression }
  | { kind: 'not'; of: Expression }
  | { kind: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'compare'; by: Comparison; left: Expression; right: Expression }

/** Bounds of one expression. */
export interface ExpressionLimits {
  charsMax: number
  depthMax: number
  /** Of a text that is held against a glob. */
  matchedCharsMax: number
}

const EXPRESSION_LIMITS: ExpressionLimits = { charsMax: 1_000, depthMax: 32, matchedCharsMax: 10_000 }

export type ParsedExpression = { ok: true; expression: Expression } | { ok: false; error: string }

/** What a text says, or where it cannot be read. */
export function parseExpression(text: string, limits: ExpressionLimits = EXPRESSION_LIMITS): ParsedExpression {
  if (text.length > limits.charsMax) return { ok: false, error: `at most ${limits.charsMax} characters` }
  const tokens = tokensOf(text)
  if ('error' in tokens) return { ok: false, error: tokens.error }
  const reader = new Reader(tokens.found, text.length, limits.depthMax)
  try {
    const expression = reader.whole()
    return { ok: true, expression }
  } catch (error) {
    if (!(error instanceof NotAnExpression)) throw error
    return { ok: false, error: error.message }
  }
}

/** Every path that an expression looks at. */
export function pathsIn(expression: Expression): Path[] {
  switch (expression.kind) {
    case 'value':
      return []
    case 'path':
      return [expression.path]
    case 'list':
      return expression.items.flatMap(pathsIn)
    case 'length':
    case 'not':
      return pathsIn(expression.of)
    default:
      return [...pathsIn(expression.left), ...pathsIn(expression.right)]
  }
}

/** What it comes to. `lookUp`: the value at a path; undefined: there is none, which counts as null. */
export function evaluate(expression: Expression, lookUp: (path: Path) => unknown): unknown {
  switch (expression.kind) {
    case 'value':
      return expression.value
    case 'path':
      return lookUp(expression.path) ?? null
    case 'list':
      return expression.items.map((item) => evaluate(item, lookUp))
    case 'length':
      return lengthOf(evaluate(expression.of, lookUp))
    case 'not':
      return !isTrue(evaluate(expression.of, lookUp))
    case 'and':
      return isTrue(evaluate(expression.left, lookUp)) && isTrue(evaluate(expression.right, lookUp))
    case 'or':
      return isTrue(evaluate(expression.left, lookUp)) || isTrue(evaluate(expression.right, lookUp))
    case 'compare':
      return compares(expression.by, evaluate(expression.left, lookUp), evaluate(expression.right, lookUp))
  }
}

/** Nothing, no, zero, and what is empty are not true. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== null && value !== undefined && value !== false && value !== 0 && value !== ''
}

/** The member of a value that a path leads to; undefined: there is none. Only what is its own counts. */
export function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string | number, unknown>)[part]
  }
  return at
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

function compares(by: Comparison, left: unknown, right: unknown): boolean {
  switch (by) {
    case '==':
      return isSame(left, right)
    case '!=':
      return !isSame(left, right)
    case 'in':
      return isIn(left, right)
    case 'not in':
      return !isIn(left, right)
    case 'matches':
      return typeof left === 'string' && globsOf(right).some((glob) => fits(left, glob))
    default:
      return isOrdered(by, left, right)
  }
}

function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  return canonicalJson(left) === canonicalJson(right)
}

/** A member of a list, a part of a text, or the name of a member of an object. */
function isIn(part: unknown, whole: unknown): boolean {
  if (Array.isArray(whole)) return whole.some((one) => isSame(one, part))
  if (typeof whole === 'string') return typeof part === 'string' && whole.includes(part)
  return typeof whole === 'object' && whole !== null && typeof part === 'string' && Object.hasOwn(whole, part)
}

function globsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
}

/** `*` stands for any characters. Letter case makes no difference. */
function fits(text: string, glob: string): boolean {
  const { matchedCharsMax: max } = EXPRESSION_LIMITS
  return text.length <= max && matchesGlob(text.toLowerCase(), glob.toLowerCase(), '')
}

/** Numbers by size, texts by their characters; what is of two kinds has no order. */
function isOrdered(by: Comparison, left: unknown, right: unknown): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number'
  const areTexts = typeof left === 'string' && typeof right === 'string'
  if (!areNumbers && !areTexts) return false
  if (by === '<') return left < right
  if (by === '<=') return left <= right
  return by === '>' ? left > right : left >= right
}

class NotAnExpression extends Error {}

interface Token {
  kind: 'number' | 'text' | 'name' | 'sign' | 'end'
  said: string
  at: number
}

const TOKEN =
  /\s*(?:(?<number>-?\d+(?:\.\d+)?)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[\p{L}_][\p{L}\p{N}_-]*)|(?<sign>==|!=|<=|>=|[<>()[\].,]))/uy

function tokensOf(text: string): { found: Token[] } | { error: string } {
  const found: Token[] = []
  const end = text.trimEnd().length
  const pattern = new RegExp(TOKEN)
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const { number, text: quoted, name, sign } = pattern.exec(text)?.groups ?? {}
    const said = number ?? quoted ?? name ?? sign
    if (said === undefined) {
      const rest = text.slice(at, at + 20)
      const place = at + 1 + rest.length - rest.trimStart().length
      return {
        error: rest.trimStart().startsWith('{{')
          ? 'an expression without {{ }}, such as inputs.list'
          : `"${rest.trim()}" at character ${place} cannot be read: texts stand in quotes, signs are == != < <= > >=`,
      }
    }
    const kind = number !== undefined ? 'number' : quoted !== undefined ? 'text' : name !== undefined ? 'name' : 'sign'
    found.push({ kind, said, at: pattern.lastIndex - said.length })
  }
  return { found }
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'matches'])
const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const WORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'matches'])

/** Reads tokens from left to right; each is looked at a bounded number of times. */
class Reader {
  readonly #tokens: readonly Token[]
  readonly #end: Token
  readonly #depthMax: number
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[], length: number, depthMax: number) {
    this.#tokens = tokens
    this.#end = { kind: 'end', said: 'the end', at: length }
    this.#depthMax = depthMax
  }

  whole(): Expression {
    const found = this.#or()
    if (this.#peek().kind !== 'end')
      throw this.#wrong(
        ({ said, at }) =>
          `"${said}" at character ${at} does not belong there: between values stands and, or, == or the like`,
      )
    return found
  }

  #or(): Expression {
    let left = this.#and()
    while (this.#takes('name', 'or')) left = { kind: 'or', left, right: this.#and() }
    return left
  }

  #and(): Expression {
    let left = this.#not()
    while (this.#takes('name', 'and')) left = { kind: 'and', left, right: this.#not() }
    return left
  }

  #not(): Expression {
    if (!this.#takes('name', 'not')) return this.#comparison()
    return this.#deeper(() => ({ kind: 'not', of: this.#not() }))
  }

  #comparison(): Expression {
    const left = this.#operand()
    const isNegated = this.#takes('name', 'not')
    const { said } = this.#peek()
    if (isNegated && said !== 'in') throw this.#wrong(missing('"in"'))
    if (!COMPARISONS.has(said) || this.#peek().kind === 'text') return left
    this.#next++
    const by = (isNegated ? 'not in' : said) as Comparison
    return { kind: 'compare', by, left, right: this.#operand() }
  }

  #operand(): Expression {
    const token = this.#peek()
    const { kind, said } = token
    this.#next++
    if (kind === 'number') return { kind: 'value', value: Number(said) }
    if (kind === 'text') return { kind: 'value', value: unquoted(said) }
    if (said === '(' && kind === 'sign') return this.#deeper(() => this.#closed(this.#or(), ')'))
    if (said === '[' && kind === 'sign') return this.#deeper(() => this.#list())
    if (kind !== 'name' || WORDS.has(said))
      throw this.#wrong(missing('a value such as inputs.name, 3 or "text"'), token)
    if (CONSTANTS.has(said)) return { kind: 'value', value: CONSTANTS.get(said) }
    if (said === 'length' && this.#takes('sign', '('))
      return this.#deeper(() => ({ kind: 'length', of: this.#closed(this.#or(), ')') }))
    return { kind: 'path', path: [said, ...this.#members()] }
  }

  #list(): Expression {
    const items: Expression[] = []
    if (this.#takes('sign', ']')) return { kind: 'list', items }
    do items.push(this.#or())
    while (this.#takes('sign', ','))
    return this.#closed({ kind: 'list', items }, ']')
  }

  #members(): (string | number)[] {
    const members: (string | number)[] = []
    for (;;) {
      if (this.#takes('sign', '.')) members.push(this.#name())
      else if (this.#takes('sign', '[')) members.push(this.#key())
      else return members
    }
  }

  #name(): string {
    const token = this.#peek()
    if (token.kind !== 'name') throw this.#wrong(missing('a name after the dot'))
    this.#next++
    return token.said
  }

  #key(): string | number {
    const token = this.#peek()
    if (token.kind !== 'number' && token.kind !== 'text') throw this.#wrong(missing('a number or a quoted name in [ ]'))
    this.#next++
    const key = token.kind === 'number' ? Number(token.said) : unquoted(token.said)
    return this.#closed(key, ']')
  }

  #closed<T>(found: T, sign: string): T {
    if (!this.#takes('sign', sign)) throw this.#wrong(missing(`"${sign}"`))
    return found
  }

  #deeper(read: () => Expression): Expression {
    if (++this.#depth > this.#depthMax) throw new NotAnExpression(`nested at most ${this.#depthMax} deep`)
    const found = read()
    this.#depth--
    return found
  }

  #takes(kind: Token['kind'], said: string): boolean {
    const token = this.#peek()
    if (token.kind !== kind || token.said !== said) return false
    this.#next++
    return true
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end
  }

  /** `words`: what is wrong at a token, whose place is counted from 1. */
  #wrong(words: (found: { said: string; at: number }) => string, token = this.#peek()): NotAnExpression {
    return new NotAnExpression(words({ said: token.said.slice(0, 20), at: token.at + 1 }))
  }
}

const missing =
  (what: string) =>
  ({ at }: { at: number }) =>
    `${what} is missing at character ${at}`

function unquoted(said: string): string {
  return said.slice(1, -1).replaceAll(/\\(.)/gsu, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
}
