import { attribute, type Attributes, type ElementNode } from './node.ts'
import { bitsOfName, SIGN, signsOfNames } from './signs.ts'

const BOILERPLATE_ROLES: ReadonlySet<string> = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'menubar',
  'toolbar',
  'dialog',
  'alertdialog',
  'tooltip',
])

const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i
/** Parts of a page that its server sends late, hidden until a script puts them in their place: of React, which Next.js uses, and of Marko. */
const STREAMED = /^(?:S:[\da-f]+|af[a-z]*\d+)$/
/** Of MediaWiki, beside each heading. */
const EDIT_LINK = 'mw-editsection'
const NAMES_CACHED_MAX = 2_000

/** Reads the signs of elements; one for each page, since names repeat within it. */
export class SignReader {
  readonly #known = new Map<string, number>()

  /** `isNamed`: class and id are read too. */
  read(attributes: Attributes, isNamed: boolean): number {
    let signs = 0
    let className = ''
    let id = ''
    for (let index = 0; index < attributes.length; index += 2) {
      const value = attributes[index + 1] ?? ''
      switch (attributes[index]) {
        case 'class':
          className = value
          if (value === EDIT_LINK) signs |= SIGN.hidden
          break
        case 'id':
          id = value
          break
        case 'role':
          if (BOILERPLATE_ROLES.has(value)) signs |= SIGN.boilerplate
          break
        case 'hidden':
          signs |= SIGN.hidden
          break
        case 'style':
          if (HIDDEN_STYLE.test(value)) signs |= SIGN.hidden
          break
        case 'aria-hidden':
          if (value === 'true' && !isFormulaImage(attributes)) signs |= SIGN.hidden
          break
        case 'rel':
          if (value === 'author') signs |= SIGN.byline
          break
        case 'itemprop':
          if (value.includes('author')) signs |= SIGN.byline
          break
        default:
      }
    }
    if ((signs & SIGN.hidden) !== 0 && STREAMED.test(id)) signs ^= SIGN.hidden
    if (className === '' && id === '') return signs | SIGN.named
    if (isNamed) return signs | SIGN.named | signsOfNames(className, id, this.#bitsOf)
    const isByline = /byline|author/.test(className) && (signsOfNames(className, '', this.#bitsOf) & SIGN.byline) !== 0
    return isByline ? signs | SIGN.byline : signs
  }

  /** The signs of an element with those of its names, which may not have been read yet. */
  readNames(node: ElementNode): number {
    if ((node.signs & SIGN.named) === 0 && node.attributes.length > 0) node.signs |= this.read(node.attributes, true)
    return node.signs
  }

  readonly #bitsOf = (written: string): number => {
    const known = this.#known.get(written)
    if (known !== undefined) return known
    const bits = bitsOfName(written)
    if (this.#known.size < NAMES_CACHED_MAX) this.#known.set(written, bits)
    return bits
  }
}

/** Pictures of formulas are hidden from those who hear the page, not from those who see it. */
function isFormulaImage(attributes: Attributes): boolean {
  return attribute(attributes, 'class')?.includes('fallback-image') === true
}
