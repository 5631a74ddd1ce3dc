import type { Resolve } from './addresses.ts'
import { attribute, type Attributes, collapse, type ElementNode, joined, type PageNode } from './node.ts'
import { noteReference } from './footnotes.ts'
import { formulaOf, mathText } from './math.ts'
import { TAG } from './tags.ts'

const EMPHASIS: ReadonlyMap<string, string> = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['i', '*'],
  ['em', '*'],
  ['del', '~~'],
  ['s', '~~'],
  ['strike', '~~'],
])
const QUOTED = /^\s*["“”„‟«»‹›「『]/
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt'])
const LAZY_SOURCES = ['data-src', 'data-original', 'data-lazy-src'] as const
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'] as const
const IMAGE_URL_CHARS_MAX = 300
const IMAGE_OR_BRACKET = /!\[(?:\\.|[^[\]\\])*\]\([^()]*\)|[[\]]/g
/** Stands for a line break until white space is collapsed. */
const BREAK = '\u0000'

/** What inline nodes stand in: no link holds another, and in code marks are what they are. */
type Within = 'text' | 'link' | 'code'

/** Inline nodes from `from` up to `to` as Markdown on one line, or more where `<br>` breaks it. */
export function inlineMarkdown(nodes: readonly PageNode[], resolve: Resolve, from = 0, to = nodes.length): string {
  const first = nodes[from]
  if (typeof first === 'string' && to === from + 1) return first.trim()
  const text = renderAll(nodes, resolve, 'text', from, to)
  if (!text.includes(BREAK)) return joined(text)
  return text
    .split(BREAK)
    .map(joined)
    .join('\n')
    .replace(/\n{2,}/g, '\n\n')
    .trim()
}

const RAISED_NUMBER = /^[+−-]?\d{1,4}$/
const MAY_BE_RAISED = /[\p{L}\d)\]]/u
const LINK_BEGINS = /^!?\[(?!\^)/

/** A raised number is no digit of what it stands at, and links that nothing parts are no one word. Of the text only the last piece is looked at: it grows by pieces. */
function renderAll(nodes: readonly PageNode[], resolve: Resolve, within: Within, from = 0, to = nodes.length): string {
  let text = ''
  let last = ''
  for (let index = from; index < to; index += 1) {
    const node = nodes[index]
    if (node === undefined) continue
    const isText = typeof node === 'string'
    const piece = isText ? node : render(node, resolve, within)
    if (piece === '') continue
    if (!isText && last !== '') {
      if (node.name === 'sup' && RAISED_NUMBER.test(piece) && MAY_BE_RAISED.test(last.at(-1) ?? '')) text += '^'
      else if (node.linkChars > 0 && last.endsWith(')') && LINK_BEGINS.test(piece)) text += ' '
      else if (within !== 'code' && PARTS.has(node.name) && isApart(nodes[index - 1], node, last, piece)) text += ' '
    }
    text += piece
    last = piece
  }
  return text
}

/** Elements that pages lay out beside each other without white space between them, and how many stand in one line. */
const PARTS: ReadonlySet<string> = new Set(['span', 'label', 'time', 'small'])
const PARTS_MAX = 12
const LETTERS_MIN = 2
const ENDS_PART = /[\p{L}\d]$/u
const ENDS_IN_NUMBER = /\d$/
const BEGINS_PART = /^[\p{Lu}\p{Sc}\d]/u
const BEGINS_WORD = /^\p{Ll}/u
const ORDINAL = /^(?:st|nd|rd|th)\b/

/** Whether two parts of a line that holds nothing else are no one word: a capital, a price or a number begins or ends there. */
function isApart(before: PageNode | undefined, { parent }: ElementNode, last: string, piece: string): boolean {
  if (typeof before !== 'object' || !PARTS.has(before.name) || parent === null) return false
  if (last.length < LETTERS_MIN || piece.length < LETTERS_MIN || !ENDS_PART.test(last)) return false
  const isBehindNumber = ENDS_IN_NUMBER.test(last) && BEGINS_WORD.test(piece) && !ORDINAL.test(piece)
  const { children } = parent
  if ((!isBehindNumber && !BEGINS_PART.test(piece)) || children.length > PARTS_MAX) return false
  return children.every((child) => typeof child !== 'string' || child.trim() === '')
}

function render(node: ElementNode, resolve: Resolve, within: Within): string {
  if (node.skipped) return ''
  const { name } = node
  if (name === 'br') return BREAK
  if (name === 'img' || name === 'amp-img') return imageMarkdown(node, resolve)
  if (name === 'math' && attribute(node.attributes, 'alttext') !== undefined)
    return `$${attribute(node.attributes, 'alttext')}$`
  if (name === 'math') return mathText(node)
  if (CODE.has(name) && within !== 'code') return inlineCode(joined(renderAll(node.children, resolve, 'code')))
  const note = name === 'a' ? noteReference(node) : null
  if (note !== null) return note
  const inner = renderAll(node.children, resolve, within === 'text' && name === 'a' ? 'link' : within)
  if (within === 'code') return inner
  if (name === 'a' && within === 'text') return linkMarkdown(inner, resolve(attribute(node.attributes, 'href')))
  if (name === 'cite') return sourceOfQuote(node, inner)
  if (name === 'q' && inner !== '' && !QUOTED.test(inner)) return `“${inner}”`
  return (node.bits & TAG.block) === 0 ? wrapped(inner, EMPHASIS.get(name) ?? '') : ` ${inner} `
}

/** Who is quoted stands on a line of its own where nothing parts it from the quote. */
function sourceOfQuote(cite: ElementNode, inner: string): string {
  const { parent } = cite
  if (parent === null || (parent.name !== 'blockquote' && parent.parent?.name !== 'blockquote')) return inner
  const { children } = parent
  const before = children.at(-1) === cite ? children.at(-2) : undefined
  const behind = children[0] === cite ? children[1] : undefined
  const breaks = (text: PageNode | undefined, space: RegExp) =>
    typeof text === 'string' && !space.test(text) ? BREAK : ''
  return breaks(before, /\s$/) + inner + breaks(behind, /^[\s.,;:!?)]/)
}

