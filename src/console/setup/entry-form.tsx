import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type Field, keptEntry, MINUTE_MS, type NamedKind, withStored } from '../setup-parts/parts.ts'
import { jsonObject, memberOf } from '../../lib/json.ts'
import { client } from '../api.ts'
import { numberText, secondsText, viewTexts, texts } from '../language.ts'
import { useDraft, GrowingText } from '../ui/growing-text.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { heldFocus } from '../ui/form-focus.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { goToWrong } from '../forms/form.tsx'
import { describedOf, FieldTold, placeOfField } from '../forms/frame.tsx'
import { TimeField } from '../forms/inputs.tsx'
import { type FormRefusal, formRefusal, NO_REFUSAL } from '../forms/refusal.ts'
import { formTexts } from '../forms/texts.ts'
import { inputPlaces, intervalBeyond, missingInEntry, placesOf, withoutEmptyWords } from './entry-refusal.ts'
import { fieldText, valueText } from './facts.tsx'
import { HeadersRows } from './headers-rows.tsx'
import { LanguageRow } from './language-row.tsx'
import { NamedChoice } from './named-choice.tsx'
import { WhenRow } from './when-row.tsx'
import { WorkflowRows } from './workflow-rows.tsx'

interface Props {
  /** Of what is being written, which outlives the page under it. */
  name: string
  value: Record<string, unknown>
  /** What has a field of its own; the rest is written as JSON. */
  fields?: readonly Field[] | undefined
  /** Rejects with why it was not taken: then all that was typed stays. */
  onSave: (value: Record<string, unknown>) => Promise<void>
  onCancel: () => void
}

/** An entry by its most common fields and as JSON, which are the same text. What is wrong stands at its field; the first such field is gone to. */
export function EntryForm({ name, value, fields = [], onSave, onCancel }: Props) {
  const room = useRef<HTMLFormElement>(null)
  const refusal = useSignal<FormRefusal>(NO_REFUSAL)
  const isBusy = useSignal(false)
  const isUnfolded = useSignal(false)
  const { text, sent } = useDraft(`setup.${name}`, JSON.stringify(value, null, 2), keptEntry)
  useLayoutEffect(() => void (text.value = withStored(text.value, value)), [])
  const parsed = jsonObject(text.value)
  const change = (changes: Record<string, unknown>) => {
    const given = Object.entries({ ...parsed, ...changes }).filter(([, part]) => part !== undefined)
    text.value = JSON.stringify(Object.fromEntries(given), null, 2)
    const told = Object.entries(refusal.value.fields).filter(([field]) => !((field.split('.')[0] ?? '') in changes))
    refusal.value = { ...refusal.value, fields: Object.fromEntries(told) }
  }
  const leave = () => {
    sent(text.value)
    onCancel()
  }
  const save = async () => {
    if (isBusy.value || parsed === null) return
    const missing = missingInEntry(fields, parsed).map((field) => [field, formTexts().needed])
    const wrong = { ...wrongInterval(fields, parsed), ...Object.fromEntries(missing) }
    refusal.value = { fields: wrong, rest: null }
    if (Object.keys(wrong).length === 0) {
      const giveBack = heldFocus()
      isBusy.value = true
      try {
        await onSave(withoutEmptyWords(fields, parsed))
        return sent(text.value)
      } catch (error) {
        refusal.value = formRefusal(error, [...placesOf(fields), ...inputPlaces(fields, error)])
      } finally {
        isBusy.value = false
        giveBack()
      }
    }
    requestAnimationFrame(() => goToWrong(room.current))
  }
  const { fields: told, rest } = refusal.value
  const json = <GrowingText value={text} label={viewTexts().setup.json} rows={6} mono />
  return (
    <form
      ref={room}
      class="form card"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {parsed === null || fields.length === 0 ? null : (
        <div class="fields">
          {fields.map((field) => (
            <FieldRow key={field.name} field={field} entry={parsed} problems={told} onChange={change} />
          ))}
        </div>
      )}
      {fields.length === 0 ? (
        json
      ) : (
        // It is open while one writes in it, whatever stands there meanwhile.
        <details
          class="advanced"
          open={isUnfolded.value || parsed === null}
          onToggle={(event) => (isUnfolded.value = event.currentTarget.open)}
        >
          <summary>{viewTexts().words.advanced}</summary>
          {json}
        </details>
      )}
      {parsed ? null : (
        <p class="problem" role="status">
          {texts().decide.badJson}
        </p>
      )}
      <ProblemLine text={rest ?? (Object.keys(told).length > 0 ? formTexts().check : null)} />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy.value || parsed === null}>
          {texts().save}
        </button>
        <button type="button" disabled={isBusy.value} onClick={leave}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}

/** An interval that the server does not offer, by its field. Of a minute the least would be a fraction that nobody reads. */
function wrongInterval(fields: readonly Field[], entry: Record<string, unknown>): Record<string, string> {
  const { least, most } = intervalBeyond(fields, entry) ?? {}
  if (least !== undefined) return { every_ms: formTexts().atLeast(secondsText(least / 1_000)) }
  return most === undefined ? {} : { every_ms: formTexts().atMost(numberText(most / MINUTE_MS)) }
}

