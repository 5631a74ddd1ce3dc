import { useId, useRef } from 'preact/hooks'
import type { Permission } from '../../domain/tool.ts'
import { isObject } from '../../lib/json.ts'
import { labelledText } from '../language.ts'
import { Icon } from '../ui/marks.tsx'
import { useEditing, useOnceShown } from './editing.ts'
import { workflowTexts } from './texts.ts'
import { NameText } from './value-text.tsx'

interface Props {
  id: string
  label: string
  value: unknown
  describedBy: string | undefined
  isWrong: boolean
  /** `gone`: the name of what was taken away. */
  onSet: (value: Record<string, unknown> | undefined, gone?: string) => void
}

const PERMISSIONS: readonly Permission[] = ['allow', 'ask', 'deny']

/** Tools, each with whether it runs by itself, asks first or never runs. */
export function PermissionRows({ id, label, value, describedBy, isWrong, onSet }: Props) {
  const t = workflowTexts()
  const { known } = useEditing()
  const list = useId()
  const room = useRef<HTMLDivElement>(null)
  const onceShown = useOnceShown()
  const given = isObject(value) ? value : {}
  const rows = Object.entries(given)
  const give = (next: readonly (readonly [string, unknown])[], gone?: string) =>
    onSet(next.length === 0 ? undefined : Object.fromEntries(next), gone)
  const refused = (name: string) =>
    name === '' ? t.nameNeeded : Object.hasOwn(given, name) ? t.nameTaken(name) : undefined
  const add = () => {
    give([...rows, ['', 'ask']])
    onceShown(() => room.current?.querySelector<HTMLElement>('.permission-row:last-of-type input')?.focus())
  }
  return (
    <div class="value-rows" ref={room}>
      {rows.map(([name, permission], index) => (
        <div class="permission-row" key={index}>
          <NameText
            aria-label={labelledText(label, t.nameOf(index + 1))}
            aria-describedby={describedBy}
            aria-invalid={isWrong ? 'true' : undefined}
            placeholder={t.toolName}
            list={list}
            value={name}
            refused={refused}
            onSet={(next) => give(rows.map(([one, held]) => [one === name ? next : one, held]))}
          />
          <select
            aria-label={labelledText(label, name || t.nameOf(index + 1))}
            value={String(permission)}
            onChange={({ currentTarget }) =>
              give(rows.map(([one, held]) => [one, one === name ? currentTarget.value : held]))
            }
          >
            {PERMISSIONS.map((one) => (
              <option key={one} value={one}>
                {t.permissions[one]}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="quiet"
            title={t.takeAway(name)}
            aria-label={t.takeAway(name || t.nameOf(index + 1))}
            onClick={() => {
              give(
                rows.filter(([one]) => one !== name),
                name || t.nameOf(index + 1),
              )
              onceShown(() => room.current?.querySelector<HTMLElement>('.add')?.focus())
            }}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="quiet add"
        id={id}
        aria-describedby={describedBy}
        disabled={Object.hasOwn(given, '')}
        onClick={add}
      >
        <Icon name="plus" /> {t.addTool}
        <span class="unseen">: {label}</span>
      </button>
      <datalist id={list}>
        {known.tools
          .filter((one) => !Object.hasOwn(given, one.id))
          .map((one) => (
            <option key={one.id} value={one.id} />
          ))}
      </datalist>
    </div>
  )
}
