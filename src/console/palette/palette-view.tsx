import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { SessionSummary } from '../../domain/session.ts'
import { client } from '../api.ts'
import { viewTexts, switchLanguage, texts } from '../language.ts'
import { notifies, wishNotifications } from '../notifications.ts'
import { goByKeys, sessionAddress } from '../route.ts'
import { listedSessions } from '../sessions/session-store.ts'
import { SETUP_PARTS, setupTitle } from '../setup-parts/titles.ts'
import { SETUP_EN } from '../texts/setup-en.ts'
import { SETUP_ZH } from '../texts/setup-zh-cn.ts'
import { theme, THEMES } from '../theme.ts'
import { closeDialog } from '../ui/dialog.tsx'

const SESSIONS_MAX = 8
const SEARCH_MS = 200
/** The places where tasks are given and decided. */
const FIRST_PLACES = 2

interface Entry {
  key: string
  text: string
  /** What kind of thing it is. */
  kind: string
  /** By which it is found, too. */
  also?: string
  act: () => void
}

interface Props {
  /** Shows which keys there are. */
  onKeys: () => void
}

/** One field that finds sessions, places and acts: arrows choose, Enter does it. */
export function PaletteView({ onKeys }: Props) {
  const t = viewTexts().palette
  const wanted = useSignal('')
  const found = useSignal<readonly SessionSummary[]>([])
  const chosen = useSignal(0)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  useSignalEffect(() => {
    const q = wanted.value.trim()
    if (q === '') {
      found.value = (listedSessions.value ?? []).slice(0, SESSIONS_MAX)
      return
    }
    const timer = setTimeout(() => {
      const page = client.peek().sessions.list({ q, limit: SESSIONS_MAX })
      void page.then(
        ({ data }) => wanted.peek().trim() === q && (found.value = data),
        () => (found.value = []),
      )
    }, SEARCH_MS)
    return () => clearTimeout(timer)
  })
  const sessions = found.value.map(({ id, title }): Entry => {
    const text = title || texts().untitled
    return { key: id, text, kind: t.session, act: () => goByKeys(sessionAddress(id)) }
  })
  const others = acts(onKeys).filter(({ text, also = '' }) => fits(`${text} ${also}`, wanted.value))
  // Before anything is typed, what was done last stands above the many parts of the set-up.
  const above = wanted.value.trim() === '' ? FIRST_PLACES : others.length
  const entries = [...others.slice(0, above), ...sessions, ...others.slice(above)]
  const at = Math.min(chosen.value, entries.length - 1)
  const take = (entry: Entry | undefined) => {
    if (!entry) return
    closeDialog()
    entry.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    if (event.isComposing) return
    event.preventDefault()
    if (step === undefined) take(entries[at])
    else chosen.value = (at + step + entries.length) % Math.max(1, entries.length)
    document.getElementById(`palette-${chosen.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <section class="palette">
      <input
        ref={field}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={at < 0 ? undefined : `palette-${at}`}
        aria-label={texts().palette}
        placeholder={t.placeholder}
        value={wanted.value}
        maxLength={200}
        onInput={(event) => {
          wanted.value = event.currentTarget.value
          chosen.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label={texts().palette}>
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => take(entry)}
            onPointerMove={() => (chosen.value = index)}
          >
            <span class="entry-title">{entry.text}</span>
            <span class="dim">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 ? <p class="empty">{texts().nothingFound}</p> : null}
    </section>
  )
}

/** Each word that is typed stands in it. */
function fits(text: string, wanted: string): boolean {
  const words = wanted.toLowerCase().split(/\s+/)
  return words.every((word) => text.toLowerCase().includes(word))
}

/** A part is found by what it is called in either language, and by its address. */
const namesOf = (part: string) => [part, setupTitle(part, SETUP_EN), setupTitle(part, SETUP_ZH)].join(' ')

function acts(onKeys: () => void): Entry[] {
  const t = texts()
  const { palette } = viewTexts()
  const place = (text: string, address: string, also = ''): Entry => ({
    key: address,
    text,
    also,
    kind: palette.place,
    act: () => goByKeys(address),
  })
  const act = (key: string, text: string, does: () => void): Entry => ({ key, text, kind: palette.act, act: does })
  return [
    place(t.newTask, '#/new'),
    place(t.inbox, '#/inbox'),
    place(t.spend, '#/spend'),
    place(t.connect, '#/connect'),
    place(t.setUp, '#/setup'),
    ...SETUP_PARTS.map((part) => place(`${t.setUp} · ${setupTitle(part) ?? part}`, `#/setup/${part}`, namesOf(part))),
    ...THEMES.filter((one) => one !== theme.value).map((one) => act(one, t.theme[one], () => (theme.value = one))),
    act('language', t.language, () => void switchLanguage()),
    act('notify', notifies.value ? palette.quiet : palette.notify, () => void wishNotifications(!notifies.value)),
    act('keys', t.keys, onKeys),
  ]
}
