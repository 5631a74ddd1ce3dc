import { type NamesOf, namingValues } from './names.ts'
import { attribute, type ElementNode, isBlock } from './node.ts'
import { SIGN } from './signs.ts'
import type { SignReader } from './sign-reader.ts'
import { amountsByTag, TAG } from './tags.ts'

/** What stands around a block, as bits: of itself and of all that it stands in. */
export const AROUND = {
  nav: 1,
  header: 2,
  footer: 4,
  aside: 8,
  main: 16,
  article: 32,
  form: 64,
  table: 128,
  list: 256,
  figure: 512,
  quote: 1_024,
  details: 2_048,
  /** A browser would not show it, and no press of a heading either. */
  hidden: 4_096,
  consent: 8_192,
  surroundings: 16_384,
  comments: 32_768,
  content: 65_536,
  pagination: 131_072,
  byline: 262_144,
  gallery: 524_288,
  heading: 1_048_576,
  link: 2_097_152,
  role: 4_194_304,
  /** In the element that the rules chose, and not left out by them. */
  chosen: 8_388_608,
  kept: 16_777_216,
  /** Folded away until its heading is pressed. */
  folded: 33_554_432,
} as const

/** An element with blocks in it. Its blocks are those from `first` up to `end`, since blocks are in the order of the page. */
export interface BlockPlace {
  /** Number among all places, in the order of the page. */
  index: number
  node: ElementNode
  up: BlockPlace | null
  depth: number
  around: number
  /** Number of its kind: its tag and the words of its class. */
  kind: number
  /** What its names say by the model's lexicon: its own, and the sum, least and greatest of the way to it. */
  names: number
  namesSum: number
  namesMin: number
  namesMax: number
  first: number
  end: number
}

/** Text on lines of its own: the children of an element from `from` up to `to`, which hold no block (a row of a table counts as one). */
export interface Block extends InlineCounts {
  place: BlockPlace
  from: number
  to: number
  text: string
  /** Of the text. */
  length: number
}

/** What stands within the lines of a block. */
interface InlineCounts {
  links: number
  /** Letters in links, and in bold type. */
  linkChars: number
  boldChars: number
  images: number
  breaks: number
  times: number
}

/** Something without text between two blocks: pictures and the like. `before`: number of the block behind it. */
export interface Bare {
  place: BlockPlace
  from: number
  to: number
  before: number
  images: number
}

export interface Blocks {
  blocks: Block[]
  places: BlockPlace[]
  bare: Bare[]
}

/** All blocks of a page with text in them, in its order. */
export function blocksOf(root: ElementNode, chosen: ElementNode, signs: SignReader, namesOf: NamesOf): Blocks {
  const walk = new Walk(chosen, signs, namesOf)
  walk.enter(root, null)
  return walk
}

class Walk implements Blocks {
  readonly blocks: Block[] = []
  readonly places: BlockPlace[] = []
  readonly bare: Bare[] = []
  readonly #chosen: ElementNode
  readonly #signs: SignReader
  readonly #namesOf: NamesOf

  constructor(chosen: ElementNode, signs: SignReader, namesOf: NamesOf) {
    this.#chosen = chosen
    this.#signs = signs
    this.#namesOf = namesOf
  }

  enter(node: ElementNode, up: BlockPlace | null): void {
    const place = this.#placeOf(node, up)
    if (!node.hasBlock || isPlainRow(node)) this.#add(place, 0, node.children.length)
    else this.#enterChildren(node, place)
    place.end = this.blocks.length
  }

  #enterChildren({ children }: ElementNode, place: BlockPlace): void {
    let from = 0
    for (let index = 0; index < children.length; index += 1) {
      const child = children[index]
      if (child === undefined || typeof child === 'string' || !isBlock(child)) continue
      if (index > from) this.#add(place, from, index)
      if (child.chars > 0) this.enter(child, place)
      else this.bare.push({ place, from: index, to: index + 1, before: this.blocks.length, images: imagesIn(child) })
      from = index + 1
    }
    if (children.length > from) this.#add(place, from, children.length)
  }

  #add(place: BlockPlace, from: number, to: number): void {
    const { children } = place.node
    const block = {
      place,
      from,
      to,
      text: '',
      length: 0,
      links: 0,
      linkChars: 0,
      boldChars: 0,
      images: 0,
      breaks: 0,
      times: 0,
    }
    let text = ''
    for (let index = from; index < to; index += 1) {
      const child = children[index]
      if (child !== undefined) text += typeof child === 'string' ? child : readInline(child, block)
    }
    block.text = text.trim()
    block.length = block.text.length
    if (block.text !== '') this.blocks.push(block)
    else if (to > from) this.bare.push({ place, from, to, before: this.blocks.length, images: block.images })
  }

  #aroundOf(node: ElementNode, outer: number): number {
    const around = outer | aroundBy(node, this.#signs)
    if (node === this.#chosen) return around | AROUND.chosen | AROUND.kept
    return node.skipped ? around & ~AROUND.kept : around
  }

  #placeOf(node: ElementNode, up: BlockPlace | null): BlockPlace {
    const { kind, score } = this.#namesOf(node.attributes)
    const place = {
      index: this.places.length,
      node,
      up,
      depth: up === null ? 0 : up.depth + 1,
      around: this.#aroundOf(node, up === null ? 0 : up.around),
      kind: Math.imul(kind, 31) + node.tag.index,
      names: score,
      namesSum: score + (up === null ? 0 : up.namesSum),
      namesMin: Math.min(score, up === null ? 0 : up.namesMin),
      namesMax: Math.max(score, up === null ? 0 : up.namesMax),
      first: this.blocks.length,
      end: 0,
    }
    this.places.push(place)
    return place
  }
}

