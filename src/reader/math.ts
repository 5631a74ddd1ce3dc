import { attribute, collapse, type ElementNode, rawText } from './node.ts'

const DEPTH_MAX = 50

/** A formula of MathML on one line: `x^2`, `a_i`, `(a+b)/c`. What is more than one sign has brackets where it stands above, below or under another. */
export function mathText(node: ElementNode): string {
  return collapse(written(node, 0))
}

function written(node: ElementNode, depth: number): string {
  if (node.skipped) return ''
  if (depth > DEPTH_MAX) return rawText(node)
  const parts = node.children.map((child) => (typeof child === 'string' ? child : written(child, depth + 1)))
  // White space between elements is none of the formula.
  const [first = '', second = '', third = ''] = parts.filter((_, index) => typeof node.children[index] !== 'string')
  switch (node.name) {
    case 'msup':
    case 'mover':
      return `${first}^${grouped(second)}`
    case 'msub':
    case 'munder':
      return `${first}_${grouped(second)}`
    case 'msubsup':
    case 'munderover':
      return `${first}_${grouped(second)}^${grouped(third)}`
    case 'mfrac':
      return `${grouped(first)}/${grouped(second)}`
    case 'mroot':
      return `root(${first}, ${second})`
    case 'msqrt':
      return `sqrt(${parts.join('').trim()})`
    case 'mtr':
      return `${parts.filter((part) => part.trim() !== '').join(', ')}; `
    default:
      return parts.join('')
  }
}

function grouped(text: string): string {
  const bare = text.trim()
  return /^(?:\p{L}|\d+|.)$/u.test(bare) ? bare : `(${bare})`
}

/** What pictures of formulas are called, and how what draws them is asked. */
const OF_FORMULA = /(?:^|[\s_-])(?:math|tex|latex|equation|formula)(?:$|[\s_-])/i
const DRAWN = /[?&](?:tex|latex)=|\/latex\.php\?/i
/** What MediaWiki puts around each. */
const STYLED = /^\{\\(?:display|text)style\s+([^]*)\}$/

/** The formula that a picture shows, as its alternative text has it. Null: it is another picture. */
export function formulaOf({ attributes }: ElementNode): string | null {
  const alt = collapse(attribute(attributes, 'alt') ?? '')
  if (alt === '') return null
  const isNamed = OF_FORMULA.test(attribute(attributes, 'class') ?? '')
  const isFormula =
    STYLED.test(alt) || (isNamed && SAYS_FORMULA.test(alt)) || DRAWN.test(attribute(attributes, 'src') ?? '')
  return isFormula ? alt.replace(STYLED, '$1').trim() : null
}

/** What words about a picture have not. */
const SAYS_FORMULA = /[\\^_=+{}<>]|^\S{1,3}$/
