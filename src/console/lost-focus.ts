import { useEffect, useRef } from 'preact/hooks'
import { isTouched } from './ui/growing-text.tsx'

/** Whoever typed a letter so lately may be about to type. */
const TYPING_MS = 2_000
/** What takes the place of what is gone may have to be loaded first. */
const AWAITED_MS = 5_000
const TAKES_FOCUS = 'a[href], button, input, select, textarea, summary, [tabindex]'
/** Where a question is answered. */
const ANSWER = '[data-asks] :is(input, select, textarea)'

const WRITING = isTouched ? ['.long-list-room', 'main h1'] : ['.composer textarea', '.new-task textarea', 'main h1']

/** Where one goes on when what had the focus is gone: the first of these that are there, by the place where it was. */
const PLACES: readonly (readonly [within: string, places: readonly string[]])[] = [
  ['.sessions', ['.select-bar input', '.group button']],
  ['.session-header h1', ['.session-header .title']],
  // The next that waits; on its buttons, an Enter that is held would decide it, too.
  ['.foot, .inbox', [...(isTouched ? [] : [ANSWER]), '.pending', ...WRITING]],
  ['body', WRITING],
]

let typedAt = 0
/** What had the focus last, with what it stands in; null: somebody left it for nothing. */
let last: { element: HTMLElement; rooms: Element[] } | null = null
let goneAt = 0
let isDue = false

/** Keeps the focus from getting lost: what had it may be taken away, folded or disabled by what it did, and who has only keys would begin at the
 *  top of the page. It goes where one goes on, unless it is elsewhere by then. */
export function watchFocus(): void {
  document.addEventListener('focusin', ({ target }) => note(target))
  // Safari gives no focus to a button that is clicked.
  document.addEventListener('click', ({ target }) => note(target), { capture: true })
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Element && target.closest(TAKES_FOCUS) === null) last = null
  })
  document.addEventListener('keydown', ({ key }) => (typedAt = key.length === 1 ? Date.now() : typedAt), {
    capture: true,
  })
  const changes = { subtree: true, childList: true, attributeFilter: ['disabled', 'open'] }
  new MutationObserver(lookSoon).observe(document.body, changes)
}

function note(target: EventTarget | null): void {
  const element = target instanceof Element ? target.closest<HTMLElement>(TAKES_FOCUS) : null
  if (element === null) return
  const rooms: Element[] = []
  for (let room = element.parentElement; room !== null; room = room.parentElement) rooms.push(room)
  last = { element, rooms }
  goneAt = 0
}

/** After all that comes with the change, and what was hidden or disabled by it has lost the focus. */
function lookSoon(): void {
  if (isDue || last === null) return
  isDue = true
  requestAnimationFrame(() =>
    setTimeout(() => {
      isDue = false
      if (document.activeElement === document.body && last !== null) restore(last)
    }),
  )
}

function restore({ element, rooms }: NonNullable<typeof last>): void {
  if (element.isConnected && element.checkVisibility()) {
    if (!element.matches(':disabled')) element.focus({ preventScroll: true })
    return
  }
  if (goneAt === 0) goneAt = Date.now()
  if (Date.now() - goneAt > AWAITED_MS) last = null
  else placeAfter(element, rooms)?.focus({ preventScroll: true })
}

/** Where one goes on; null: it is not there yet. */
function placeAfter(element: HTMLElement, rooms: readonly Element[]): HTMLElement | null {
  if (element.isConnected) return element.closest('details:not([open])')?.querySelector('summary') ?? null
  const room = rooms.find((one) => one.isConnected) ?? document.body
  // Who leaves a form of a card is still at that card: its letters are to be about nothing else.
  const card = room.closest<HTMLElement>('.pending')
  if (card) return card
  const [, places = []] = PLACES.find(([within]) => room.closest(within) !== null) ?? []
  for (const selector of places) {
    const place = document.querySelector<HTMLElement>(selector)
    if (place === null) continue
    if (!place.matches(TAKES_FOCUS)) place.tabIndex = -1
    return place
  }
  return null
}

/** Neither a field nor a button: the page, or its main part, where one begins who came by keys. */
export const isNothing = (element: unknown) => element === document.body || element === document.getElementById('main')

/** What begins to ask has the focus where it is answered: on Approve, or in the field; unless somebody types or is elsewhere. Of several that
 *  begin at once, the first. */
export function useAskedFocus(ids: readonly string[]): void {
  const known = useRef<readonly string[]>([])
  useEffect(() => {
    const id = ids.find((one) => !known.current.includes(one))
    known.current = ids
    const here = document.activeElement
    const isFree = isNothing(here) || (here instanceof HTMLTextAreaElement && here.value === '')
    if (id === undefined || isTouched || !isFree || Date.now() - typedAt < TYPING_MS) return
    const card = document.querySelector(`[data-pending="${id}"]`)
    card?.querySelector<HTMLElement>(card.matches('[data-asks]') ? ANSWER : '.acts .primary')?.focus()
  }, [ids.join(' ')])
}
