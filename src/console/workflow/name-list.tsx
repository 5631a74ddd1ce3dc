import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import type { TypedIn } from './value-text.tsx'
import { workflowTexts } from './texts.ts'

interface Props extends TypedIn {
  values: readonly string[]
  /** What there is to choose from; others may be typed. */
  options?: readonly string[]
  onSet: (values: string[]) => void
}

/** A list of words: each is taken away by its button, and one more is typed or chosen. */
export function NameList({ values, options = [], onSet, ...field }: Props) {
  const t = workflowTexts()
  const list = useId()
  const typed = useSignal('')
  const room = useRef<HTMLInputElement>(null)
  const add = () => {
    const name = typed.value.trim()
    typed.value = ''
    if (name !== '' && !values.includes(name)) onSet([...values, name])
  }
  return (
    <div class="names">
      {values.map((name, index) => (
        <button
          key={`${index} ${name}`}
          type="button"
          class="name"
          title={t.takeAway(name)}
          aria-label={t.takeAway(name)}
          onClick={() => {
            onSet(values.filter((_, at) => at !== index))
            room.current?.focus()
          }}
        >
          <code>{name}</code> <span aria-hidden="true">×</span>
        </button>
      ))}
      <input
        {...field}
        ref={room}
        list={options.length === 0 ? undefined : list}
        autocomplete="off"
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onChange={add}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing || typed.value.trim() === '') return
          event.preventDefault()
          add()
        }}
      />
      {options.length === 0 ? null : (
        <datalist id={list}>
          {options
            .filter((one) => !values.includes(one))
            .map((one) => (
              <option key={one} value={one} />
            ))}
        </datalist>
      )}
    </div>
  )
}
