import type { Signal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { texts } from '../language.ts'
import { type Attached, AttachButton, AttachedList, DropRoom, pastedFiles } from './attaching.tsx'
import { GrowingText, isTouched } from './growing-text.tsx'
import { ProblemLine } from './problem.tsx'

interface Props {
  text: Signal<string>
  attached: Attached
  field: RefObject<HTMLTextAreaElement | null>
  rows?: number
  label: string
  placeholder: string
  onSend: () => void
  /** How it is done: chips. */
  chips?: ComponentChildren
  /** What sends it, and the like. */
  acts: ComponentChildren
}

/** Where one writes to a model: words, what goes along with them, how it is done. */
export function ComposeRoom({ text, attached, field, rows = 1, label, placeholder, onSend, chips, acts }: Props) {
  /** One goes on with words for them, or sends them by Enter. */
  const add = (files: readonly File[]) => {
    attached.add(files)
    if (!isTouched) field.current?.focus()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    add(files)
  }
  return (
    <>
      <DropRoom onFiles={add} />
      <ProblemLine text={attached.refused.value} />
      <div class="composer-room" onPaste={onPaste}>
        <AttachedList attached={attached} />
        <GrowingText value={text} room={field} rows={rows} label={label} placeholder={placeholder} onSend={onSend} />
        <div class="composer-foot">
          <AttachButton label={texts().attach.label} onFiles={add} />
          <div class="composer-chips">{chips}</div>
          <div class="composer-acts">{acts}</div>
        </div>
      </div>
    </>
  )
}

interface ChipProps {
  label: string
  /** What is chosen; empty: nothing. */
  value: string
  /** What choosing nothing means. */
  none?: string
  /** Values with what they are called. */
  options: readonly (readonly [value: string, text: string])[]
  onChoose: (value: string) => void
}

/** A choice of few words. */
export function Chip({ label, value, none, options, onChoose }: ChipProps) {
  const isKnown = value === '' || options.some(([name]) => name === value)
  return (
    <select
      class="chip-choice"
      data-chosen={value !== '' && none !== undefined}
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {none === undefined ? null : <option value="">{none}</option>}
      {isKnown ? null : <option>{value}</option>}
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  )
}
