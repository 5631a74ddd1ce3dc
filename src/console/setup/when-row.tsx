import { TimeField } from '../forms/inputs.tsx'
import { fieldText, valueText } from './facts.tsx'

interface Props {
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
export function WhenRow({ entry, onChange }: Props) {
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
