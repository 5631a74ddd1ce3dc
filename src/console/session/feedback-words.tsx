import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Rating } from '../../domain/feedback.ts'
import { viewTexts, texts } from '../language.ts'

interface Props {
  rating: Rating
  comment: string | null
  /** Whether it was only just rated: then one may go on writing why. */
  isNew: boolean
  /** Keeps the words; true when it went well. */
  onSave: (comment: string) => Promise<boolean>
}

/** Why an answer is good or bad, in words: written, shown, changed. */
export function FeedbackWords({ rating, comment, isNew, onSave }: Props) {
  const { feedback: t } = viewTexts()
  const isOpen = useSignal(isNew)
  const text = useSignal(comment ?? '')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isOpen.value) field.current?.focus()
  }, [isOpen.value, rating])
  const save = async () => {
    if (await onSave(text.value.trim())) isOpen.value = false
  }
  if (!isOpen.value)
    return comment === null ? null : (
      <p class="feedback-said dim">
        {t.said}: {comment}{' '}
        <button type="button" class="link" onClick={() => (isOpen.value = true)}>
          {texts().edit}
        </button>
      </p>
    )
  return (
    <form
      class="feedback-words"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        isOpen.value = false
      }}
    >
      <input
        ref={field}
        aria-label={t.why[rating]}
        placeholder={t.why[rating]}
        value={text.value}
        maxLength={2_000}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit">{texts().save}</button>
    </form>
  )
}
