import { type Handler, Parser } from 'htmlparser2'

/** Elements of one part of a document; what comes behind them is not read. */
const ELEMENTS_MAX = 300_000
const DEPTH_MAX = 200

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
export const ENOUGH = new Error('There is more than is read')

/** The tree of a part of a document, up to a bound; entities of its own are left as they are written. */
export function parseXml(text: string): XmlDocument {
  const root: XmlDocument = { name: '', attributes: {}, children: [], isCut: false }
  const open: XmlElement[] = [root]
  let elements = 0
  root.isCut = !goThrough(text, {
    onopentag: (name, attributes) => {
      elements += 1
      if (elements > ELEMENTS_MAX || open.length > DEPTH_MAX) throw ENOUGH
      const element = { name: localName(name), attributes: kept(attributes), children: NO_CHILDREN }
      addChild(open.at(-1) ?? root, element)
      open.push(element)
    },
    ontext: (data) => {
      const parent = open.at(-1) ?? root
      const last = parent.children.at(-1)
      if (typeof last === 'string') parent.children[parent.children.length - 1] = last + decoded(data)
      else addChild(parent, decoded(data))
    },
    onclosetag: () => open.pop(),
  })
  return root
}

/** Whether all of it was gone through. References come as they are written: decoded by the parser, each would be a piece of its own. */
export function goThrough(text: string, handler: Partial<Handler>): boolean {
  try {
    new Parser(handler, { xmlMode: true, decodeEntities: false }).end(text)
    return true
  } catch (error) {
    if (error !== ENOUGH) throw error
    return false
  }
}

const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const POINT_MAX = 0x10ffff

/** Text with what its references stand for. */
export function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (written, hex?: string, number?: string, name = '') => {
    const point = hex === undefined ? Number(number ?? Number.NaN) : Number.parseInt(hex, 16)
    return NAMED[name] ?? (point <= POINT_MAX ? String.fromCodePoint(point) : written)
  })
}

const NO_CHILDREN: XmlNode[] = []
const NO_ATTRIBUTES: XmlElement['attributes'] = {}

/** Most elements have one child or none, and a list that grows by `push` takes room for sixteen more at once. */
function addChild(parent: XmlElement, child: XmlNode): void {
  if (parent.children.length === 0) parent.children = [child]
  else parent.children.push(child)
}

function kept(attributes: Record<string, string>): XmlElement['attributes'] {
  const names = Object.keys(attributes)
  for (const name of names) attributes[name] = decoded(attributes[name] ?? '')
  return names.length === 0 ? NO_ATTRIBUTES : attributes
}

export function localName(name: string): string {
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
