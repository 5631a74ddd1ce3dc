export type Attributes = Readonly<Record<string, string>>

/**
 * An element of the light tree. Amounts are of its whole content: `chars` counts letters without white space (a CJK
 * character as two), `linkChars` those within links, `marks` commas and full stops of any script.
 */
export interface ElementNode {
  name: string
  bits: number
  attributes: Attributes
  children: PageNode[]
  parent: ElementNode | null
  chars: number
  linkChars: number
  marks: number
  images: number
  /** Amounts of its own inline text, outside of any block in it. */
  ownChars: number
  ownLinkChars: number
  hasBlock: boolean
  /** Left out of what is read. */
  skipped: boolean
}

export type PageNode = ElementNode | string

export const NO_ATTRIBUTES: Attributes = {}

export function createElement(name: string, bits: number, parent: ElementNode | null): ElementNode {
  return {
    name,
    bits,
    attributes: NO_ATTRIBUTES,
    children: [],
    parent,
    chars: 0,
    linkChars: 0,
    marks: 0,
    images: 0,
    ownChars: 0,
    ownLinkChars: 0,
    hasBlock: false,
    skipped: false,
  }
}

/** All text in it, white space as it was written. */
export function rawText(node: ElementNode): string {
  return node.children.map((child) => (typeof child === 'string' ? child : rawText(child))).join('')
}

export function collapse(text: string): string {
  return text.replace(/[\s\u00a0]+/g, ' ').trim()
}
