import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { askedWho, keyNeeded, refusedKey, takeKey } from './api.ts'
import { texts } from './language.ts'
import { readSessions } from './sessions/session-store.ts'
import { ProblemLine, useAct } from './ui/problem.tsx'

/** A text with what stands in backticks as code. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))

/** Asks for a key where the server wants one. It goes into a header, never into an address. */
export function KeyGate() {
  /** One that was refused is there to be mended. */
  const key = useSignal(refusedKey())
  const keep = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  const mend = () => {
    field.current?.focus()
    field.current?.select()
  }
  useEffect(mend, [])
  const t = texts().key
  const isRefused = keyNeeded.value === 'refused'
  const { isBusy, problem, run } = useAct()
  const open = () =>
    run(async () => {
      const shown = key.value.trim()
      if (shown === '') return
      const told = await askedWho(shown)
      if (told) {
        takeKey(shown, keep.value, told)
        void readSessions()
        return
      }
      keyNeeded.value = 'refused'
      mend()
    })
  return (
    <main class="gate" id="main">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void open()
        }}
      >
        <h1>{t.title}</h1>
        <p class="dim">{withCode(t.text)}</p>
        {isRefused ? (
          <p class="problem" role="alert" id="key-problem">
            {t.wrong}
          </p>
        ) : null}
        <ProblemLine text={problem.value} />
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
        <button type="submit" class="primary" disabled={isBusy.value || key.value.trim() === ''}>
          {t.open}
        </button>
      </form>
    </main>
  )
}