interface FieldProps {
  field: Field
  entry: Record<string, unknown>
  /** What is wrong, by the field. */
  problems: Readonly<Record<string, string>>
  /** `undefined` takes a field away. */
  onChange: (changes: Record<string, unknown>) => void
}

/** One field of an entry, in the way that its values are best given, with what is wrong with it. */
function FieldRow({ field, entry, problems, onChange }: FieldProps) {
  const id = useId()
  const { name, label = name } = field
  const problem = problems[name]
  const called = <span class={field.isNeeded || field.isLasting ? 'needed' : ''}>{fieldText(label)}</span>
  const value = textOf(entry[name])
  const set = (text: string) => onChange({ [name]: text === '' && !field.isNeeded ? undefined : text })
  const onInput = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value)
  const marks = {
    id,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': describedOf({ id, problem }),
    'aria-required': field.isNeeded ? ('true' as const) : undefined,
  }
  /** What is typed in, below what it is called. */
  const row = (input: ComponentChildren, isWide = false) => (
    <div class={placeOfField(isWide, problem)}>
      <label>
        {called}
        {input}
      </label>
      <FieldTold id={id} problem={problem} />
    </div>
  )
  switch (field.kind) {
    case 'when':
      return <WhenRow {...{ entry, problems, onChange }} />
    case 'workflow':
      return <WorkflowRows {...{ entry, problems, onChange }} />
    case 'many':
      return <Many {...{ field, entry, problems, onChange }} />
    case 'named':
      return <NamedRow {...{ field, entry, problems, onChange }} />
    case 'language':
      return <LanguageRow config={entry[name]} problem={problem} onSet={(config) => onChange({ [name]: config })} />
    case 'headers':
      return <HeadersRows {...{ entry, problems, onChange }} />
    case 'one':
      return row(
        <select {...marks} value={value} onChange={onInput}>
          {field.options.map((option) => (
            <option key={option} value={option}>
              {valueText(name, option)}
            </option>
          ))}
        </select>,
      )
    case 'area':
      return row(<textarea {...marks} rows={3} value={value} onInput={onInput} />, true)
    case 'lines':
      return row(
        <textarea
          {...marks}
          rows={3}
          value={linesOf(entry[name]).join('\n')}
          onInput={({ currentTarget }) =>
            onChange({ [name]: currentTarget.value === '' ? undefined : currentTarget.value.split('\n') })
          }
          onBlur={() => {
            const lines = linesOf(entry[name]).filter((line) => line.trim() !== '')
            onChange({ [name]: lines.length === 0 ? undefined : lines })
          }}
        />,
        true,
      )
    case 'time':
      return row(<TimeField {...marks} value={value} onSet={(time) => onChange({ [name]: time })} />)
    case 'flag':
      return (
        <label class="check">
          <input
            type="checkbox"
            checked={entry[name] === true}
            onChange={(event) => onChange({ [name]: event.currentTarget.checked || undefined })}
          />
          {called}
        </label>
      )
    case 'secret':
      return row(<input {...marks} type="password" autocomplete="off" value={value} onInput={onInput} />)
    case 'text':
      return row(<input {...marks} value={value} onInput={onInput} />)
  }
}

const LISTED_MAX = 100

/** The names that there are to choose from. */
const NAMES: Record<NamedKind, () => Promise<{ data: readonly { name: string }[] }>> = {
  skills: () => client.value.skills(),
  teams: () => client.value.teams(),
  connections: () => client.value.connections.list({ limit: LISTED_MAX }),
}

/** One of what there is; beside a workflow, which is its own way, nobody is chosen. */
function NamedRow({ field, entry, problems, onChange }: FieldProps & { field: Extract<Field, { kind: 'named' }> }) {
  const { name, of, label = name } = field
  const problem = problems[name]
  const listed = useLoaded(async () => (await NAMES[of]()).data.map((one) => one.name), [of])
  const given = entry[name]
  // A connection is named within what authorises; a team may stand there as a whole.
  const within = of === 'connections' ? 'connection' : 'name'
  const value = textOf(given) || textOf(memberOf(given, within))
  if (of !== 'connections' && textOf(entry['workflow']) !== '' && value === '') return null
  const set = (one: string) =>
    onChange({ [name]: one === '' ? undefined : of === 'connections' ? { connection: one } : one })
  return <NamedChoice {...{ label, value, problem }} names={listed.value.value ?? []} onSet={set} />
}

function Many({ field, entry, problems, onChange }: FieldProps & { field: Extract<Field, { kind: 'many' }> }) {
  const id = useId()
  const problem = problems[field.name]
  const chosen = entry[field.name]
  const has = (option: string) => Array.isArray(chosen) && chosen.includes(option)
  const toggle = (option: string) =>
    onChange({ [field.name]: field.options.filter((one) => has(one) !== (one === option)) })
  return (
    <fieldset class={placeOfField(true, problem)} aria-describedby={describedOf({ id, problem })}>
      <legend>{fieldText(field.name)}</legend>
      {field.options.map((option) => (
        <label class="check" key={option}>
          <input type="checkbox" checked={has(option)} onChange={() => toggle(option)} />
          {valueText(field.name, option)}
        </label>
      ))}
      <FieldTold id={id} problem={problem} />
    </fieldset>
  )
}

const linesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
