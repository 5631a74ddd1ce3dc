import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useEffect } from 'preact/hooks'

interface Props {
  /** Such as a signal. */
  value: { value: string }
  label: string
  placeholder?: string
  rows?: number
  onSend?: (() => void) | undefined
  mono?: boolean
  room?: RefObject<HTMLTextAreaElement | null>
}

/** On a screen that is touched there is no Shift+Enter: Enter breaks the line, and a button sends. */
export const isTouched = matchMedia('(hover: none) and (pointer: coarse)').matches

/** What Safari says of the Enter that ends the work of an input method, after it has said that the work is over. */
const INPUT_METHOD_CODE = 229

/** A text field that grows with its text. Enter sends, where there is a keyboard and something to send it with;
 *  not while an input method is at work. */
export function GrowingText({ value, label, placeholder, rows = 1, onSend, mono = false, room }: Props) {
  const own = useRef<HTMLTextAreaElement>(null)
  const field = room ?? own
  const text = value.value
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || isTouched || !onSend) return
    if (event.keyCode === INPUT_METHOD_CODE) return
    event.preventDefault()
    onSend()
  }
  return (
    <textarea
      ref={field}
      dir="auto"
      class={mono ? 'growing mono' : 'growing'}
      rows={rows}
      aria-label={label}
      placeholder={placeholder}
      spellcheck={!mono}
      value={text}
      onInput={(event) => (value.value = event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  )
}

const PREFIX = 'yaa.draft.'
const keyOf = (name: string) => `${PREFIX}${name}`

/** Whether something that was written waits to be sent. */
export const hasDrafts = (): boolean => keysOfDrafts().some((key) => !OF_CHOICES.test(key))
/** Drafts that nobody wrote. */
const OF_CHOICES = /\.(options|to)$/

const keysOfDrafts = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))

/** Nothing that was written is kept any more. Who shows a draft has to be gone: it would keep it again. */
export function forgetDrafts(): void {
  for (const key of keysOfDrafts()) localStorage.removeItem(key)
}

interface Draft {
  text: Signal<string>
  /** Takes away what was sent, also when nobody looks at it any more; what was typed meanwhile stays. */
  sent: (text: string) => void
}

/** A text that outlives the page until it is sent. `initial` is its text before anything is typed; `kept` gives the part that is stored. */
export function useDraft(name: string, initial = '', kept: (text: string) => string = (text) => text): Draft {
  const stored = localStorage.getItem(keyOf(name))
  const text = useSignal(stored ?? initial)
  const own = useRef(stored)
  const keep = (value: string) => keepDraft(keyOf(name), own, kept(value), kept(initial))
  useEffect(() => text.subscribe(keep), [name])
  const sent = (taken: string) => {
    const rest = text.value.trimStart()
    const gone = taken.trimStart()
    text.value = rest.startsWith(gone) ? rest.slice(gone.length).trimStart() : rest
    keep(text.value)
  }
  return { text, sent }
}

/** `own`: what was stored from here. What another tab has written since is left to it. */
function keepDraft(key: string, own: { current: string | null }, text: string, initial: string): void {
  if (text !== '' && text !== initial) localStorage.setItem(key, (own.current = text))
  else if (localStorage.getItem(key) === own.current) localStorage.removeItem(key)
}
