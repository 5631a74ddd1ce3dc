import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { keyNeeded, refusedKey, takeKey } from './api.ts'
import { texts } from './language.ts'
import { readSessions } from './sessions/session-store.ts'

/** A text with what stands in backticks as code. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))

/** Asks for a key where the server wants one. It goes into a header, never into an address. */
export function KeyGate() {
  /** One that was refused is there to be mended. */
  const key = useSignal(refusedKey())
  const keep = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const t = texts().key
  const isRefused = keyNeeded.value === 'refused'
  const open = () => {
    if (key.value.trim() === '') return
    takeKey(key.value.trim(), keep.value)
    void readSessions()
  }
  return (
    <main class="gate" id="main">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          open()
        }}
      >
        <h1>{t.title}</h1>
        <p class="dim">{withCode(t.text)}</p>
        {isRefused ? (
          <p class="problem" role="alert" id="key-problem">
            {t.wrong}
          </p>
        ) : null}
        <label>
          {t.label}
          <input
            type="password"
            autocomplete="current-password"
            value={key.value}
            aria-invalid={isRefused ? 'true' : undefined}
            aria-describedby={isRefused ? 'key-problem' : undefined}
            ref={field}
            onInput={(event) => (key.value = event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={keep.value}
            onChange={(event) => (keep.value = event.currentTarget.checked)}
          />
          {t.keep}
        </label>
        <button type="submit" class="primary" disabled={key.value.trim() === ''}>
          {t.open}
        </button>
      </form>
    </main>
  )
}
