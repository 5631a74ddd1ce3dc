import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { sendDecision } from '../decide/decision.ts'
import { PendingCard } from '../decide/pending-card.tsx'
import { may } from '../api.ts'
import { useAskedFocus } from '../lost-focus.ts'
import { numberText, secondsText, texts } from '../language.ts'
import { isSystemPrompt, type Item } from '../timeline/item.ts'
import { isMain } from '../timeline/timeline.ts'
import { Later } from '../ui/loaded.tsx'
import { isTouched } from '../ui/growing-text.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { currentTrouble, lastFailure, withoutAttempts, withoutRepeats } from '../timeline/trouble.ts'
import { BuiltInHint } from '../ways-on.tsx'
import { Composer, useWriting } from './composer.tsx'
import type { Followed } from '../sessions/followed.ts'
import { LongList } from './long-list.tsx'
import { messageActs } from './message-acts.tsx'
import { troubleText } from '../ui/marks.tsx'
import { newestNotes } from './notes.tsx'
import { ItemRow } from './rows.tsx'

/** What was said and done, what waits, and where one writes. */
export function Conversation({ session }: { session: Followed }) {
  const showsSteps = useSignal(false)
  const { problem, run } = useAct()
  void session.version.value
  const { items: all } = session.timeline
  const items = showsSteps.value
    ? withoutRepeats(all)
    : withoutAttempts(all.filter((item) => isMain(item) && !isPrompt(item)))
  const shown = newestNotes(items)
  const failure = session.head.value?.status === 'failed' ? lastFailure(all) : null
  const writing = useWriting(session)
  const acts = may('run') ? messageActs(session, writing.edit, run) : undefined
  return (
    <div class="conversation">
      <ProblemLine text={problem.value ?? session.problem.value} />
      <label class="check steps">
        <input
          type="checkbox"
          checked={showsSteps.value}
          onChange={(event) => (showsSteps.value = event.currentTarget.checked)}
        />
        {texts().chat.steps}
      </label>
      <h2 class="unseen">{texts().chat.conversation}</h2>
      <LongList
        items={items}
        keyOf={(item) => item.key}
        label={texts().chat.conversation}
        onStart={session.hasOlder ? () => void session.readBack() : undefined}
        foot={<Foot session={session} />}
        latest={latestOf(items, session)}
      >
        {(item) => (
          <ItemRow
            item={item}
            rev={item.rev}
            place={session.timeline.placeOf(item)}
            files={`/v1/sessions/${session.id}/files`}
            acts={acts}
            isShown={shown.has(item.key)}
            isOfWorkflow={session.head.value?.workflow !== undefined}
          >
            {failure?.end === item ? (
              <Later load={async () => (await import('./failure-card.tsx')).FailureCard} props={{ session, failure }} />
            ) : undefined}
          </ItemRow>
        )}
      </LongList>
      <Composer session={session} writing={writing} />
    </div>
  )
}

const isPrompt = (item: Item) => item.kind === 'said' && isSystemPrompt(item.message)

/** What was asked last, and its answer: while it is written, and once its run is over. */
function latestOf(items: readonly Item[], { head, isCaughtUp }: Followed) {
  const said = items.findLastIndex(
    (item) => item.kind === 'said' && item.scope === null && item.message.role === 'user',
  )
  const last = items.findLast((item, index) => index > said && item.kind === 'reply' && item.scope === null)
  const isOver = !['in_progress', 'interrupted'].includes(head.value?.status ?? 'in_progress')
  const isThere = isCaughtUp && last?.kind === 'reply' && (last.isLive || isOver)
  return { asked: items[said]?.key, answer: isThere ? { key: last.key, isLive: last.isLive } : undefined }
}

function Foot({ session }: { session: Followed }) {
  const head = session.head.value
  const activity = session.activity.value
  const trouble = currentTrouble(session.timeline.items)
  useAskedFocus(head?.pending.flatMap(({ id, type, wait }) => (type === 'tool_call' || wait ? [] : [id])) ?? [])
  const onDecide =
    (pending: NonNullable<typeof head>['pending'][number]) => async (decision: Parameters<typeof sendDecision>[2]) => {
      try {
        await sendDecision(session.id, pending, decision)
      } finally {
        await session.refresh()
      }
    }
  return (
    <div class="foot">
      {activity !== null && head?.status === 'in_progress' ? (
        <p class="activity">
          <span class="pulse" aria-hidden="true" />
          <span role="status">
            {activity}
            {trouble === null ? null : ` · ${texts().chat.askedAgain(trouble.attempt, troubleText(trouble.code))}`}
          </span>
          <Progress key={activity} tokens={head.usage.total_tokens} />
        </p>
      ) : null}
      {head?.pending.map((pending) => (
        <PendingCard
          key={pending.id}
          pending={pending}
          place={session.timeline.placeOf(pending)}
          onDecide={onDecide(pending)}
        />
      ))}
      {head ? <BuiltInHint head={head} /> : null}
    </div>
  )
}

const SECOND_MS = 1_000

/** How long it takes so far, what the session took, and how it is stopped. */
function Progress({ tokens }: { tokens: number }) {
  const seconds = useSignal(0)
  useEffect(() => {
    const began = Date.now()
    const timer = setInterval(() => (seconds.value = Math.floor((Date.now() - began) / SECOND_MS)), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  const t = texts().chat
  const parts = [
    ...(seconds.value === 0 ? [] : [secondsText(seconds.value)]),
    ...(tokens === 0 ? [] : [t.tokens(numberText(tokens))]),
    ...(isTouched || !may('run') ? [] : [t.stopKey]),
  ]
  return <span class="progress">{parts.map((part) => `· ${part}`).join(' ')}</span>
}
