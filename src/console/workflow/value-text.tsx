import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { parseJson } from '../../lib/json.ts'
import { useShownText } from '../forms/input-row.tsx'
import { texts } from '../language.ts'

/** Attributes of what one types a field in with. */
export interface TypedIn {
  id?: string
  'aria-label'?: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: 'true' | undefined
  'aria-required'?: 'true' | undefined
  placeholder?: string | undefined
}

const numberText = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? String(value) : '')

/** What is no number stays a text, so that it is refused and not lost. */
function numberOf(text: string): unknown {
  if (text.trim() === '') return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

interface ValueProps {
  value: unknown
  onSet: (value: unknown) => void
}

export function NumberText({ value, onSet, ...field }: ValueProps & TypedIn) {
  const { text, type } = useShownText(value, numberText, numberOf, onSet)
  return <input {...field} inputMode="decimal" value={text} onInput={(event) => type(event.currentTarget.value)} />
}

const jsonText = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))

interface JsonProps extends ValueProps {
  rows?: number
  /** Whether a value will do; not given: any. */
  fits?: (value: unknown) => boolean
}

/** A value as JSON. What is none is not taken, stays as it is typed, and says so. */
export function JsonText({ value, onSet, rows = 3, fits = () => true, ...field }: JsonProps & TypedIn) {
  const broken = useSignal<string | null>(null)
  const takes = (text: string) => text.trim() === '' || (parseJson(text) !== undefined && fits(parseJson(text)))
  const shown = useShownText(
    value,
    jsonText,
    (text) => (text.trim() === '' ? undefined : parseJson(text)),
    (next) => onSet(next),
  )
  const type = (text: string) => {
    broken.value = takes(text) ? null : text
    if (broken.value === null) shown.type(text)
  }
  return (
    <>
      <textarea
        {...field}
        class="mono growing"
        rows={rows}
        spellcheck={false}
        aria-invalid={broken.value === null ? field['aria-invalid'] : 'true'}
        value={broken.value ?? shown.text}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {broken.value === null ? null : (
        <p class="field-problem broken" role="status">
          {texts().decide.badJson}
        </p>
      )}
    </>
  )
}

/** A text that stands for any value: JSON as what it is, else the text itself, such as a template. */
export function AnyText({ value, onSet, ...field }: ValueProps & TypedIn) {
  const { text, type } = useShownText(
    value,
    (one) => (typeof one === 'string' ? one : jsonText(one)),
    (typed) => parseJson(typed) ?? typed,
    onSet,
  )
  return (
    <textarea
      {...field}
      class="mono growing"
      rows={1}
      spellcheck={false}
      data-speaks="template"
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
    />
  )
}

const UNITS_MS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
type Unit = keyof typeof UNITS_MS
const UNITS = Object.keys(UNITS_MS) as Unit[]

interface DurationProps extends ValueProps {
  unitLabel: string
  units: Readonly<Record<Unit, string>>
}

/** A time in the largest unit of which it is a whole number. */
export function DurationText({ value, onSet, units, unitLabel, ...field }: DurationProps & TypedIn) {
  const chosen = useSignal<Unit | null>(null)
  const fitting = UNITS.findLast((one) => typeof value === 'number' && value > 0 && value % UNITS_MS[one] === 0)
  const unit = chosen.value ?? fitting ?? 'seconds'
  const inUnit = typeof value === 'number' ? value / UNITS_MS[unit] : value
  const toMs = (one: unknown, of: Unit) => (typeof one === 'number' ? Math.round(one * UNITS_MS[of]) : one)
  return (
    <span class="with-unit">
      <NumberText
        {...field}
        value={inUnit}
        onSet={(one) => {
          chosen.value = unit
          onSet(toMs(one, unit))
        }}
      />
      <select
        aria-label={unitLabel}
        value={unit}
        onChange={({ currentTarget }) => {
          const next = UNITS.find((one) => one === currentTarget.value) ?? unit
          chosen.value = next
          onSet(toMs(inUnit, next))
        }}
      >
        {UNITS.map((one) => (
          <option key={one} value={one}>
            {units[one]}
          </option>
        ))}
      </select>
    </span>
  )
}

interface NameProps {
  value: string
  onSet: (name: string) => void
  /** Id of a list of names that there are. */
  list?: string | undefined
  /** Why a name cannot be taken. */
  refused?: (name: string) => string | undefined
}

/** A name, which is taken when it is whole. One that cannot be taken stays as it is typed, and says why. */
export function NameText({ value, onSet, list, refused, ...field }: NameProps & TypedIn) {
  const typed = useSignal<string | null>(null)
  const problem = useSignal<string | undefined>(undefined)
  const id = useId()
  const isWrong = problem.value !== undefined
  const take = () => {
    const name = typed.value?.trim() ?? value
    problem.value = name === value ? undefined : refused?.(name)
    if (problem.value !== undefined) return
    typed.value = null
    if (name !== value) onSet(name)
  }
  return (
    <>
      <input
        {...field}
        class="mono"
        list={list}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={isWrong ? 'true' : field['aria-invalid']}
        aria-describedby={isWrong ? id : field['aria-describedby']}
        value={typed.value ?? value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          problem.value = undefined
        }}
        onChange={take}
      />
      {isWrong ? (
        <p class="field-problem broken" id={id} role="alert">
          {problem}
        </p>
      ) : null}
    </>
  )
}