/** A row of more letters lays out a page. */
const ROW_CHARS_MAX = 600

/** A row of data: its cells hold no blocks. */
function isPlainRow({ name, children, chars }: ElementNode): boolean {
  return (
    name === 'tr' && chars <= ROW_CHARS_MAX && children.every((child) => typeof child === 'string' || !child.hasBlock)
  )
}

/** The text of an element within a line; what stands in it is counted, in what is not shown too. */
function readInline(node: ElementNode, counts: InlineCounts): string {
  const { children, bits } = node
  countInline(node, counts)
  if ((node.signs & (SIGN.hidden | SIGN.consent)) !== 0) node.skipped = true
  let text = ''
  for (const child of children) text += typeof child === 'string' ? child : readInline(child, counts)
  if (node.name === 'br') return ' '
  if (node.skipped) return ''
  return (bits & TAG.block) === 0 ? text : ` ${text} `
}

function countInline({ name, chars }: ElementNode, counts: InlineCounts): void {
  switch (name) {
    case 'a':
      counts.linkChars += chars
      counts.links += 1
      break
    case 'img':
      counts.images += 1
      break
    case 'br':
      counts.breaks += 1
      break
    case 'b':
    case 'strong':
      counts.boldChars += chars
      break
    case 'time':
      counts.times += 1
      break
    default:
  }
}

function imagesIn({ name, children }: ElementNode): number {
  let count = name === 'img' ? 1 : 0
  for (const child of children) if (typeof child !== 'string') count += imagesIn(child)
  return count
}

const AROUND_BY_TAG = amountsByTag({
  nav: AROUND.nav,
  menu: AROUND.nav,
  header: AROUND.header,
  footer: AROUND.footer,
  aside: AROUND.aside,
  dialog: AROUND.aside,
  main: AROUND.main,
  article: AROUND.article,
  form: AROUND.form,
  fieldset: AROUND.form,
  table: AROUND.table,
  ul: AROUND.list,
  ol: AROUND.list,
  dl: AROUND.list,
  figure: AROUND.figure,
  blockquote: AROUND.quote,
  details: AROUND.details,
  a: AROUND.link,
  h1: AROUND.heading,
  h2: AROUND.heading,
  h3: AROUND.heading,
  h4: AROUND.heading,
  h5: AROUND.heading,
  h6: AROUND.heading,
})

const BY_SIGN: readonly (readonly [number, number])[] = [
  [SIGN.hidden, AROUND.hidden],
  [SIGN.consent, AROUND.consent],
  [SIGN.boilerplate, AROUND.role],
  [SIGN.surroundings, AROUND.surroundings],
  [SIGN.comments, AROUND.comments],
  [SIGN.content, AROUND.content],
  [SIGN.pagination, AROUND.pagination],
  [SIGN.byline, AROUND.byline],
  [SIGN.gallery, AROUND.gallery],
]

/** What all signs of an element say together, by the number that their bits make. */
const AROUND_BY_SIGNS = Int32Array.from({ length: 1_024 }, (_, signs) =>
  BY_SIGN.reduce((around, [sign, bit]) => ((signs & sign) !== 0 ? around | bit : around), 0),
)

function aroundBy(node: ElementNode, reader: SignReader): number {
  const signs = reader.readNames(node)
  let around = (AROUND_BY_TAG[node.tag.index] ?? 0) | (AROUND_BY_SIGNS[signs] ?? 0)
  if ((around & AROUND.hidden) !== 0 && isFolded(node)) around ^= AROUND.hidden | AROUND.folded
  if (node.attributes.length > 0 && attribute(node.attributes, 'role') === 'main') around |= AROUND.main
  return around
}

/** Names of parts that open at a press. */
const FOLDED =
  /accordion|collaps|expand|faq|(?:^|[\s_-])(?:tabs?|tab-?(?:content|pane|panel)s?|toggle\w*|answers?|read-?more)(?:$|[\s_-])/i

/** Whether what is hidden opens at a press. */
export function isFolded({ attributes, parent }: ElementNode): boolean {
  return [...namingValues(attributes), ...namingValues(parent?.attributes ?? [])].some((names) => FOLDED.test(names))
}
