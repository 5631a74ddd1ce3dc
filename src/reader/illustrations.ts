import { AROUND, type BlockPlace, type Blocks } from './blocks.ts'
import type { ElementNode } from './node.ts'

/** Blocks before a piece of code of which one is kept where it belongs to the text: a title of its own may stand between. */
const BEFORE_CODE = 2
const ELSEWHERE = AROUND.nav | AROUND.footer | AROUND.aside | AROUND.form | AROUND.hidden | AROUND.consent

/** Keep code and captions of pictures that stand within what is kept, though they are no running text. Returns their elements. */
export function keepIllustrations({ places }: Blocks, kept: Uint8Array): ElementNode[] {
  const before = kept.slice()
  const found = places.filter((place) => isIllustration(place, before))
  for (const { first, end } of found) kept.fill(1, first, end)
  return found.map(({ node }) => node)
}

function isIllustration({ node, around, first, end }: BlockPlace, kept: Uint8Array): boolean {
  const isCode = node.name === 'pre'
  if ((!isCode && node.name !== 'figcaption') || (around & ELSEWHERE) !== 0 || first === end) return false
  if (kept.subarray(first, end).includes(1)) return false
  const isBefore = kept.subarray(Math.max(0, first - (isCode ? BEFORE_CODE : 1)), first).includes(1)
  const isBehind = kept[end] === 1
  return isCode && (around & AROUND.kept) === 0 ? isBefore && isBehind : isBefore || isBehind
}
