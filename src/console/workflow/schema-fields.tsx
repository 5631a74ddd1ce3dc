import { useId, useRef } from 'preact/hooks'
import { isObject } from '../../lib/json.ts'
import { Icon } from '../ui/marks.tsx'
import { labelledText } from '../language.ts'
import { isSayable } from './faults.ts'
import { NameList } from './name-list.tsx'
import { ROW_KINDS, type RowKind, schemaRows, type SchemaRow, withNewRow, withRow } from './schema-rows.ts'
import { useOnceShown } from './editing.ts'
import { workflowTexts } from './texts.ts'
import { JsonText, NameText } from './value-text.tsx'

interface Props {
  id: string
  label: string
  schema: unknown
  describedBy: string | undefined
  isWrong: boolean
  /** `gone`: the name of what was taken away. */
  onSet: (schema: Readonly<Record<string, unknown>> | undefined, gone?: string) => void
  /** A field has another name. */
  onRename: (schema: Readonly<Record<string, unknown>>, before: string, name: string) => void
}

/** A JSON Schema of an object as rows; one that rows cannot say as JSON. */
export function SchemaFields({ id, label, schema, describedBy, isWrong, onSet, onRename }: Props) {
  const t = workflowTexts()
  const room = useRef<HTMLDivElement>(null)
  const onceShown = useOnceShown()
  const rows = schemaRows(schema)
  const invalid = isWrong ? ('true' as const) : undefined
  if (rows === null)
    return (
      <JsonText
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={invalid}
        value={schema}
        fits={isObject}
        onSet={(value) => onSet(isObject(value) ? value : undefined)}
      />
    )
  const names = rows.map(({ name }) => name)
  const add = () => {
    onSet(withNewRow(schema))
    onceShown(() => {
      const name = room.current?.querySelector<HTMLInputElement>('.schema-row:last-of-type input')
      name?.focus()
      name?.select()
    })
  }
  const remove = (index: number) => {
    const rest = withRow(schema, index, null)
    const isPlain = Object.keys(rest).every((name) => name === 'type' || name === 'properties')
    onSet(rows.length === 1 && isPlain ? undefined : rest, names[index] || t.rowName)
    onceShown(() => room.current?.querySelector<HTMLElement>('.add')?.focus())
  }
  return (
    <div class="schema-rows" ref={room}>
      {rows.map((row, index) => (
        <SchemaRowFields
          key={index}
          row={row}
          number={index + 1}
          label={label}
          refused={(name) => (name === '' ? t.nameNeeded : names.includes(name) ? t.nameTaken(name) : undefined)}
          onName={(name) => onRename(withRow(schema, index, { name }), row.name, name)}
          onChange={(change) => onSet(withRow(schema, index, change))}
          onRemove={() => remove(index)}
        />
      ))}
      <button
        type="button"
        class="quiet add"
        id={id}
        aria-describedby={describedBy}
        aria-invalid={invalid}
        onClick={add}
      >
        <Icon name="plus" /> {t.addField}
        <span class="unseen">: {label}</span>
      </button>
    </div>
  )
}

interface RowProps {
  row: SchemaRow
  number: number
  label: string
  refused: (name: string) => string | undefined
  onName: (name: string) => void
  onChange: (change: Partial<SchemaRow>) => void
  onRemove: () => void
}

function SchemaRowFields({ row, number, label, refused, onName, onChange, onRemove }: RowProps) {
  const t = workflowTexts()
  const { name, kind, title, options, isNeeded, schema } = row
  const warning = useId()
  const isSaid = isSayable(name)
  const of = (what: string) => labelledText(`${label} ${number}`, what)
  const kinds: RowKind[] = kind === 'other' ? [...ROW_KINDS, 'other'] : [...ROW_KINDS]
  return (
    <div class="schema-row">
      <NameText
        aria-label={of(t.rowName)}
        placeholder={t.rowName}
        aria-describedby={isSaid ? undefined : warning}
        value={name}
        refused={refused}
        onSet={onName}
      />
      {isSaid ? null : (
        <p class="field-warning" id={warning} role="status">
          {t.nameUnsayable}
        </p>
      )}
      <select
        aria-label={of(t.rowKind)}
        value={kind}
        onChange={({ currentTarget: { value } }) => onChange({ kind: kinds.find((one) => one === value) ?? kind })}
      >
        {kinds.map((one) => (
          <option key={one} value={one}>
            {t.kinds[one]}
          </option>
        ))}
      </select>
      <input
        aria-label={of(t.rowTitle)}
        placeholder={t.rowTitle}
        value={title}
        onInput={(event) => onChange({ title: event.currentTarget.value })}
      />
      <label class="check">
        <input type="checkbox" checked={isNeeded} onChange={() => onChange({ isNeeded: !isNeeded })} />
        {t.required}
        <span class="unseen">: {name}</span>
      </label>
      <button type="button" class="quiet" title={t.takeAway(name)} aria-label={t.takeAway(name)} onClick={onRemove}>
        <Icon name="cross" />
      </button>
      {kind === 'choice' ? (
        <div class="row-more">
          <NameList
            aria-label={of(t.rowOptions)}
            placeholder={t.rowOptionsHint}
            values={options}
            onSet={(values) => onChange({ options: values })}
          />
        </div>
      ) : kind === 'other' ? (
        <div class="row-more">
          <JsonText
            aria-label={of(t.otherJson)}
            value={schema}
            fits={isObject}
            onSet={(value) => isObject(value) && onChange({ schema: value })}
          />
        </div>
      ) : null}
    </div>
  )
}
