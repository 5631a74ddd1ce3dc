// Where one goes on when what had the focus is gone: an opened form has it in its first field; who leaves it is back at the button that
// opened it; what was saved, or had back, has it as a row; of what was deleted the next row has it, or else what makes a new one. What is
// switched off while an act runs has it again after the act.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Marks a row, for the focus to find. */
export const rowOf = (name: string) => ({ 'data-row': name, tabIndex: -1 })
/** Marks the button that opens a form. */
export const openerOf = (name: string) => ({ 'data-opens': name })

/** Where a place is found: an element, or an attribute with its value. */
type Place = HTMLElement | null | { row: string } | { opener: string }

/** What waits for the next frame, by which the page shows what it is about to. `isLast`: only where the focus is lost by then. */
let wish: { places: readonly Place[]; isLast: boolean } | null = null

/** Goes on at the first of these places that is there, once the page shows what it is about to. */
export function goOnAt(...places: readonly Place[]): void {
  wishFor([...places, ...(wish?.places ?? [])], false)
}

/** The same where the focus is lost by then, and was not meant to go elsewhere. */
export function goOnIfLost(...places: readonly Place[]): void {
  wishFor([...(wish?.places ?? []), ...places], wish?.isLast ?? true)
}

function wishFor(places: readonly Place[], isLast: boolean): void {
  if (wish === null) requestAnimationFrame(goThere)
  wish = { places, isLast }
}

function goThere(): void {
  const { places = [], isLast = true } = wish ?? {}
  wish = null
  const { activeElement: now } = document
  if (isLast && now !== null && now !== document.body && !now.matches(':disabled')) return
  for (const place of places) {
    const found = foundAt(place)
    found?.focus()
    if (found && found === document.activeElement) return
  }
}

function foundAt(place: Place): HTMLElement | null {
  if (place === null || place instanceof HTMLElement) return place
  const [name, value] = 'row' in place ? ['row', place.row] : ['opens', place.opener]
  return document.querySelector<HTMLElement>(`[data-${name}="${CSS.escape(value)}"]`)
}

/** Keeps in mind who has the focus while something is done; the answer gives it back where it was lost, or else to the row around. */
export function heldFocus(): () => void {
  const { activeElement: held } = document
  if (!(held instanceof HTMLElement) || held === document.body) return () => {}
  const row = held.closest<HTMLElement>('[data-row]')
  return () => goOnIfLost(held, row)
}

/** The rows beside one that is going, the next first; asked before it goes. */
export function besideRow(name: string): Place[] {
  const row = foundAt({ row: name })
  const rows = [...(row?.parentElement?.children ?? [])].flatMap((one) =>
    one instanceof HTMLElement && one.dataset['row'] !== undefined ? [one] : [],
  )
  const at = rows.findIndex((one) => one === row)
  return [rows[at + 1], rows[at - 1]].map((one) => ({ row: one?.dataset['row'] ?? '' }))
}

const FIELDS = ':is(input:not([type=file]), select, textarea):enabled'

interface Props {
  /** Of the button that opened it. */
  name: string
  /** Esc leaves it where nothing that was typed would be lost. */
  onLeave?: () => void
  children: ComponentChildren
}

/** A form that was opened: its first field has the focus, also where its script comes later. */
export function OpenedForm({ name, onLeave, children }: Props) {
  const room = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const enter = () => {
      const field = room.current?.querySelector<HTMLElement>(FIELDS)
      if (!field) return
      watch.disconnect()
      field.focus()
    }
    const watch = new MutationObserver(enter)
    if (room.current) watch.observe(room.current, { childList: true, subtree: true })
    enter()
    return () => {
      watch.disconnect()
      goOnIfLost({ opener: name })
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !onLeave) return
    event.preventDefault()
    onLeave()
  }
  return (
    <div ref={room} onKeyDown={onKeyDown}>
      {children}
    </div>
  )
}
