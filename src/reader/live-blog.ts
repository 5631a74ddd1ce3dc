import { AROUND, type Block, type BlockPlace, type Blocks } from './blocks.ts'
import { findDay } from './dates.ts'
import type { ElementNode } from './node.ts'

/** Blocks between the title of a live blog and its first update that are looked at. */
const INTRO_MAX = 24
const CHARS_MIN = 20
const ITEM_CHARS_MIN = 8
const LINK_SHARE_MAX = 0.5
/** A line may be shorter than a sentence, if it is none that says who and when. */
const DAY_CHARS_MAX = 80
const ELSEWHERE =
  AROUND.nav | AROUND.footer | AROUND.aside | AROUND.form | AROUND.hidden | AROUND.consent | AROUND.role | AROUND.byline

/** Keep what a live blog says between its title and its first update: what it is about, and what has happened so far. Returns its elements. */
export function keepIntro({ blocks }: Blocks, kept: Uint8Array): ElementNode[] {
  const first = kept.indexOf(1)
  const title = blocks.findLastIndex(({ place }, index) => index < first && place.node.name === 'h1')
  if (title < 0 || first - title > INTRO_MAX) return []
  const added: ElementNode[] = []
  for (let index = title + 1; index < first; index += 1) {
    const block = blocks[index]
    if (block === undefined || !isIntro(block)) continue
    kept[index] = 1
    added.push(block.place.node)
  }
  return added
}

function isIntro({ place, text, length, linkChars, times }: Block): boolean {
  const { around, node } = place
  if ((around & (ELSEWHERE | AROUND.heading)) !== 0 || times > 0 || linkChars > LINK_SHARE_MAX * length) return false
  if (length < (node.name === 'li' ? ITEM_CHARS_MIN : CHARS_MIN)) return false
  return length > DAY_CHARS_MAX || findDay(text) === null
}

/** Blocks between a heading and its text that say who wrote it and when, and letters of one. */
const DATED_MAX = 3
const DATED_CHARS_MAX = 60

/** Keep headings of updates that are parted from what is kept under them by who wrote it and when. Returns their elements. */
export function keepDatedHeadings({ blocks }: Blocks, kept: Uint8Array): ElementNode[] {
  const added: ElementNode[] = []
  for (let index = 0; index < blocks.length - 2; index += 1) {
    const place = blocks[index]?.place
    if (place === undefined || kept[index] === 1 || !isShownHeading(place) || kept[index + 1] === 1) continue
    let text = index + 1
    while (text <= index + DATED_MAX && kept[text] === 0 && isDated(blocks[text])) text += 1
    if (text === index + 1 || kept[text] !== 1) continue
    kept[index] = 1
    added.push(place.node)
  }
  return added
}

function isShownHeading({ around, node }: BlockPlace): boolean {
  return (around & AROUND.heading) !== 0 && (around & ELSEWHERE) === 0 && node.name !== 'h1'
}

function isDated(block: Block | undefined): boolean {
  if (block === undefined || block.length > DATED_CHARS_MAX || (block.place.around & AROUND.heading) !== 0) return false
  return block.times > 0 || (block.place.around & AROUND.byline) !== 0 || findDay(block.text) !== null
}
