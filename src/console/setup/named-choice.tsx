import { useId } from 'preact/hooks'
import { describedOf, FieldTold, placeOfField } from '../forms/frame.tsx'
import { fieldText, valueText } from './facts.tsx'

interface Props {
  /** The field that it is called by. */
  label: string
  value: string
  names: readonly string[]
  problem: string | undefined
  title?: string | undefined
  /** Empty: none. */
  onSet: (name: string) => void
}

/** One of what there is by its name, or none; what was chosen stays, though it is there no more. */
export function NamedChoice({ label, value, names, problem, title, onSet }: Props) {
  const id = useId()
  return (
    <div class={placeOfField(false, problem)}>
      <label>
        <span>{fieldText(label)}</span>
        <select
          id={id}
          value={value}
          title={title}
          aria-invalid={problem === undefined ? undefined : 'true'}
          aria-describedby={describedOf({ id, problem })}
          onChange={(event) => onSet(event.currentTarget.value)}
        >
          {[...new Set(['', ...names, value])].map((one) => (
            <option key={one} value={one}>
              {one === '' ? valueText('named', '') : one}
            </option>
          ))}
        </select>
      </label>
      <FieldTold id={id} problem={problem} />
    </div>
  )
}
