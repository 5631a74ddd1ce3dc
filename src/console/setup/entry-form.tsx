import { type Field, keptEntry } from './parts.ts'
import { jsonObject } from '../../lib/json.ts'
import { texts } from '../language.ts'
import { useDraft } from '../ui/draft.ts'
import { GrowingText } from '../ui/growing-text.tsx'
import { FieldRow } from './field-row.tsx'

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
  const json = <GrowingText value={text} label={texts().setup.json} rows={6} mono />
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
          <summary>{texts().words.advanced}</summary>
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
