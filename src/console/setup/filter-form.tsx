import { useSignal } from '@preact/signals'
import { texts } from '../language.ts'
import { fieldText } from './facts.tsx'

interface Props {
  fields: readonly string[]
  onFilter: (wanted: Record<string, string>) => void
}

/** Which entries are looked for, by the values of fields. */
export function FilterForm({ fields, onFilter }: Props) {
  const wanted = useSignal<Record<string, string>>({})
  return (
    <form
      class="acts"
      onSubmit={(event) => {
        event.preventDefault()
        onFilter(Object.fromEntries(Object.entries(wanted.value).filter(([, value]) => value !== '')))
      }}
    >
      {fields.map((field) => (
        <input
          key={field}
          aria-label={fieldText(field)}
          placeholder={fieldText(field)}
          value={wanted.value[field] ?? ''}
          onInput={(event) => (wanted.value = { ...wanted.value, [field]: event.currentTarget.value.trim() })}
        />
      ))}
      <button type="submit">{texts().setup.filter}</button>
    </form>
  )
}
