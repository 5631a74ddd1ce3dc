import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { spokenOf } from './sight.ts'
import { workflowTexts } from './texts.ts'

interface Speaking {
  /** Of the fields. */
  room: RefObject<HTMLDivElement | null>
  onFocusIn: (event: { target: EventTarget | null }) => void
  /** Puts something where one last typed among the fields, or into the first that takes it. */
  speak: (name: string) => void
}

/** Fields with `data-speaks` take values of the run: those of a room, not of rooms within it. */
export function useSpeaking(): Speaking {
  const room = useRef<HTMLDivElement>(null)
  const last = useRef<Element | null>(null)
  const isOwn = (element: Element) => element.closest('.speaking') === room.current
  const speak = (name: string) => {
    const fields = [...(room.current?.querySelectorAll('[data-speaks]') ?? [])].filter(isOwn)
    const field = fields.find((one) => one === last.current) ?? fields[0]
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) insert(field, name)
  }
  const onFocusIn = ({ target }: { target: EventTarget | null }) => {
    if (target instanceof HTMLElement && target.dataset['speaks'] !== undefined && isOwn(target)) last.current = target
  }
  return { room, onFocusIn, speak }
}

function insert(field: HTMLInputElement | HTMLTextAreaElement, name: string): void {
  const { selectionStart, selectionEnd, value } = field
  const text = spokenOf(name, field.dataset['speaks'] === 'template')
  field.focus()
  field.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** What can be spoken of in fields, each as a button that puts it there. */
export function Speakable({ names, onSpeak }: { names: readonly string[]; onSpeak: (name: string) => void }) {
  const t = workflowTexts()
  if (names.length === 0) return null
  return (
    <p class="speakable">
      <span class="hint">{t.canSay}</span>
      {names.map((name) => (
        <button key={name} type="button" title={t.insert(name)} onClick={() => onSpeak(name)}>
          <code>{name}</code>
        </button>
      ))}
    </p>
  )
}
