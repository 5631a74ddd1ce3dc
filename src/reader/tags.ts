import { bitsOfName, SIGN, signsOfNames } from './signs.ts'

/** What a tag means for reading, as bits. A tag without an entry is inline. */
export const TAG = {
  block: 1,
  /** Has no content and no end tag. */
  void: 2,
  /** Neither it nor anything in it is text for a reader. */
  dropped: 4,
  /** Boilerplate by its meaning: navigation and the like. */
  boilerplate: 8,
  heading: 16,
  list: 32,
  /** A wall that an end tag of something else does not reach through. */
  scope: 64,
  /** Running text when it holds no other block. */
  paragraph: 128,
  /** Something to fill in or to press. */
  control: 256,
} as const

const { block, void: empty, dropped, boilerplate, heading, list, scope, paragraph, control } = TAG

const GROUPS: readonly [number, string][] = [
  [block, 'head body div section article main header figure figcaption details summary fieldset address hgroup center'],
  [block, 'dt dd thead tbody tfoot tr caption colgroup legend search'],
  [block | paragraph, 'p pre blockquote li'],
  [block | scope, 'table'],
  [block | scope | paragraph, 'td th'],
  [block | list, 'ul ol dl'],
  [block | heading, 'h1 h2 h3 h4 h5 h6'],
  [block | boilerplate, 'nav footer aside menu dialog'],
  [block, 'form'],
  [block | empty, 'hr'],
  [empty, 'br img wbr col area base basefont bgsound frame keygen link meta param source track'],
  [empty | dropped, 'embed'],
  [empty | dropped | control, 'input'],
  [dropped, 'script style template svg iframe object canvas noscript datalist'],
  [dropped | control, 'select option button textarea'],
  [dropped, 'audio video map applet frameset noframes noembed progress meter annotation annotation-xml title'],
]

const PROPERTIES: ReadonlyMap<string, number> = new Map(
  GROUPS.flatMap(([bits, names]) => names.split(' ').map((name) => [name, bits] as const)),
)

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Open elements that a start tag ends by itself, looked for up to the first of `until`. */
export interface ImpliedEnd {
  ends: ReadonlySet<string>
  until: ReadonlySet<string>
  /** Numbers of the tags in `ends`, set when tags are numbered. */
  endIndexes: number[]
}

const rule = (ends: string, until: string): ImpliedEnd => ({ ends: words(ends), until: words(until), endIndexes: [] })

const ENDS_PARAGRAPH = rule('p', 'table td th li button object caption')
const ROW = rule('tr td th', 'table')
const SECTION = rule('thead tbody tfoot tr td th caption colgroup', 'table')
const DESCRIPTION = rule('dt dd', 'dl')
const HEADING = rule('p h1 h2 h3 h4 h5 h6', 'table td th li div section article')

const IMPLIED_ENDS: ReadonlyMap<string, ImpliedEnd> = new Map([
  ...['li'].map((name) => [name, rule('li', 'ul ol menu table')] as const),
  ...['dt', 'dd'].map((name) => [name, DESCRIPTION] as const),
  ...['td', 'th'].map((name) => [name, rule('td th', 'tr table')] as const),
  ...['tr'].map((name) => [name, ROW] as const),
  ...['thead', 'tbody', 'tfoot'].map((name) => [name, SECTION] as const),
  ...['option'].map((name) => [name, rule('option', 'select datalist')] as const),
  ...['a'].map((name) => [name, rule('a', 'table td th')] as const),
  ...['body'].map((name) => [name, rule('head', 'body')] as const),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, HEADING] as const),
])

const TABLE_PARTS = words('table thead tbody tfoot tr td th caption colgroup')

/**
 * Elements that an end tag does not reach through to its start tag: an inline one ends nothing outside of its block, a
 * block nothing outside of its table cell, a part of a table everything up to it.
 */
function wallOf(name: string, bits: number): number {
  if ((bits & (TAG.block | TAG.dropped)) === 0) return TAG.block
  return TABLE_PARTS.has(name) ? 0 : TAG.scope
}

/** What a start tag ends, or null. Any block ends an open paragraph. */
function impliedEnd(name: string, bits: number): ImpliedEnd | null {
  return IMPLIED_ENDS.get(name) ?? ((bits & TAG.block) !== 0 ? ENDS_PARAGRAPH : null)
}

