import type { TokenizerAndRendererExtension } from 'marked'

const CHARS_MAX = 2_000
const DEPTH_MAX = 20

/** `$…$`, `\(…\)`: as in pandoc, so that two prices on a line are none. */
const INLINE = [
  /^\$\$([^$]{1,2000}?)\$\$/,
  /^\$(?![\s$])((?:\\[^\n]|[^$\\\n]){1,2000}?)(?<!\s)\$(?!\d)/,
  /^\\\(([^]{1,2000}?)\\\)/,
  /^\\\[([^]{1,2000}?)\\\]/,
]
const BLOCK = [/^ {0,3}\$\$([^$]{1,2000}?)\$\$ *(?:\n|$)/, /^ {0,3}\\\[([^]{1,2000}?)\\\] *(?:\n|$)/]

/** Formulas in Markdown, as tokens whose `text` is their TeX. */
export const MATHS: readonly TokenizerAndRendererExtension[] = [
  {
    name: 'maths',
    level: 'inline',
    start: (text) => startIn(text, /\$|\\[([]/),
    tokenizer: (text) => tokenOf(text, 'maths', INLINE),
  },
  {
    name: 'formula',
    level: 'block',
    // Behind a line's end alone: in the midst of a line it would cut the paragraph there.
    start: (text) => startIn(text, /(?<=\n) {0,3}(?:\$\$|\\\[)/),
    tokenizer: (text) => tokenOf(text, 'formula', BLOCK),
  },
]

/** `$10, or 3$` */
const PRICES = /^\d[^\\]*\s\p{L}{2,}/u

function startIn(text: string, mark: RegExp): number | undefined {
  const at = text.search(mark)
  return at < 0 ? undefined : at
}

function tokenOf(source: string, type: string, forms: readonly RegExp[]) {
  for (const form of forms) {
    const [raw, text] = form.exec(source) ?? []
    if (raw !== undefined && text !== undefined && !PRICES.test(text)) return { type, raw, text: text.trim() }
  }
  return undefined
}

/** TeX in letters that a terminal has: `x^2` as x²; null: it is not as simple as that. */
export function mathsText(tex: string): string | null {
  if (tex.length > CHARS_MAX) return null
  try {
    const read = reader(tex)
    const text = read.group(null, 0)
    return text.replaceAll(/ {2,}/g, ' ').trim()
  } catch (error) {
    if (error === NOT_SIMPLE) return null
    throw error
  }
}

const NOT_SIMPLE = new Error('no simple formula')

/** Reads TeX piece by piece; throws `NOT_SIMPLE` at what has no letters of its own. */
function reader(tex: string) {
  const pieces = tex.match(/\\[A-Za-z]+|\\[^]|\s+|[^]/gu) ?? []
  let at = 0

  /** Up to the piece that closes it, or to the end. */
  function group(close: string | null, depth: number): string {
    if (depth > DEPTH_MAX) throw NOT_SIMPLE
    let text = ''
    while (at < pieces.length && pieces[at] !== close) text += one(depth)
    if (close !== null && pieces[at++] !== close) throw NOT_SIMPLE
    return text
  }

  function one(depth: number): string {
    const piece = pieces[at++] ?? ''
    if (piece === '{') return group('}', depth + 1)
    if (piece === '^') return raised(argument(depth), SUPER, '^')
    if (piece === '_') return raised(argument(depth), SUB, '_')
    if (piece === '}' || piece === '&') throw NOT_SIMPLE
    if (piece.trim() === '') return ' '
    if (piece === '~') return ' '
    if (piece === "'") return '′'
    if (piece === '-') return '−'
    return piece.startsWith('\\') ? command(piece.slice(1), depth) : piece
  }

  /** A group, or the next piece alone. */
  function argument(depth: number): string {
    while (pieces[at]?.trim() === '') at++
    if (at >= pieces.length) throw NOT_SIMPLE
    return one(depth + 1)
  }

  function command(name: string, depth: number): string {
    if (name === 'frac' || name === 'dfrac' || name === 'tfrac') {
      const above = bracketed(argument(depth))
      return `${above}/${bracketed(argument(depth), true)}`
    }
    if (name === 'sqrt') return rootOf(depth)
    const accent = ACCENTS.get(name)
    if (accent !== undefined) return Array.from(argument(depth), (letter) => letter + accent).join('')
    if (name === 'mathbb') return Array.from(argument(depth), (letter) => DOUBLE.get(letter) ?? letter).join('')
    if (WORDS.has(name)) return argument(depth)
    if (FUNCTIONS.has(name)) return `${name}${/^[A-Za-z\d\\\s]/.test(pieces[at] ?? '') ? ' ' : ''}`
    if (SPACES.has(name)) return ' '
    if (SIZES.has(name)) return ''
    const between = RELATIONS.get(name)
    if (between !== undefined) return ` ${between} `
    const sign = SIGNS.get(name)
    if (sign === undefined) throw NOT_SIMPLE
    return sign
  }

  function rootOf(depth: number): string {
    let index = ''
    if (pieces[at] === '[') {
      at++
      index = raised(group(']', depth + 1), SUPER, '')
    }
    return `${index}√${bracketed(argument(depth), true)}`
  }

  return { group }
}

/** As one thing: a sum, or below a stroke also a product, stands in brackets. */
function bracketed(text: string, isBelow = false): string {
  const inner = text.trim()
  const outside = inner.replaceAll(/\([^()]*\)/g, '')
  const isOne = isBelow ? /^√?(?:[\d.]+|\p{L}\p{M}*[′²³¹⁰-₟]*)$/u.test(inner) : !/[\s+−=,/·×±]/.test(outside)
  return isOne ? inner : `(${inner})`
}

/** In small letters where all of them exist. */
function raised(text: string, letters: readonly string[], mark: string): string {
  const inner = Array.from(text.trim())
  const small = inner.map((letter) => letters[BASE.indexOf(letter)])
  if (small.every((letter) => letter !== undefined && letter !== ' ')) return small.join('')
  return inner.length === 1 ? `${mark}${inner.join('')}` : `${mark}(${inner.join('')})`
}

/** What has small letters; a space in the lines below: there is none. */
const BASE = Array.from('0123456789+−=()abcdefghijklmnoprstuvwxyzβγδφχT∘*′')
const SUPER = Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵝᵞᵟᵠᵡᵀ°*′')
const SUB = Array.from('₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐ   ₑ  ₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥ ₓ  ᵦᵧ ᵩᵪ    ')

/** Pairs of a name and its sign, in a line. */
function signsIn(line: string): ReadonlyMap<string, string> {
  const words = line.split(' ')
  return new Map(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? ''] as const] : [])))
}

