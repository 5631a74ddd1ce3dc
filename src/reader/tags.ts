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
} as const

const { block, void: empty, dropped, boilerplate, heading, list, scope, paragraph } = TAG

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
  [empty | dropped, 'input embed'],
  [dropped, 'script style template svg iframe object canvas noscript select option button textarea datalist'],
  [dropped, 'audio video map applet frameset noframes noembed progress meter annotation annotation-xml title'],
]

const PROPERTIES: ReadonlyMap<string, number> = new Map(
  GROUPS.flatMap(([bits, names]) => names.split(' ').map((name) => [name, bits] as const)),
)

/** The bits of a tag (lower-case name). */
export function tagBits(name: string): number {
  return PROPERTIES.get(name) ?? 0
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Open elements that a start tag ends by itself, looked for up to the first of `until`. */
interface ImpliedEnd {
  ends: ReadonlySet<string>
  until: ReadonlySet<string>
}

const rule = (ends: string, until: string): ImpliedEnd => ({ ends: words(ends), until: words(until) })

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
export function wallOf(name: string, bits: number): number {
  if ((bits & (TAG.block | TAG.dropped)) === 0) return TAG.block
  return TABLE_PARTS.has(name) ? 0 : TAG.scope
}

/** What a start tag ends, or null. Any block ends an open paragraph. */
export function impliedEnd(name: string, bits: number): ImpliedEnd | null {
  return IMPLIED_ENDS.get(name) ?? ((bits & TAG.block) !== 0 ? ENDS_PARAGRAPH : null)
}
