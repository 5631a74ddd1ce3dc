import { fieldText, valueText, TimeField } from './facts.tsx'
import type { Field } from './parts.ts'
import { WhenRow } from './when-row.tsx'

interface Props {
  field: Field
  entry: Record<string, unknown>
  /** `undefined` takes a field away. */
  onChange: (changes: Record<string, unknown>) => void
}

/** One field of an entry, in the way that its values are best given. */
export function FieldRow({ field, entry, onChange }: Props) {
  const { name } = field
  const value = textOf(entry[name])
  const set = (text: string) => onChange({ [name]: text === '' && !field.isNeeded ? undefined : text })
  switch (field.kind) {
    case 'when':
      return <WhenRow entry={entry} onChange={onChange} />
    case 'many':
      return <Many {...{ field, entry, onChange }} />
    case 'one':
      return (
        <label>
          {fieldText(name)}
          <select value={value} onChange={(event) => set(event.currentTarget.value)}>
            {field.options.map((option) => (
              <option key={option} value={option}>
                {valueText(name, option)}
              </option>
            ))}
          </select>
        </label>
      )
    case 'area':
      return (
        <label class="wide">
          {fieldText(name)}
          <textarea rows={3} value={value} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      )
    case 'time':
      return (
        <label>
          {fieldText(name)}
          <TimeField value={value} onSet={(time) => onChange({ [name]: time })} />
        </label>
      )
    case 'text':
      return (
        <label>
          {fieldText(name)}
          <input value={value} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      )
  }
}

function Many({ field, entry, onChange }: Props & { field: Extract<Field, { kind: 'many' }> }) {
  const chosen = entry[field.name]
  const has = (option: string) => Array.isArray(chosen) && chosen.includes(option)
  const toggle = (option: string) =>
    onChange({ [field.name]: field.options.filter((one) => has(one) !== (one === option)) })
  return (
    <fieldset class="wide">
      <legend>{fieldText(field.name)}</legend>
      {field.options.map((option) => (
        <label class="check" key={option}>
          <input type="checkbox" checked={has(option)} onChange={() => toggle(option)} />
          {valueText(field.name, option)}
        </label>
      ))}
    </fieldset>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
