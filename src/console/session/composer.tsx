import { useRef } from 'preact/hooks'
import type { Action } from '../../client/sessions.ts'
import type { WhenBusy } from '../../client/client.ts'
import { client, sendOnce } from '../api.ts'
import { texts } from '../language.ts'
import { useDraft, GrowingText, isTouched } from '../ui/growing-text.tsx'
import { Icon } from '../ui/marks.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import type { Followed } from '../sessions/followed.ts'

/** Where one writes to a session. What is written stays until it was taken. */
export function Composer({ session }: { session: Followed }) {
  const { text: draft, sent } = useDraft(session.id)
  const { isBusy, problem, run } = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  const status = session.head.value?.status
  const isRunning = status === 'in_progress'
  const act = (action: Action, whenBusy?: WhenBusy) =>
    run(async () => {
      await sendOnce((key) => client.value.sessions.start(session.id, action, whenBusy ? { key, whenBusy } : { key }))
      await session.refresh()
    })
  const send = async (whenBusy?: WhenBusy) => {
    const content = draft.value.trim()
    if (content === '' || isBusy.value) return
    if (await act({ type: 'message', content }, whenBusy)) sent(content)
    field.current?.focus()
  }
  const stop = () =>
    run(async () => {
      await client.value.sessions.cancel(session.id)
      await session.refresh()
    })
  const t = texts().chat
  const canSend = draft.value.trim() !== '' && !isBusy.value
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send(isRunning ? 'queue' : undefined)
      }}
    >
      <ProblemLine text={problem.value} />
      <div class="composer-room">
        <GrowingText
          value={draft}
          room={field}
          label={t.message}
          placeholder={isTouched ? t.placeholderShort : t.placeholder}
          onSend={() => void send(isRunning ? 'queue' : undefined)}
        />
        <div class="composer-acts">
          {isRunning && canSend ? (
            <>
              <button type="button" class="quiet" onClick={() => void send('steer')}>
                {t.steer}
              </button>
              <button type="button" class="quiet" onClick={() => void send('interrupt')}>
                {t.interrupt}
              </button>
            </>
          ) : null}
          {isRunning ? (
            <button type="button" class="stop" onClick={() => void stop()} disabled={isBusy.value}>
              <Icon name="stop" /> {t.stop}
            </button>
          ) : null}
          {canContinue(session) ? (
            <button type="button" class="quiet" onClick={() => void act({ type: 'continue' })} disabled={isBusy.value}>
              {t.continue}
            </button>
          ) : null}
          <button type="submit" class="primary round" disabled={!canSend} title={isRunning ? t.queue : t.send}>
            <Icon name="send" />
            <span class="unseen">{isRunning ? t.queue : t.send}</span>
          </button>
        </div>
      </div>
    </form>
  )
}

/** A run that a bound or a failure ended can be carried on. */
function canContinue({ head, isResting }: Followed): boolean {
  const status = head.value?.status
  return status === 'failed' || (status === 'in_progress' && isResting.value)
}
