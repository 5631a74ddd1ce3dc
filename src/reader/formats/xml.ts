import { Parser } from 'htmlparser2'

/** Elements of one part of a document; what comes behind them is not read. */
const ELEMENTS_MAX = 300_000
const DEPTH_MAX = 200
/** Pieces of text that are kept until they are put together. */
const PIECES_MAX = 4_096

/** An element of XML. `name` without its prefix, names of attributes with theirs. */
export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: XmlNode[]
}

export type XmlNode = XmlElement | string

export interface XmlDocument extends XmlElement {
  /** There was more than is read. */
  isCut: boolean
}

/** Ends the parsing: its cost grows with the square of the depth. */
const ENOUGH = new Error('There is more than is read')

/** The tree of a part of a document, up to a bound; entities of its own are left as they are written. */
export function parseXml(text: string): XmlDocument {
  const root: XmlDocument = { name: '', attributes: {}, children: [], isCut: false }
  const open: XmlElement[] = [root]
  let elements = 0
  let pieces: string[] = []
  // Each entity comes as a piece of its own.
  const addPieces = () => {
    if (pieces.length === 0) return
    const parent = open.at(-1) ?? root
    const last = parent.children.at(-1)
    const joined = pieces.join('')
    if (typeof last === 'string') parent.children[parent.children.length - 1] = last + joined
    else addChild(parent, joined)
    pieces = []
  }
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        elements += 1
        addPieces()
        if (elements > ELEMENTS_MAX || open.length > DEPTH_MAX) throw ENOUGH
        const element = { name: localName(name), attributes: kept(attributes), children: NO_CHILDREN }
        addChild(open.at(-1) ?? root, element)
        open.push(element)
      },
      ontext: (data) => {
        pieces.push(data)
        if (pieces.length >= PIECES_MAX) addPieces()
      },
      onclosetag: () => {
        addPieces()
        open.pop()
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  try {
    parser.end(text)
  } catch (error) {
    if (error !== ENOUGH) throw error
    root.isCut = true
  }
  return root
}

const NO_CHILDREN: XmlNode[] = []
const NO_ATTRIBUTES: XmlElement['attributes'] = {}

/** Most elements have one child or none, and a list that grows by `push` takes room for sixteen more at once. */
function addChild(parent: XmlElement, child: XmlNode): void {
  if (parent.children.length === 0) parent.children = [child]
  else parent.children.push(child)
}

function kept(attributes: XmlElement['attributes']): XmlElement['attributes'] {
  for (const _ in attributes) return attributes
  return NO_ATTRIBUTES
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Elements of a name within another, in the order of the document; none within one of them. */
export function* within(element: XmlElement, ...names: readonly string[]): Generator<XmlElement> {
  for (const child of element.children) {
    if (typeof child === 'string') continue
    if (names.includes(child.name)) yield child
    else yield* within(child, ...names)
  }
}

export function firstWithin(element: XmlElement | null, name: string): XmlElement | null {
  return element === null ? null : (within(element, name).next().value ?? null)
}

export function childOf(element: XmlElement | null, name: string): XmlElement | null {
  for (const child of element?.children ?? []) if (typeof child !== 'string' && child.name === name) return child
  return null
}

export function xmlText(element: XmlElement | null): string {
  let text = ''
  for (const child of element?.children ?? []) text += typeof child === 'string' ? child : xmlText(child)
  return text
}

/** Stands where something was not read. */
export const LEFT_OUT = '<p>[…]</p>'

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as it stands in HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => MARKUP[character] ?? character)
}