const ACCENTS = signsIn('hat \u0302 bar \u0304 vec \u20d7 dot \u0307 ddot \u0308 tilde \u0303 overline \u0304')
const DOUBLE = signsIn('C ℂ E 𝔼 N ℕ P ℙ Q ℚ R ℝ Z ℤ')
const WORDS = new Set('text mathrm mathbf mathit mathsf mathcal operatorname textbf textit boldsymbol boxed'.split(' '))
const FUNCTIONS = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim gcd ker arg deg Pr mod'.split(
    ' ',
  ),
)

const SIGNS = new Map([
  ...signsIn('alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ'),
  ...signsIn('lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω'),
  ...signsIn('Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω hbar ħ ell ℓ'),
  ...signsIn('int ∫ iint ∬ oint ∮ sum ∑ prod ∏ infty ∞ partial ∂ nabla ∇ prime ′ cdot · ast * circ ∘ degree °'),
  ...signsIn('forall ∀ exists ∃ neg ¬ emptyset ∅ varnothing ∅ ldots … dots … cdots ⋯ vdots ⋮ angle ∠ therefore ∴'),
  ...signsIn('because ∵ star ⋆ bullet • langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert | Vert ‖ | ‖'),
  ...signsIn('uparrow ↑ downarrow ↓ % % $ $ { { } } _ _ # # & &'),
])

/** These stand between two things, with room around them. */
const RELATIONS = new Map([
  ...signsIn('pm ± mp ∓ times × div ÷ oplus ⊕ otimes ⊗ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ lt < gt > approx ≈ equiv ≡'),
  ...signsIn('sim ∼ cong ≅ ll ≪ gg ≫ propto ∝ mid | parallel ∥ perp ⊥ in ∈ notin ∉ subset ⊂ subseteq ⊆ supset ⊃'),
  ...signsIn('cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ to → rightarrow → longrightarrow → leftarrow ←'),
  ...signsIn('Rightarrow ⇒ implies ⇒ Leftarrow ⇐ iff ⇔ leftrightarrow ↔ Leftrightarrow ⇔ mapsto ↦'),
])

/** These move what is beside them, or say how large it is. */
const SPACES = new Set([',', ';', ':', ' ', 'quad', 'qquad'])
const SIZES = new Set(['!', 'left', 'right', 'big', 'Big', 'bigl', 'bigr', 'limits', 'displaystyle'])