/** Put a mark around text, inside of its outer white space. Nothing for what is empty or marked already. */
export function wrapped(text: string, mark: string): string {
  if (mark === '' || text.includes(BREAK)) return text
  const bare = text.trim()
  if (bare === '' || bare.startsWith(mark)) return text
  const start = text.indexOf(bare)
  return `${text.slice(0, start)}${mark}${bare}${mark}${text.slice(start + bare.length)}`
}

export function linkMarkdown(text: string, address: string | null): string {
  const bare = text.replaceAll(BREAK, ' ').trim()
  if (bare === '' || address === null) return text
  const start = text.startsWith(bare[0] ?? '') ? '' : ' '
  const end = text.endsWith(bare[bare.length - 1] ?? '') ? '' : ' '
  return `${start}[${withoutBrackets(bare)}](${closed(address)})${end}`
}

/** Brackets of a text as no marks; those of pictures in it stay. */
function withoutBrackets(label: string): string {
  return label.includes('[') || label.includes(']')
    ? label.replace(IMAGE_OR_BRACKET, (found) => (found.length > 1 ? found : `\\${found}`))
    : label
}

/** By its alternative text, or with the caption beside it; a picture without either says nothing. */
function imageMarkdown(image: ElementNode, resolve: Resolve): string {
  const { attributes } = image
  const alt = collapse(attribute(attributes, 'alt') ?? '').replace(/[[\]]/g, '\\$&')
  if (alt === '' && !hasCaption(image)) return ''
  const formula = formulaOf(image)
  if (formula !== null) return `$${formula}$`
  const source = imageSource(attributes, resolve)
  if (alt === '' && source === '') return ''
  return `![${alt}](${source.length > IMAGE_URL_CHARS_MAX ? '' : closed(source)})`
}

function imageSource(attributes: Attributes, resolve: Resolve): string {
  for (const name of LAZY_SOURCES) {
    const address = resolve(attribute(attributes, name))
    if (address !== null) return address
  }
  const lazy = LAZY_SETS.map((name) => firstOfSet(attribute(attributes, name), resolve)).find(
    (address) => address !== '',
  )
  return lazy ?? resolve(attribute(attributes, 'src')) ?? firstOfSet(attribute(attributes, 'srcset'), resolve)
}

/** The first address of several for one picture, each with a size behind it. Source: HTML, "Srcset attributes". */
function firstOfSet(set: string | undefined, resolve: Resolve): string {
  const first = /^[\s,]*([^\s]+)/.exec(set ?? '')?.[1]?.replace(/,+$/, '')
  return resolve(first) ?? ''
}

const FIGURE_DEPTH_MAX = 6

/** Whether a picture stands in a figure that has a caption. */
function hasCaption({ parent }: ElementNode): boolean {
  let node = parent
  for (let depth = 0; node !== null && depth < FIGURE_DEPTH_MAX; depth += 1) {
    if (node.name === 'figure')
      return node.children.some((child) => typeof child !== 'string' && child.name === 'figcaption' && !child.skipped)
    node = node.parent
  }
  return false
}

/** Code in backticks, more of them than the code holds in a row. */
function inlineCode(text: string): string {
  if (text === '') return ''
  const fence = '`'.repeat(longestRun(text) + 1)
  return text.startsWith('`') || text.endsWith('`') ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** Length of the longest run of backticks. */
export function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
}

/** An address that parentheses cannot cut short. */
function closed(address: string): string {
  return /[()]/.test(address) ? address.replaceAll('(', '%28').replaceAll(')', '%29') : address
}
