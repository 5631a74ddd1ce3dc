import { texts } from './language.ts'
import { goByKeys } from './route.ts'
import { closeDialog, showDialog, shownDialog } from './ui/dialog.tsx'

/** Two keys are one wish when the second comes so soon. */
const PAIR_MS = 1_200
/** Where `g` and a letter lead. */
const PLACES: Readonly<Record<string, string>> = {
  i: '#/inbox',
  n: '#/new',
  s: '#/setup',
  u: '#/spend',
  c: '#/connect',
}

let beganAt = 0

/** Hears the keys that count wherever one is; while something is typed, Ctrl-K alone. */
export function watchKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const isCommand = event.ctrlKey || event.metaKey
    const act =
      isCommand && event.key.toLowerCase() === 'k' ? showPalette : isCommand || event.altKey ? null : actOf(event)
    if (act === null) return
    event.preventDefault()
    act()
  })
}

function actOf({ key, target }: KeyboardEvent): (() => void) | null {
  const isTyped = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
  if (isTyped || shownDialog() !== null) return null
  const isPair = Date.now() - beganAt < PAIR_MS
  beganAt = key === 'g' ? Date.now() : 0
  if (isPair && PLACES[key] !== undefined) return () => goByKeys(PLACES[key] ?? '#/')
  if (key === '/') return searchSessions
  return key === '?' ? showKeys : null
}

function searchSessions(): void {
  const field = document.querySelector<HTMLInputElement>('.sessions [type=search]')
  if (field?.checkVisibility()) field.focus()
  else showPalette()
}

/** Sessions, places and acts, found by what one types. */
export function showPalette(): void {
  if (shownDialog() === 'palette') return closeDialog()
  const load = async () => (await import('./palette/palette-view.tsx')).PaletteView
  showDialog({ name: 'palette', label: texts().palette }, load, { onKeys: showKeys })
}

function showKeys(): void {
  const load = async () => (await import('./palette/keys-view.tsx')).KeysView
  showDialog({ name: 'keys', label: texts().keys }, load, {})
}
