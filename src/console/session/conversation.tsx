import { useSignal } from '@preact/signals'
import { client } from '../api.ts'
import { sendDecision, focusNext } from '../decide/decision.ts'
import { PendingCard } from '../decide/pending-card.tsx'
import { texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import type { Item } from '../timeline/item.ts'
import { isMain } from '../timeline/timeline.ts'
import { isTouched } from '../ui/growing-text.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { Composer } from './composer.tsx'
import type { Followed } from '../sessions/followed.ts'
import { LongList } from './long-list.tsx'
import { ItemRow } from './rows.tsx'

/** What was said and done, what waits, and where one writes. */
export function Conversation({ session }: { session: Followed }) {
  const showsSteps = useSignal(false)
  const { problem, run } = useAct()
  void session.version.value
  const items = session.timeline.items.filter((item) => showsSteps.value || (isMain(item) && !isPrompt(item)))
  const fork = (seq: number) =>
    void run(async () => go(sessionAddress((await client.value.sessions.fork(session.id, seq)).id)))
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
      <LongList
        items={items}
        keyOf={(item) => item.key}
        label={texts().chat.conversation}
        onStart={session.hasOlder ? () => void session.readBack() : undefined}
        foot={<Foot session={session} />}
      >
        {(item) => (
          <ItemRow
            item={item}
            rev={item.rev}
            place={session.timeline.placeOf(item)}
            files={`/v1/sessions/${session.id}/files`}
            onFork={fork}
          />
        )}
      </LongList>
      <Composer session={session} />
    </div>
  )
}

/** What the model is told before anything is said; of interest to those who look at each step. */
const isPrompt = (item: Item) =>
  item.kind === 'said' && (item.message.kind === 'prompt' || item.message.role === 'system')

function Foot({ session }: { session: Followed }) {
  const head = session.head.value
  const activity = session.activity.value
  const onDecide =
    (pending: NonNullable<typeof head>['pending'][number]) => async (decision: Parameters<typeof sendDecision>[2]) => {
      try {
        await sendDecision(session.id, pending, decision)
      } finally {
        await session.refresh()
        focusNext(isTouched ? '.long-list-room' : '.composer textarea')
      }
    }
  return (
    <div class="foot">
      {activity !== null && head?.status === 'in_progress' ? (
        <p class="activity" role="status">
          <span class="pulse" aria-hidden="true" /> {activity}
        </p>
      ) : null}
      {head?.pending.map((pending) => (
        <PendingCard key={pending.id} pending={pending} onDecide={onDecide(pending)} />
      ))}
    </div>
  )
}
