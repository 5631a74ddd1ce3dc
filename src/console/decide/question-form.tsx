import type { PendingDecision } from '../../client/client.ts'
import type { Pending } from '../../domain/pending.ts'
import { texts } from '../language.ts'
import { useDraft } from '../ui/draft.ts'
import { GrowingText } from '../ui/growing-text.tsx'

interface Props {
  pending: Pending
  isBusy: boolean
  onDecide: (decision: PendingDecision) => void
}

/** A question with its options, or with words of one's own. */
export function QuestionForm({ pending, isBusy, onDecide }: Props) {
  const answer = useDraft(pending.id)
  const t = texts().decide
  const send = (text: string) => {
    if (text.trim() === '' || isBusy) return
    answer.value = ''
    onDecide({ decision: 'answer', answer: text })
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        send(answer.value)
      }}
    >
      <p class="question">{pending.question}</p>
      {pending.options === undefined ? null : (
        <div class="acts options">
          {pending.options.map((option) => (
            <button type="button" key={option} disabled={isBusy} onClick={() => send(option)}>
              {option}
            </button>
          ))}
        </div>
      )}
      <GrowingText value={answer} label={t.yourAnswer} placeholder={t.yourAnswer} onSend={() => send(answer.value)} />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || answer.value.trim() === ''}>
          {t.answer}
        </button>
      </div>
    </form>
  )
}
