import { shownText } from './around-title.ts'
import { AROUND, type Block, type Blocks } from './blocks.ts'
import { findDay, OF_MEMBERS } from './dates.ts'
import { attribute, collapse, type ElementNode } from './node.ts'
import { SIGN } from './signs.ts'

/** Blocks of a thread, and which of them are content. */
export interface KeptBlocks {
  blocks: Blocks
  isKept: Uint8Array
}

/** Blocks between two posts that are looked at, and those above the first and below the last. */
const BETWEEN_MAX = 84
const ABOVE_MAX = 14
const BELOW_MAX = 8
const WHO_CHARS_MAX = 40
const WHEN_CHARS_MAX = 90
const ELSEWHERE =
  AROUND.nav | AROUND.footer | AROUND.aside | AROUND.form | AROUND.hidden | AROUND.consent | AROUND.pagination
/** Names and addresses of who takes part. */
const PERSON =
  /(?:^|[^a-z])(?:authors?|creator|users?(?:[-_]?(?:name|link|details))?|members?|profiles?|posters?|nick(?:name)?|u)(?:[^a-z]|$)/i
const AGO =
  /\d\s?\p{L}{1,8}\.? ago|\d at \d{1,2}:\d{2}|^(?:vor|il y a|hace) \d|\d\s?(?:分钟|小时|天|个月|年|分|時間|日|か月|ヶ月)前|^\d{1,2}[:.]\d{2}(?: ?(?:[ap]\.?m\.?|Uhr|[A-Z]{2,4}))$/iu
const NAMING = ['class', 'href', 'itemprop', 'rel'] as const

/** Shows who wrote the posts of a thread and when, where that is no part of its text: by it posts are known from each other. */
export function showWriters(kept: KeptBlocks): void {
  const { isKept } = kept
  let before = -1
  for (let index = 0; index <= isKept.length; index += 1) {
    if (index < isKept.length && isKept[index] === 0) continue
    if (before < 0) showBetween(kept, Math.max(0, index - ABOVE_MAX), index)
    else if (index === isKept.length) showBetween(kept, before + 1, Math.min(index, before + 1 + BELOW_MAX))
    else showBetween(kept, before + 1, index)
    before = index
  }
}

const NOT_SHOWN = SIGN.hidden | SIGN.consent | SIGN.boilerplate | SIGN.surroundings

/** The same in a thread that the rules read: they leave out the line that says who wrote, as they do below a title. */
export function showBylines(node: ElementNode): void {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    const { signs, chars } = child
    if (child.skipped && (signs & SIGN.byline) !== 0 && chars <= WHEN_CHARS_MAX && (signs & NOT_SHOWN) === 0)
      child.skipped = false
    if (!child.skipped) showBylines(child)
  }
}

/** The first and the last who and when of a gap: what stands below a post and above the next. */
function showBetween({ blocks: { blocks } }: KeptBlocks, from: number, to: number): void {
  if (to - from > BETWEEN_MAX || from >= to) return
  const inComments = AROUND.comments & ((blocks[from - 1]?.place.around ?? 0) | (blocks[to]?.place.around ?? 0))
  const told = { who: [] as Block[], near: [] as Block[], when: [] as Block[] }
  for (let index = from; index < to; index += 1) {
    const block = blocks[index]
    if (block === undefined || block.place.node.name === 'tr') continue
    const { around } = block.place
    if ((around & ELSEWHERE) !== 0 || (around & AROUND.comments) > inComments) continue
    if (isWhen(block)) {
      if (isSameDay(blocks[index - 1], block)) told.when.pop()
      if (!OF_MEMBERS.test(blocks[index - 1]?.text ?? '')) told.when.push(block)
    } else if (isWho(block)) (isNamedWho(block) ? told.who : told.near).push(block)
  }
  const who = told.who.length > 0 ? told.who : told.near
  const shown = new Set([who[0], who.at(-1), told.when[0], told.when.at(-1)])
  const texts = new Set<string>()
  for (const block of shown) {
    if (block === undefined || texts.has(block.text)) continue
    texts.add(block.text)
    show(block)
  }
}

function isWhen({ text, times, length }: Block): boolean {
  return length <= WHEN_CHARS_MAX && /\d/.test(text) && (times > 0 || AGO.test(text) || findDay(text) !== null)
}

/** Whether the block above says the same day to machines. */
function isSameDay(above: Block | undefined, { text }: Block): boolean {
  if (above === undefined || attribute(above.place.node.attributes, 'itemprop')?.startsWith('date') !== true)
    return false
  const day = findDay(above.text)?.day
  return day !== undefined && day === findDay(text)?.day
}

function isWho(block: Block): boolean {
  const { place, text, length } = block
  if (length < 2 || length > WHO_CHARS_MAX || /[:?!]|^[^\p{L}]*\d/u.test(text) || !/\p{L}/u.test(text)) return false
  return isNamedWho(block) || (place.node.parent !== null && isPerson(place.node.parent, 0))
}

/** Whether what holds the text, not what is around it, names somebody. */
function isNamedWho({ place: { node }, from, to }: Block): boolean {
  return [node, ...node.children.slice(from, to)].some((place) => typeof place !== 'string' && isPerson(place, 2))
}

function isPerson({ attributes, children }: ElementNode, depth: number): boolean {
  if (NAMING.some((name) => PERSON.test(attribute(attributes, name) ?? ''))) return true
  return (
    depth > 0 &&
    children.length < 5 &&
    children.some((child) => typeof child !== 'string' && isPerson(child, depth - 1))
  )
}

/** Parts that nothing sets apart; one that is said twice is said to machines, too. */
function apart(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) {
    if (part.trim() !== '' && text.trim().endsWith(part.trim())) continue
    text += /[\p{L}\d]$/u.test(text) && /^[\p{L}\d]/u.test(part) ? ` ${part}` : part
  }
  return collapse(text)
}

/** It comes back as its bare text. */
function show({ place, from, to }: Block): void {
  const { children } = place.node
  const text = apart(
    children.slice(from, to).map((child) => (typeof child === 'string' ? child : shownText(child, ' '))),
  )
  for (let index = from; index < to; index += 1) {
    const child = children[index]
    if (typeof child === 'string') children[index] = ''
    else if (child !== undefined) child.skipped = true
  }
  children[from] = text
  for (let up: Block['place'] | null = place; up !== null; up = up.up) up.node.skipped = false
}
