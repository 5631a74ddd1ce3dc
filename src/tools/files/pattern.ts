import { LIMITS } from '../../domain/limits.ts'

/** Why a pattern is refused: what needs more than one look at each character, and what is no pattern. */
export type PatternProblem =
  | 'lookaround'
  | 'backreference'
  | 'group'
  | 'repeat'
  | 'escape'
  | 'class'
  | 'too_large'
  | 'too_deep'

export type Assertion = 'start' | 'end' | 'word' | 'not_word'

/** A regular expression as a tree. `test`: of one character. */
export type Pattern =
  | { type: 'character'; test: (character: string) => boolean }
  | { type: 'assertion'; at: Assertion }
  | { type: 'sequence'; items: Pattern[] }
  | { type: 'choice'; items: Pattern[] }
  | { type: 'repeat'; item: Pattern; min: number; max: number }

export type ParsedPattern = { ok: true; pattern: Pattern } | { ok: false; problem: PatternProblem }

class Refused extends Error {
  readonly problem: PatternProblem

  constructor(problem: PatternProblem) {
    super(problem)
    this.problem = problem
  }
}

/** Read a regular expression as JavaScript writes it, but for what cannot be matched in linear time. `(?i)` in front: letter
 *  case aside. */
export function parsePattern(source: string): ParsedPattern {
  if (source.length > LIMITS.files.patternCharsMax) return { ok: false, problem: 'too_large' }
  const ignoresCase = source.startsWith('(?i)')
  try {
    return { ok: true, pattern: new Parser(ignoresCase ? source.slice(4) : source, ignoresCase).parse() }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem }
    throw error
  }
}

const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }
const ASSERTIONS: Readonly<Record<string, Assertion>> = { '^': 'start', $: 'end' }
const QUANTIFIER = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})\??/
const ESCAPED_CODE = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})/
const ESCAPED_CLASS = /^(?:[dDwWsS]|[pP]\{[A-Za-z_=]{1,60}\})/
const CLASS = /^\[\^?(?:\\.|[^\]\\])*\]/s
/** A backslash in front of what needs none. */
const NEEDLESS = /\\([^A-Za-z0-9^$\\.*+?()[\]{}|/-])/g

class Parser {
  readonly #source: string
  readonly #ignoresCase: boolean
  #at = 0
  #depth = 0

  constructor(source: string, ignoresCase: boolean) {
    this.#source = source
    this.#ignoresCase = ignoresCase
  }

  parse(): Pattern {
    const pattern = this.#choice()
    if (this.#at < this.#source.length) throw new Refused('group')
    return pattern
  }

  #choice(): Pattern {
    const items = [this.#sequence()]
    while (this.#take('|')) items.push(this.#sequence())
    return items.length === 1 && items[0] ? items[0] : { type: 'choice', items }
  }

  #sequence(): Pattern {
    const items: Pattern[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) items.push(this.#repeated())
    return { type: 'sequence', items }
  }

  #repeated(): Pattern {
    const item = this.#atom()
    const written = QUANTIFIER.exec(this.#source.slice(this.#at))
    if (!written) return item
    this.#at += written[0].length
    if (item.type === 'assertion' || QUANTIFIER.test(this.#source.slice(this.#at))) throw new Refused('repeat')
    const { min, max } = boundsOf(written)
    if (min > max) throw new Refused('repeat')
    return { type: 'repeat', item, min, max }
  }

  #atom(): Pattern {
    const character = this.#next()
    const at = ASSERTIONS[character]
    if (at) return { type: 'assertion', at }
    if (character === '(') return this.#group()
    if (character === '[') return this.#class()
    if (character === '\\') return this.#escape()
    if (character === '.') return { type: 'character', test: (one) => one !== '\n' }
    if ('*+?'.includes(character)) throw new Refused('repeat')
    return this.#literal(character)
  }

  #group(): Pattern {
    const opening = /^(?:\?(?:<?[=!]|:|<[A-Za-z_]\w*>|)|)/.exec(this.#source.slice(this.#at))?.[0] ?? ''
    if (/^\?<?[=!]$/.test(opening)) throw new Refused('lookaround')
    if (opening === '?') throw new Refused('group')
    this.#at += opening.length
    if (++this.#depth > LIMITS.files.patternDepthMax) throw new Refused('too_deep')
    const inside = this.#choice()
    this.#depth--
    if (!this.#take(')')) throw new Refused('group')
    return inside
  }

  #class(): Pattern {
    const written = CLASS.exec(this.#source.slice(this.#at - 1))?.[0]
    if (written === undefined) throw new Refused('class')
    this.#at += written.length - 1
    return this.#native(written.replaceAll(NEEDLESS, '$1'), 'class')
  }

  #escape(): Pattern {
    const rest = this.#source.slice(this.#at)
    if (/^(?:[1-9]|k)/.test(rest)) throw new Refused('backreference')
    if (/^[bB]/.test(rest)) return { type: 'assertion', at: this.#next() === 'b' ? 'word' : 'not_word' }
    const klass = ESCAPED_CLASS.exec(rest)?.[0]
    if (klass !== undefined) {
      this.#at += klass.length
      return this.#native(`\\${klass}`, 'escape')
    }
    const code = ESCAPED_CODE.exec(rest)
    if (code) return this.#code(code)
    const character = this.#next()
    const meant = CONTROLS[character] ?? character
    if (character === '' || (meant === character && /[A-Za-z0-9]/.test(character))) throw new Refused('escape')
    return this.#literal(meant)
  }

  #code(written: RegExpExecArray): Pattern {
    this.#at += written[0].length
    const code = Number.parseInt(written[1] ?? written[2] ?? written[3] ?? '', 16)
    if (code > 0x10ffff) throw new Refused('escape')
    return this.#literal(String.fromCodePoint(code))
  }

  #literal(character: string): Pattern {
    if (!this.#ignoresCase) return { type: 'character', test: (one) => one === character }
    const lower = character.toLowerCase()
    return { type: 'character', test: (one) => one.toLowerCase() === lower }
  }

  /** A class of characters is asked of the platform, one character at a time. */
  #native(written: string, problem: PatternProblem): Pattern {
    try {
      const regex = new RegExp(`^${written}$`, this.#ignoresCase ? 'isu' : 'su')
      return { type: 'character', test: (one) => regex.test(one) }
    } catch {
      throw new Refused(problem)
    }
  }

  #peek(): string {
    return String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
  }

  #next(): string {
    if (this.#at >= this.#source.length) return ''
    const character = this.#peek()
    this.#at += character.length
    return character
  }

  #take(character: string): boolean {
    const isThere = this.#source[this.#at] === character
    if (isThere) this.#at++
    return isThere
  }
}

function boundsOf([written, least, more, most]: RegExpExecArray): { min: number; max: number } {
  if (least === undefined) return { min: written.startsWith('+') ? 1 : 0, max: written.startsWith('?') ? 1 : Infinity }
  const min = Number(least)
  if (more === undefined) return { min, max: min }
  return { min, max: most === '' || most === undefined ? Infinity : Number(most) }
}
