import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { isObject } from '../../lib/json.ts'
import { declared } from '../forms/declared-inputs.ts'
import { formTexts } from '../forms/texts.ts'
import { Icon } from '../ui/marks.tsx'
import { labelledText } from '../language.ts'
import { useOnceShown } from './editing.ts'
import { workflowTexts } from './texts.ts'
import { AnyText, NameText, type TypedIn } from './value-text.tsx'

export interface ValueProps {
  id: string
  label: string
  value: unknown
  /** What is asked for, where that is known: a JSON Schema of an object. */
  schema: Record<string, unknown> | undefined
  describedBy: string | undefined
  isWrong: boolean
  /** `gone`: the name of what was taken away. */
  onSet: (value: Record<string, unknown>, gone?: string) => void
}

/** Names with values. What has to be given has a row from the start; what else is known can be chosen. */
export function ValueRows({ id, label, value, schema, describedBy, isWrong, onSet }: ValueProps) {
  const t = workflowTexts()
  const list = useId()
  const room = useRef<HTMLDivElement>(null)
  const onceShown = useOnceShown()
  const given = isObject(value) ? value : {}
  const known = declared(schema)
  const required = Array.isArray(schema?.['required']) ? schema['required'].map(String) : []
  const others = Object.keys(given).filter((name) => !required.includes(name))
  const inputOf = (name: string) => known.find((one) => one.name === name)
  const rename = (before: string, name: string) =>
    onSet(Object.fromEntries(Object.entries(given).map(([one, held]) => [one === before ? name : one, held])))
  const refused = (name: string) =>
    name === '' ? t.nameNeeded : Object.hasOwn(given, name) ? t.nameTaken(name) : undefined
  const add = () => {
    onSet({ ...given, '': '' })
    onceShown(() => room.current?.querySelector<HTMLElement>('.value-row:last-of-type input')?.focus())
  }
  return (
    <div class="value-rows" ref={room}>
      {[...required, ...others].map((name, index) => (
        <ValueRow
          // One that is given another name stays the same row.
          key={index < required.length ? `of ${name}` : index - required.length}
          {...{ name, label, list, describedBy, refused }}
          id={index === 0 ? id : undefined}
          number={index + 1}
          type={inputOf(name)?.type}
          options={inputOf(name)?.options ?? []}
          isFixed={required.includes(name)}
          isWrong={isWrong && (given[name] === undefined || given[name] === '')}
          value={given[name]}
          onName={(next) => rename(name, next)}
          onSet={(next) => onSet({ ...given, [name]: next })}
          onRemove={() => {
            const rest = Object.fromEntries(Object.entries(given).filter(([one]) => one !== name))
            onSet(rest, given[name] === '' ? undefined : name || t.valueOf(index + 1))
          }}
        />
      ))}
      <button type="button" class="quiet add" disabled={Object.hasOwn(given, '')} onClick={add}>
        <Icon name="plus" /> {t.addValue}
        <span class="unseen">: {label}</span>
      </button>
      <datalist id={list}>
        {known
          .filter(({ name }) => !Object.hasOwn(given, name))
          .map(({ name, hint }) => (
            <option key={name} value={name} label={hint} />
          ))}
      </datalist>
    </div>
  )
}

interface RowProps {
  id: string | undefined
  label: string
  number: number
  name: string
  value: unknown
  type: string | undefined
  /** The values that it takes, where these are known. */
  options: readonly string[]
  /** It has to be given, so its name stays. */
  isFixed: boolean
  list: string
  describedBy: string | undefined
  isWrong: boolean
  refused: (name: string) => string | undefined
  onName: (name: string) => void
  onSet: (value: unknown) => void
  onRemove: () => void
}

function ValueRow({
  id,
  label,
  number,
  name,
  value,
  type,
  options,
  isFixed,
  list,
  describedBy,
  isWrong,
  refused,
  onName,
  onSet,
  onRemove,
}: RowProps) {
  const t = workflowTexts()
  const chosen = useSignal<boolean | null>(null)
  // What is no text, or is asked for as something else, is given as what it stands for.
  const isJson =
    chosen.value ?? ((value !== undefined && typeof value !== 'string') || (type !== undefined && type !== 'string'))
  const common = {
    'aria-label': labelledText(label, name === '' ? t.valueOf(number) : name),
    'aria-describedby': describedBy,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    ...(id === undefined ? {} : { id }),
  }
  return (
    <div class="value-row">
      {isFixed ? (
        <code class="fixed">
          {name}
          <span aria-hidden="true"> *</span>
        </code>
      ) : (
        <NameText
          aria-label={labelledText(label, t.nameOf(number))}
          placeholder={formTexts().name}
          list={list}
          value={name}
          refused={refused}
          onSet={onName}
        />
      )}
      {isJson ? (
        <AnyText {...common} value={value} placeholder={t.asJson} onSet={onSet} />
      ) : options.length > 0 ? (
        <ChosenText {...common} value={typeof value === 'string' ? value : ''} options={options} onSet={onSet} />
      ) : (
        <textarea
          {...common}
          class="growing"
          rows={1}
          dir="auto"
          data-speaks="template"
          value={typeof value === 'string' ? value : ''}
          onInput={(event) => onSet(event.currentTarget.value)}
        />
      )}
      {type === undefined ? (
        <select
          aria-label={labelledText(name === '' ? t.valueOf(number) : name, t.givenAs)}
          value={isJson ? 'json' : 'text'}
          onChange={({ currentTarget }) => (chosen.value = currentTarget.value === 'json')}
        >
          <option value="text">{t.kinds.text}</option>
          <option value="json">{t.asJson}</option>
        </select>
      ) : null}
      <button
        type="button"
        class="quiet"
        disabled={isFixed && value === undefined}
        title={t.takeAway(name)}
        aria-label={t.takeAway(name === '' ? t.valueOf(number) : name)}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </button>
    </div>
  )
}

interface ChosenProps extends TypedIn {
  value: string
  options: readonly string[]
  onSet: (value: string) => void
}

/** One of some values, or a text that gives one. */
function ChosenText({ value, options, onSet, ...field }: ChosenProps) {
  const list = useId()
  return (
    <span>
      <input
        {...field}
        list={list}
        autocomplete="off"
        data-speaks="template"
        value={value}
        onInput={(event) => onSet(event.currentTarget.value)}
      />
      <datalist id={list}>
        {options.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </span>
  )
}
