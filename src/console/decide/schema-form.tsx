import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import type { PendingInput } from '../../domain/session-input.ts'
import type { Pending } from '../../domain/pending.ts'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { texts } from '../language.ts'

interface Props {
  pending: Pending
  form: Record<string, unknown>
  isBusy: boolean
  onDecide: (decision: PendingInput) => Promise<boolean>
}

/** A thing that a form asks for. `kind`: how it is typed in; anything that is no plain value is JSON. */
interface Field {
  name: string
  label: string
  hint: string
  kind: 'text' | 'number' | 'check' | 'choice' | 'json'
  options: string[]
  isRequired: boolean
}

/** A question that is answered by a form: a field for each property of its schema, filled in with the default. What is still to be filled in is
 *  said at its field; whether the answer fits is the server's word, shown where it is sent. */
export function SchemaForm({ pending, form, isBusy, onDecide }: Props) {
  const t = texts().decide
  const fields = fieldsOf(form)
  const written = useSignal<Record<string, string>>(startOf(fields, pending.default))
  const problems = useSignal<Readonly<Record<string, string>>>({})
  const room = useRef<HTMLFormElement>(null)
  const set = (name: string, value: string) => {
    written.value = { ...written.value, [name]: value }
    const { [name]: _, ...others } = problems.value
    problems.value = others
  }
  const answer = () => {
    problems.value = wrongIn(fields, written.value)
    if (Object.keys(problems.value).length === 0)
      return void onDecide({ decision: 'answer', answer: JSON.stringify(answerOf(fields, written.value)) })
    requestAnimationFrame(() => room.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  return (
    <form
      ref={room}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        answer()
      }}
    >
      <p class="question">{withHiddenShown(pending.question ?? '')}</p>
      <div class="fields">
        {fields.map((field) => (
          <FieldRow
            key={field.name}
            field={field}
            value={written.value[field.name] ?? ''}
            problem={problems.value[field.name]}
            onSet={set}
          />
        ))}
      </div>
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.answer}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void onDecide({ decision: 'reject' })}>
          {t.notAnswered}
        </button>
      </div>
    </form>
  )
}

interface RowProps {
  field: Field
  value: string
  /** What is wrong with it; undefined: nothing is known to be. */
  problem: string | undefined
  onSet: (name: string, value: string) => void
}

function FieldRow({ field, value, problem, onSet }: RowProps) {
  const { name, label, hint, kind, options, isRequired } = field
  const id = useId()
  const shown = withHiddenShown(isRequired ? `${label} *` : label)
  const title = withHiddenShown(hint)
  if (kind === 'check')
    return (
      <label class="check" title={title}>
        <input
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onSet(name, String(event.currentTarget.checked))}
        />
        {shown}
      </label>
    )
  const marks = {
    value,
    'aria-required': isRequired ? ('true' as const) : undefined,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': problem === undefined ? undefined : id,
    onInput: (event: { currentTarget: { value: string } }) => onSet(name, event.currentTarget.value),
  }
  return (
    <div class={problem === undefined ? 'field' : 'field wrong'}>
      <label>
        {shown}
        {kind === 'choice' ? (
          <select {...marks} title={title}>
            <option value="" />
            {options.map((option) => (
              <option key={option} value={option}>
                {withHiddenShown(option)}
              </option>
            ))}
          </select>
        ) : kind === 'json' ? (
          <textarea {...marks} class="mono" rows={2} spellcheck={false} placeholder="JSON" title={title} />
        ) : (
          <input {...marks} inputMode={kind === 'number' ? 'decimal' : 'text'} placeholder={title} />
        )}
      </label>
      {problem === undefined ? null : (
        <p class="field-problem" id={id} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** What is wrong before anything is sent, by the name of the field. A box that is not ticked says no. */
function wrongIn(fields: readonly Field[], written: Record<string, string>): Record<string, string> {
  const { needed, badValue } = texts().decide
  const told = fields.flatMap(({ name, kind, isRequired }) => {
    const text = (written[name] ?? '').trim()
    if (isRequired && kind !== 'check' && text === '') return [[name, needed]]
    return kind === 'json' && !isJson(text) ? [[name, badValue]] : []
  })
  return Object.fromEntries(told)
}

const isJson = (text: string) => text === '' || parseJson(text) !== undefined

function fieldsOf({ properties, required }: Record<string, unknown>): Field[] {
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { type, title, description, enum: values } = isObject(schema) ? schema : {}
    const isChoice = Array.isArray(values) && values.every((value) => typeof value === 'string')
    const kinds: Record<string, Field['kind']> = {
      string: 'text',
      number: 'number',
      integer: 'number',
      boolean: 'check',
    }
    return {
      name,
      label: typeof title === 'string' ? title : name,
      hint: typeof description === 'string' ? description : '',
      kind: isChoice ? 'choice' : (kinds[String(type)] ?? 'json'),
      options: isChoice ? values : [],
      isRequired: needed.has(name),
    }
  })
}

function startOf(fields: readonly Field[], given: unknown): Record<string, string> {
  const values = isObject(given) ? given : {}
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const value = values[name]
      if (value === undefined) return []
      return [[name, typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value)]]
    }),
  )
}

/** What was typed in; a field left empty is left out, but a box that is not ticked says no. */
function answerOf(fields: readonly Field[], written: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired }) => {
      const text = written[name] ?? ''
      if (kind === 'check') return text === '' && !isRequired ? [] : [[name, text === 'true']]
      if (text === '') return []
      return [[name, kind === 'number' ? numberOf(text) : kind === 'json' ? parseJson(text) : text]]
    }),
  )
}

/** What is no number stays as it was typed: the server says what is wrong with it. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}