/** A tag by its name, with all that the tables above say of it. */
export interface Tag {
  name: string
  bits: number
  /** Open elements that its start tag ends. */
  implied: ImpliedEnd | null
  /** Bits of elements that its end tag does not reach through. */
  wall: number
  /** What the name of an element of the page's own tells, see signs.ts. */
  signs: number
  /** Its content is text, whatever is written there. */
  isText: boolean
  /** Number for counting; tags that no table knows share the last one. */
  index: number
  /** Number by which the model knows it; 0 for the rest of them. */
  code: number
}

const CODED =
  'p li h1 h2 h3 h4 h5 h6 td tr dt dd pre blockquote figcaption a span div section article main header footer nav aside ul ol dl table tbody figure form label summary details #root body address'
const CODES: ReadonlyMap<string, number> = new Map(CODED.split(' ').map((name, index) => [name, index + 1] as const))

const NAMES = [
  ...new Set([...PROPERTIES.keys(), ...IMPLIED_ENDS.keys(), 'html', 'span', 'a', 'b', 'i', 'em', 'strong']),
]
const INDEXES: ReadonlyMap<string, number> = new Map(NAMES.map((name, index) => [name, index]))
export const TAG_COUNT = NAMES.length + 1

/** A list with an amount for each tag that the tables know, by its `index`. */
export function amountsByTag(amounts: Readonly<Record<string, number>>): Int32Array {
  return Int32Array.from({ length: TAG_COUNT }, (_, index) => amounts[NAMES[index] ?? ''] ?? 0)
}

for (const implied of [ENDS_PARAGRAPH, ...IMPLIED_ENDS.values()]) {
  implied.endIndexes = [...implied.ends].map((name) => INDEXES.get(name) ?? NAMES.length)
}

/** Of the element that holds a whole document. */
export const ROOT_TAG: Tag = {
  name: '#root',
  bits: TAG.block | TAG.scope,
  implied: null,
  wall: 0,
  signs: 0,
  isText: false,
  index: TAG_COUNT - 1,
  code: CODES.get('#root') ?? 0,
}

/** How the characters beside are said: within running text it would be said twice. */
const READINGS = words('rt rp')

// Source: HTML, "Parsing HTML fragments", step 4.
const TEXTS = words('iframe noembed noframes plaintext script style textarea title xmp')

function makeTag(name: string): Tag {
  const bits = PROPERTIES.get(name) ?? 0
  const index = INDEXES.get(name) ?? NAMES.length
  const signs = name.includes('-') ? signsOfNames(name, '', bitsOfName) : READINGS.has(name) ? SIGN.hidden : 0
  const isText = TEXTS.has(name)
  const code = CODES.get(name) ?? 0
  return { name, bits, implied: impliedEnd(name, bits), wall: wallOf(name, bits), signs, isText, index, code }
}

const SLOTS = 1_024
/** Tags seen lately by a number made of their letters, so that reading a name makes no string. */
const slots: (Tag | undefined)[] = Array.from({ length: SLOTS })

/** The tag whose name stands from `start` to `end`, in either case. */
export function tagAt(html: string, start: number, end: number): Tag {
  let sum = end - start
  for (let index = start; index < end; index += 1) sum = (sum * 31 + (html.charCodeAt(index) | 0x20)) | 0
  const slot = sum & (SLOTS - 1)
  const known = slots[slot]
  if (known !== undefined && isNamed(known.name, html, start, end)) return known
  const tag = makeTag(interned(html.slice(start, end).toLowerCase()))
  if (tag.name.length <= NAME_CHARS_MAX) slots[slot] = tag
  return tag
}

const NAME_CHARS_MAX = 32

/** The same text as names of properties are held: two of them are compared by their addresses, others letter by letter. */
export function interned(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text
}

/** Whether the lower-case `name` stands from `start` to `end`, in either case. */
export function isNamed(name: string, html: string, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let index = 0; index < name.length; index += 1) {
    const unit = html.charCodeAt(start + index)
    const lower = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit
    if (lower !== name.charCodeAt(index)) return false
  }
  return true
}
