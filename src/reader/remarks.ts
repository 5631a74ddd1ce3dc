import { AROUND, type Block, type BlockPlace, type Blocks } from './blocks.ts'
import { findDay } from './dates.ts'
import type { ElementNode } from './node.ts'
import { namingValues } from './names.ts'

const ELSEWHERE = AROUND.nav | AROUND.footer | AROUND.aside | AROUND.form | AROUND.hidden | AROUND.consent
/** Elements up from remarks to the post that they are made on. */
const UP_MAX = 4
const POST = /(?:^|[\s_-])(?:posts?|question|answer|message|reply)(?:$|[\s_-])/i
/** Share of their blocks that are kept from which they are the thread itself. */
const KEPT_SHARE_MAX = 0.3
const CHARS_MIN = 15
const DAY_CHARS_MAX = 60
const LINK_SHARE_MAX = 0.5

/** Keep what others remark on the posts of a thread, below each. Returns their elements. */
export function keepRemarks({ blocks, places }: Blocks, kept: Uint8Array): ElementNode[] {
  const before = kept.slice()
  const added: ElementNode[] = []
  for (const place of places) {
    if (!isOfRemarks(place) || !isOnPost(place, before)) continue
    const count = before.subarray(place.first, place.end).reduce((sum, one) => sum + one, 0)
    if (count > KEPT_SHARE_MAX * (place.end - place.first)) continue
    for (let index = place.first; index < place.end; index += 1) {
      const block = blocks[index]
      if (block === undefined || kept[index] === 1 || (block.place.around & ELSEWHERE) !== 0 || !isSaid(block)) continue
      const { node, first, end } = block.place
      if (before.subarray(first, end).includes(1) || !isInRemark(block.place, place)) continue
      kept[index] = 1
      added.push(node)
    }
  }
  return added
}

function isOfRemarks({ around, up }: BlockPlace): boolean {
  const isNamed = (around & AROUND.comments) !== 0 && ((up?.around ?? 0) & AROUND.comments) === 0
  return isNamed && (around & ELSEWHERE) === 0
}

/** Whether it is no name, day or link alone. */
function isSaid({ place, text, length, linkChars }: Block): boolean {
  if (length < CHARS_MIN || linkChars > LINK_SHARE_MAX * length || (place.around & AROUND.byline) !== 0) return false
  return length > DAY_CHARS_MAX || findDay(text) === null
}

const REMARK = /(?:^|[\s_-])comment(?:-?(?:item|row|text|body|content|copy))?(?:$|\s)/i

/** Whether it is part of one of them, and not what leads to more or asks for one. */
function isInRemark(place: BlockPlace, all: BlockPlace): boolean {
  for (let at: BlockPlace | null = place; at !== null; at = at.up) {
    const { name, attributes } = at.node
    if (name === 'li' || name === 'article' || namingValues(attributes).some((names) => REMARK.test(names))) return true
    if (at === all) return false
  }
  return false
}

/** Whether the text of a post is kept beside them. */
function isOnPost({ up }: BlockPlace, kept: Uint8Array): boolean {
  let at = up
  for (let count = 0; at !== null && count < UP_MAX; count += 1, at = at.up) {
    if (namingValues(at.node.attributes).some((names) => POST.test(names)))
      return kept.subarray(at.first, at.end).includes(1)
  }
  return false
}
