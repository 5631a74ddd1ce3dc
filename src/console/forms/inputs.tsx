import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { SECRET_MASK } from '../../lib/text.ts'
import { labelledText } from '../language.ts'
import { type InputField, chosenIn, type Pair, pairsOf, type Typed } from './field.ts'
import { formTexts } from './texts.ts'

interface Props {
  field: InputField
  /** Of the element that is typed in. */
  id: string
  typed: Typed | undefined
  /** Ids of what describes it: its hint, its error. */
  describedBy: string | undefined
  isWrong: boolean
  onType: (typed: Typed) => void
}

/** What one types a field in with. */
export function FieldInput({ field, id, typed, describedBy, isWrong, onType }: Props): JSX.Element {
  const text = typeof typed === 'string' ? typed : ''
  const common = {
    id,
    disabled: field.locked !== undefined,
    'aria-describedby': describedBy,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    'aria-required': field.isNeeded ? ('true' as const) : undefined,
    placeholder: field.placeholder,
  }
  const onInput = (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value)
  switch (field.kind) {
    case 'area':
      return <textarea {...common} rows={3} value={text} onInput={onInput} dir="auto" />
    case 'code':
      return <textarea {...common} class="mono" rows={8} value={text} onInput={onInput} spellcheck={false} />
    case 'lines':
      return <textarea {...common} class="mono" rows={3} value={text} onInput={onInput} spellcheck={false} />
    case 'choice':
      return (
        <select {...common} value={text} onChange={onInput}>
          {field.options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )
    case 'secret':
      return <SecretInput {...common} value={text} onInput={onInput} />
    case 'number':
      return (
        <span class="with-unit">
          <input {...common} inputMode="decimal" value={text} onInput={onInput} />
          {field.unit === undefined ? null : <span class="unit">{field.unit}</span>}
        </span>
      )
    case 'money':
      return <MoneyInput {...common} usual={field.usual} typed={chosenIn(typed)} label={field.label} onType={onType} />
    case 'pairs':
      return <PairsInput typed={pairsOf(typed)} label={field.label} isLocked={common.disabled} onType={onType} />
    default:
      return <input {...common} value={text} onInput={onInput} dir="auto" />
  }
}

interface SecretProps {
  id: string
  disabled: boolean
  value: string
  placeholder?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-invalid'?: 'true' | undefined
  /** Beside it. */
  children?: ComponentChildren
  onInput: (event: { currentTarget: { value: string } }) => void
}

/** Not shown while it is typed, unless one asks. No browser is to fill it in with a password of its own. */
export function SecretInput({ children, ...props }: SecretProps) {
  const t = formTexts()
  const isShown = useSignal(false)
  const field = { ...props, autocomplete: 'new-password', spellcheck: false, class: 'mono' }
  return (
    <span class="with-unit">
      {isShown.value ? <input {...field} type="text" /> : <input {...field} type="password" />}
      <button
        type="button"
        class="quiet"
        aria-pressed={isShown.value}
        disabled={props.disabled}
        onClick={() => (isShown.value = !isShown.value)}
      >
        {isShown.value ? t.hideSecret : t.showSecret}
      </button>
      {children}
    </span>
  )
}

export const CURRENCIES = ['CNY', 'USD', 'EUR'] as const

interface MoneyProps {
  usual: string | undefined
  id: string
  disabled: boolean
  placeholder?: string | undefined
  typed: readonly string[]
  label: string
  onType: (typed: string[]) => void
}

function MoneyInput({ typed: [amount = '', currency = ''], usual = CURRENCIES[0], ...more }: MoneyProps) {
  const { label, onType, placeholder, ...common } = more
  const t = formTexts()
  const unit = currency || usual
  const options = [...new Set([unit, ...CURRENCIES])]
  return (
    <span class="with-unit">
      <input
        {...common}
        inputMode="decimal"
        value={amount}
        placeholder={placeholder}
        onInput={(event) => onType([event.currentTarget.value, unit])}
      />
      <select
        aria-label={labelledText(label, t.currency)}
        disabled={common.disabled}
        value={unit}
        onChange={(event) => onType([amount, event.currentTarget.value])}
      >
        {options.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </span>
  )
}

interface PairsProps {
  typed: readonly Pair[]
  label: string
  isLocked: boolean
  onType: (typed: Pair[]) => void
}

/** Names with values; a value that is kept is masked, and stays unless another is typed. */
export function PairsInput({ typed, label, isLocked, onType }: PairsProps) {
  const t = formTexts()
  const kept = useRef(new Set(typed.flatMap(({ name, value }) => (value === SECRET_MASK ? [name] : []))))
  const change = (index: number, changes: Partial<Pair>) =>
    onType(typed.map((pair, at) => (at === index ? { ...pair, ...changes } : pair)))
  // What is stored is so under its own name alone.
  const valueUnder = (name: string, value: string) =>
    kept.current.has(name) ? value || SECRET_MASK : value === SECRET_MASK ? '' : value
  return (
    <div class="pairs">
      {typed.map(({ name, value }, index) => (
        <div class="pair" key={index}>
          <input
            aria-label={labelledText(`${label} ${index + 1}`, t.name)}
            placeholder={t.name}
            value={name}
            spellcheck={false}
            onInput={({ currentTarget: { value: next } }) =>
              change(index, { name: next, value: valueUnder(next, value) })
            }
          />
          <input
            aria-label={labelledText(`${label} ${index + 1}`, t.value)}
            type="password"
            autocomplete="new-password"
            placeholder={value === SECRET_MASK ? t.kept : t.value}
            value={value === SECRET_MASK ? '' : value}
            onInput={({ currentTarget }) => change(index, { value: valueUnder(name, currentTarget.value) })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={labelledText(t.remove, String(name || index + 1))}
            onClick={() => onType(typed.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" disabled={isLocked} onClick={() => onType([...typed, { name: '', value: '' }])}>
        {t.add}
      </button>
    </div>
  )
}

const MINUTE_MS = 60_000

interface TimeProps {
  value: string
  onSet: (time: string | undefined) => void
  id?: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: 'true' | undefined
}

/** A time in the zone of who writes; the server is given it as RFC 3339. */
export function TimeField({ value, onSet, ...field }: TimeProps) {
  const time = Date.parse(value)
  const local = (date: Date) =>
    new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
  return (
    <input
      {...field}
      type="datetime-local"
      value={Number.isNaN(time) ? '' : local(new Date(time))}
      onChange={({ currentTarget }) =>
        onSet(currentTarget.value === '' ? undefined : new Date(currentTarget.value).toISOString())
      }
    />
  )
}
