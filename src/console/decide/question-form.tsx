import type { PendingDecision } from '../../client/session-shapes.ts'
import type { Pending } from '../../domain/pending.ts'
import { texts } from '../language.ts'
import { useDraft } from '../ui/draft.ts'
import { GrowingText } from '../ui/growing-text.tsx'

interface Props {
  pending: Pending
  isBusy: boolean
  onDecide: (decision: PendingDecision) => Promise<boolean>
}

/** A question with its options, or with words of one's own. */
export function QuestionForm({ pending, isBusy, onDecide }: Props) {
  const { text: answer, sent } = useDraft(pending.id)
  const t = texts().decide
  const send = async (text: string) => {
    if (text.trim() === '' || isBusy) return
    if (await onDecide({ decision: 'answer', answer: text })) sent(answer.value)
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void send(answer.value)
      }}
    >
      <p class="question">{pending.question}</p>
      {pending.options === undefined ? null : (
        <div class="acts options">
          {pending.options.map((option) => (
            <button type="button" key={option} disabled={isBusy} onClick={() => void send(option)}>
              {option}
            </button>
          ))}
        </div>
      )}
      <GrowingText
        value={answer}
        label={t.yourAnswer}
        placeholder={t.yourAnswer}
        onSend={() => void send(answer.value)}
      />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || answer.value.trim() === ''}>
          {t.answer}
        </button>
      </div>
    </form>
  )
}
