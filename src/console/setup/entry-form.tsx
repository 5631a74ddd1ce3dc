import { type Field, keptEntry, type NamedKind } from './parts.ts'
import { jsonObject, memberOf } from '../../lib/json.ts'
import { client } from '../api.ts'
import { viewTexts, texts } from '../language.ts'
import { useDraft, GrowingText } from '../ui/growing-text.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { TimeField } from '../forms/inputs.tsx'
import { fieldText, valueText } from './facts.tsx'
import { WhenRow } from './when-row.tsx'
import { WorkflowRows } from './workflow-rows.tsx'

interface Props {
  /** Of what is being written, which outlives the page under it. */
  name: string
  value: Record<string, unknown>
  /** What has a field of its own; the rest is written as JSON. */
  fields?: readonly Field[] | undefined
  isBusy: boolean
  /** Why it was not taken. */
  problem: string | null
  /** Resolves to whether it was taken. */
  onSave: (value: Record<string, unknown>) => Promise<boolean>
  onCancel: () => void
}

/** An entry by its most common fields and as JSON, which are the same text. The server checks it: what is wrong is told with its field. */
export function EntryForm({ name, value, fields = [], isBusy, problem, onSave, onCancel }: Props) {
  const { text, sent } = useDraft(`setup.${name}`, JSON.stringify(value, null, 2), keptEntry)
  const parsed = jsonObject(text.value)
  const change = (changes: Record<string, unknown>) => {
    const given = Object.entries({ ...parsed, ...changes }).filter(([, part]) => part !== undefined)
    text.value = JSON.stringify(Object.fromEntries(given), null, 2)
  }
  const leave = () => {
    sent(text.value)
    onCancel()
  }
  const save = async () => {
    if (parsed && (await onSave(parsed))) sent(text.value)
  }
  const json = <GrowingText value={text} label={viewTexts().setup.json} rows={6} mono />
  return (
    <form
      class="form card"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {parsed === null || fields.length === 0 ? null : (
        <div class="fields">
          {fields.map((field) => (
            <FieldRow key={field.name} field={field} entry={parsed} onChange={change} />
          ))}
        </div>
      )}
      {fields.length === 0 ? (
        json
      ) : (
        <details class="advanced" open={parsed === null}>
          <summary>{viewTexts().words.advanced}</summary>
          {json}
        </details>
      )}
      {parsed ? null : (
        <p class="problem" role="status">
          {texts().decide.badJson}
        </p>
      )}
      <ProblemLine text={problem} />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || parsed === null}>
          {texts().save}
        </button>
        <button type="button" disabled={isBusy} onClick={leave}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}

interface FieldProps {
  field: Field
  entry: Record<string, unknown>
  /** `undefined` takes a field away. */
  onChange: (changes: Record<string, unknown>) => void
}

/** One field of an entry, in the way that its values are best given. */
function FieldRow({ field, entry, onChange }: FieldProps) {
  const { name, label = name } = field
  const called = <span class={field.isNeeded ? 'needed' : ''}>{fieldText(label)}</span>
  const value = textOf(entry[name])
  const set = (text: string) => onChange({ [name]: text === '' && !field.isNeeded ? undefined : text })
  switch (field.kind) {
    case 'when':
      return <WhenRow entry={entry} onChange={onChange} />
    case 'workflow':
      return <WorkflowRows entry={entry} onChange={onChange} />
    case 'many':
      return <Many {...{ field, entry, onChange }} />
    case 'one':
      return (
        <label>
          {called}
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
          {called}
          <textarea rows={3} value={value} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      )
    case 'lines':
      return (
        <label class="wide">
          {called}
          <textarea
            rows={3}
            value={linesOf(entry[name]).join('\n')}
            onInput={({ currentTarget }) =>
              onChange({ [name]: currentTarget.value === '' ? undefined : currentTarget.value.split('\n') })
            }
            onBlur={() => {
              const lines = linesOf(entry[name]).filter((line) => line.trim() !== '')
              onChange({ [name]: lines.length === 0 ? undefined : lines })
            }}
          />
        </label>
      )
    case 'named':
      return <NamedRow {...{ field, entry, onChange }} />
    case 'time':
      return (
        <label>
          {called}
          <TimeField value={value} onSet={(time) => onChange({ [name]: time })} />
        </label>
      )
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
      return (
        <label>
          {called}
          <input type="password" autocomplete="off" value={value} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      )
    case 'text':
      return (
        <label>
          {called}
          <input value={value} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      )
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
function NamedRow({ field, entry, onChange }: FieldProps & { field: Extract<Field, { kind: 'named' }> }) {
  const { name, of, label = name } = field
  const listed = useLoaded(async () => (await NAMES[of]()).data.map((one) => one.name), [of])
  const given = entry[name]
  // A connection is named within what authorises; a team may stand there as a whole.
  const within = of === 'connections' ? 'connection' : 'name'
  const value = textOf(given) || textOf(memberOf(given, within))
  if (of !== 'connections' && textOf(entry['workflow']) !== '' && value === '') return null
  const set = (one: string) =>
    onChange({ [name]: one === '' ? undefined : of === 'connections' ? { connection: one } : one })
  return (
    <label>
      <span>{fieldText(label)}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {[...new Set(['', ...(listed.value.value ?? []), value])].map((one) => (
          <option key={one} value={one}>
            {one === '' ? valueText('named', '') : one}
          </option>
        ))}
      </select>
    </label>
  )
}

function Many({ field, entry, onChange }: FieldProps & { field: Extract<Field, { kind: 'many' }> }) {
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

const linesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
