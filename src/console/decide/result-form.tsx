import type { PendingInput } from '../../domain/session-input.ts'
import { awaitedSignal, type Pending } from '../../domain/pending.ts'
import { parseJson } from '../../lib/json.ts'
import { texts } from '../language.ts'
import { GrowingText, useDraft } from '../ui/growing-text.tsx'
import { Arguments } from './approval-form.tsx'

interface Props {
  pending: Pending
  isBusy: boolean
  onDecide: (said: PendingInput) => Promise<boolean>
}

/** A call that waits for whoever has its tool, or a step for what comes from outside: a person may give the result in their place, as JSON, or say
 *  why there is none. */
export function ResultForm({ pending, isBusy, onDecide }: Props) {
  const { text, sent } = useDraft(`${pending.id}.result`)
  const t = texts().decide
  const given = text.value.trim()
  const result = parseJson(given)
  const isSignal = awaitedSignal(pending) !== null
  const send = async (said: PendingInput) => {
    if (await onDecide(said)) sent(text.value)
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (result !== undefined) void send({ result })
      }}
    >
      <p class="dim">{isSignal ? t.signalHint : t.callHint}</p>
      {isSignal ? null : <Arguments pending={pending} tasks={null} />}
      <GrowingText value={text} label={t.result} placeholder={t.result} rows={2} mono />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || result === undefined}>
          {t.giveResult}
        </button>
        <button
          type="button"
          class="danger"
          disabled={isBusy || given === ''}
          onClick={() => void send({ error: given })}
        >
          {t.giveError}
        </button>
      </div>
    </form>
  )
}
