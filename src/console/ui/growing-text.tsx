import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  value: Signal<string>
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
