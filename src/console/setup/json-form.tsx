import { useSignal } from '@preact/signals'
import { objectOf } from '../decide/decision.ts'
import { texts } from '../language.ts'
import { GrowingText } from '../ui/growing-text.tsx'

interface Props {
  value: Record<string, unknown>
  isBusy: boolean
  onSave: (value: Record<string, unknown>) => void
}

/** An entry as JSON, which the server checks: what is wrong is told with its field. */
export function JsonForm({ value, isBusy, onSave }: Props) {
  const text = useSignal(JSON.stringify(value, null, 2))
  const parsed = objectOf(text.value)
  return (
    <form
      class="form card"
      onSubmit={(event) => {
        event.preventDefault()
        if (parsed) onSave(parsed)
      }}
    >
      <GrowingText value={text} label={texts().setup.json} rows={6} mono />
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
