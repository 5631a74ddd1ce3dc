import { type Field, keptEntry } from './parts.ts'
import { jsonObject, memberOf } from '../../lib/json.ts'
import { viewTexts, texts } from '../language.ts'
import { useDraft, GrowingText } from '../ui/growing-text.tsx'
import { fieldText, valueText, TimeField } from './facts.tsx'
import { WorkflowRows } from './workflow-rows.tsx'

interface Props {
  /** Of what is being written, which outlives the page under it. */
  name: string
  value: Record<string, unknown>
  /** What has a field of its own; the rest is written as JSON. */
  fields?: readonly Field[] | undefined
  isBusy: boolean
  /** Resolves to whether it was taken. */
  onSave: (value: Record<string, unknown>) => Promise<boolean>
}

/** An entry by its most common fields and as JSON, which are the same text. The server checks it: what is wrong is told with its field. */
export function EntryForm({ name, value, fields = [], isBusy, onSave }: Props) {
  const { text, sent } = useDraft(`setup.${name}`, JSON.stringify(value, null, 2), keptEntry)
  const parsed = jsonObject(text.value)
  const change = (changes: Record<string, unknown>) => {
    const given = Object.entries({ ...parsed, ...changes }).filter(([, part]) => part !== undefined)
    text.value = JSON.stringify(Object.fromEntries(given), null, 2)
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
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || parsed === null}>
          {texts().save}
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
  const called = fieldText(label)
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
    case 'connection':
      return (
        <label>
          {called}
          <input
            value={textOf(memberOf(entry[name], 'connection'))}
            onInput={({ currentTarget: { value: connection } }) =>
              onChange({ [name]: connection === '' ? undefined : { connection } })
            }
          />
        </label>
      )
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

interface WhenProps {
  entry: Record<string, unknown>
  onChange: (changes: Record<string, unknown>) => void
}

const KINDS = ['cron', 'every_ms', 'at'] as const
type Kind = (typeof KINDS)[number]
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const none = { cron: undefined, every_ms: undefined, at: undefined }

/** What a way is begun with. */
const begun = (kind: Kind) => ({
  ...none,
  [kind]: { cron: '0 9 * * *', every_ms: HOUR_MS, at: new Date(Date.now() + HOUR_MS).toISOString() }[kind],
})

/** When a schedule fires: by cron, again and again, or once. */
function WhenRow({ entry, onChange }: WhenProps) {
  const kind = KINDS.find((one) => entry[one] !== undefined) ?? 'cron'
  const value = entry[kind]
  return (
    <>
      <label>
        {fieldText('when')}
        <select
          value={kind}
          onChange={({ currentTarget }) => onChange(begun(KINDS.find((one) => one === currentTarget.value) ?? 'cron'))}
        >
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {valueText('when', one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {fieldText(kind)}
        {kind === 'at' ? (
          <TimeField value={typeof value === 'string' ? value : ''} onSet={(at) => onChange({ at: at ?? '' })} />
        ) : kind === 'every_ms' ? (
          <input
            type="number"
            min={1}
            value={typeof value === 'number' ? value / MINUTE_MS : ''}
            onInput={({ currentTarget }) => onChange({ every_ms: Math.round(Number(currentTarget.value) * MINUTE_MS) })}
          />
        ) : (
          <input
            class="mono"
            value={typeof value === 'string' ? value : ''}
            onInput={({ currentTarget }) => onChange({ cron: currentTarget.value })}
          />
        )}
      </label>
    </>
  )
}
