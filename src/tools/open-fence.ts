import { FenceState } from '../lib/markdown-fence.ts'

/** What a code fence that a cut runs through needs, so that both sides of it are whole. */
export interface OpenFence {
  closing: string
  opening: string
}

const OPENING_CHARS_MAX = 24

/** The fence that is open before each place of a text; null: none. Places are in ascending order. Linear in the length of the text. */
export function fencesAt(text: string, places: readonly number[]): (OpenFence | null)[] {
  const found: (OpenFence | null)[] = []
  if (!/```|~~~/.test(text)) return places.map(() => null)
  const state = new FenceState(text)
  let open: OpenFence | null = null
  for (let start = 0; start <= text.length && found.length < places.length;) {
    while ((places[found.length] ?? Infinity) <= start) found.push(open)
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    while ((places[found.length] ?? Infinity) < end) found.push(open)
    state.enter(start, end)
    open = state.closing === null ? null : (open ?? openFence(text.slice(start, end), state.closing))
    start = end + 1
  }
  return places.map((_, index) => found[index] ?? null)
}

/** Within the quote or the item that the fence is in. */
function openFence(line: string, closing: string): OpenFence {
  const at = line.indexOf(closing)
  const around = line.slice(0, Math.max(0, at)).replace(/[^\s>]/g, ' ')
  const opening = around + line.slice(Math.max(0, at))
  return { closing: around + closing, opening: opening.length > OPENING_CHARS_MAX ? around + closing : opening }
}
