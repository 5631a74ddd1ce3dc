import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { viewTexts, texts, labelledText } from '../language.ts'
import { copyText } from './copied.ts'
import { goOnAt } from './form-focus.tsx'

const COPIED_MS = 2_000

interface Props {
  text: string
  /** What it is, for who does not see it. */
  what: string
  room?: RefObject<HTMLButtonElement | null>
}

/** Copies a text, and says so. */
export function CopyTextButton({ text, what, room }: Props) {
  const t = texts()
  const isCopied = useSignal(false)
  const copy = async () => {
    await copyText(text)
    isCopied.value = true
    setTimeout(() => (isCopied.value = false), COPIED_MS)
  }
  return (
    <button
      type="button"
      ref={room ?? null}
      aria-label={labelledText(isCopied.value ? t.copied : t.copy, what)}
      onClick={() => void copy()}
    >
      {isCopied.value ? t.copied : t.copy}
    </button>
  )
}

/** A secret that is in no later answer: who made it goes on with copying it. */
export function NewSecret({ secret, what }: { secret: string; what: string }) {
  const place = useRef<HTMLParagraphElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => goOnAt(button.current ?? place.current), [secret])
  return (
    <p class="secret" role="status" tabIndex={-1} ref={place}>
      {viewTexts().setup.secret} <code>{secret}</code> <CopyTextButton text={secret} what={what} room={button} />
    </p>
  )
}
