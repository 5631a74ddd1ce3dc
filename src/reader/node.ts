import { TAG, type Tag } from './tags.ts'

/** Names and values by turns, in the order of the page; few enough to be searched. */
export type Attributes = readonly string[]

/**
 * An element of the light tree. Amounts are of its whole content: `chars` counts letters without white space (a CJK
 * character as two), `linkChars` those within links, `prose` those in running text.
 */
export interface ElementNode {
  tag: Tag
  name: string
  /** What its tag means, see tags.ts. */
  bits: number
  /** What its attributes tell, see signs.ts. */
  signs: number
  attributes: Attributes
  /** Text has its white space collapsed, but in `pre`. */
  children: PageNode[]
  parent: ElementNode | null
  chars: number
  linkChars: number
  prose: number
  /** Letters of running text in paragraphs that follow each other in one place, as those of an article do. */
  dense: number
  /** Blocks of running text; those that are its children, and their letters. */
  paragraphs: number
  ownParagraphs: number
  ownParagraphChars: number
  /** Fields and buttons that somebody could use. */
  controls: number
  /** Amounts of its own inline text, outside of any block in it. */
  ownChars: number
  ownLinkChars: number
  hasBlock: boolean
  /** Left out of what is read. */
  skipped: boolean
}

export type PageNode = ElementNode | string

export const NO_ATTRIBUTES: Attributes = []
const NO_CHILDREN: PageNode[] = []

export function createElement(tag: Tag, attributes: Attributes, parent: ElementNode | null): ElementNode {
  return {
    tag,
    name: tag.name,
    bits: tag.bits,
    signs: tag.signs,
    attributes,
    children: NO_CHILDREN,
    parent,
    chars: 0,
    linkChars: 0,
    prose: 0,
    dense: 0,
    paragraphs: 0,
    ownParagraphs: 0,
    ownParagraphChars: 0,
    controls: 0,
    ownChars: 0,
    ownLinkChars: 0,
    hasBlock: false,
    skipped: false,
  }
}

/** Have an element be of another kind than it was written as. */
export function setTag(node: ElementNode, tag: Tag): void {
  node.tag = tag
  node.name = tag.name
  node.bits = tag.bits
}

/** Most elements have one child or none, and a list that grows by `push` takes room for sixteen more at once. */
export function addChild(node: ElementNode, child: PageNode): void {
  if (node.children === NO_CHILDREN) node.children = [child]
  else node.children.push(child)
}

/** Whether it stands on lines of its own. */
export function isBlock({ bits, hasBlock }: ElementNode): boolean {
  return (bits & TAG.block) !== 0 || hasBlock
}

/** White space between elements: nothing at the start of a block and after a block, where it does not show. */
export function addSpace(node: ElementNode): void {
  const { bits, children } = node
  const last = children[children.length - 1]
  if (last === ' ' || (last === undefined && (bits & TAG.block) !== 0)) return
  if (last === undefined || typeof last === 'string' || (last.bits & TAG.block) === 0) addChild(node, ' ')
}

export function attribute(attributes: Attributes, name: string): string | undefined {
  for (let index = 0; index < attributes.length; index += 2) {
    if (attributes[index] === name) return attributes[index + 1]
  }
  return undefined
}

/** All text in it, white space as the tree has it. */
export function rawText(node: ElementNode): string {
  let text = ''
  for (const child of node.children) text += typeof child === 'string' ? child : rawText(child)
  return text
}

/** White space that is not a single space already. */
const SPACES = /[^\S ]\s*| \s+/g

/** White space of any kind as single spaces. */
export function withSingleSpaces(text: string): string {
  return text.replace(SPACES, ' ')
}

/** The same, none at the ends. */
export function collapse(text: string): string {
  return withSingleSpaces(text).trim()
}

/** Written with a number, since two letters are sought by each of the first alone. */
const TWO_SPACES = / {2}/

/** The same for texts of the tree put together, whose white space is spaces already. */
export function joined(text: string): string {
  return (TWO_SPACES.test(text) ? withSingleSpaces(text) : text).trim()
}

/** White space beyond ASCII. Source: ECMAScript's WhiteSpace and LineTerminator. */
export function isRareSpace(unit: number): boolean {
  return (
    unit === 0xa0 ||
    unit === 0x3000 ||
    unit === 0xfeff ||
    unit === 0x1680 ||
    (unit >= 0x2000 && (unit <= 0x200a || unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f))
  )
}
