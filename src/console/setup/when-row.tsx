import { useId } from 'preact/hooks'
import { describedOf, FieldTold, placeOfField } from '../forms/frame.tsx'
import { TimeField } from '../forms/inputs.tsx'
import { viewTexts } from '../language.ts'
import { fieldText, valueText } from './facts.tsx'
import { isOtherZone, ownZone } from './zoned-time.ts'
import { MINUTE_MS, WHEN_KINDS } from '../setup-parts/parts.ts'

interface Props {
  entry: Record<string, unknown>
  /** What is wrong, by the field. */
  problems: Readonly<Record<string, string>>
  onChange: (changes: Record<string, unknown>) => void
}

type Kind = (typeof WHEN_KINDS)[number]
const HOUR_MS = 3_600_000

const none = { cron: undefined, every_ms: undefined, at: undefined }

/** What a way is begun with. */
const begun = (kind: Kind) => ({
  ...none,
  [kind]: { cron: '0 9 * * *', every_ms: HOUR_MS, at: new Date(Date.now() + HOUR_MS).toISOString() }[kind],
})

/** When a schedule fires: by cron, again and again, or once. */
export function WhenRow({ entry, problems, onChange }: Props) {
  const id = useId()
  const kind = WHEN_KINDS.find((one) => entry[one] !== undefined) ?? 'cron'
  const value = entry[kind]
  const problem = problems[kind]
  // It is typed by the clocks of who writes, though the zone of the schedule stands below.
  const hint = kind === 'at' && isOtherZone(entry['timezone']) ? viewTexts().setup.typedIn(ownZone()) : undefined
  const marks = {
    id,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': describedOf({ id, hint, problem }),
  }
  return (
    <>
      <label>
        {fieldText('when')}
        <select
          value={kind}
          onChange={({ currentTarget }) =>
            onChange(begun(WHEN_KINDS.find((one) => one === currentTarget.value) ?? 'cron'))
          }
        >
          {WHEN_KINDS.map((one) => (
            <option key={one} value={one}>
              {valueText('when', one)}
            </option>
          ))}
        </select>
      </label>
      <div class={placeOfField(false, problem)}>
        <label>
          <span class="needed">{fieldText(kind === 'every_ms' ? 'every_minutes' : kind)}</span>
          {kind === 'at' ? (
            <TimeField
              {...marks}
              value={typeof value === 'string' ? value : ''}
              onSet={(at) => onChange({ at: at ?? '' })}
            />
          ) : kind === 'every_ms' ? (
            <input
              {...marks}
              type="number"
              min={0}
              step="any"
              value={typeof value === 'number' ? value / MINUTE_MS : ''}
              onInput={({ currentTarget }) =>
                onChange({ every_ms: Math.round(Number(currentTarget.value) * MINUTE_MS) })
              }
            />
          ) : (
            <input
              {...marks}
              class="mono"
              value={typeof value === 'string' ? value : ''}
              onInput={({ currentTarget }) => onChange({ cron: currentTarget.value })}
            />
          )}
        </label>
        <FieldTold {...{ id, hint, problem }} />
      </div>
    </>
  )
}
