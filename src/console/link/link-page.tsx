import { useSignal, useSignalEffect } from '@preact/signals'
import type { DecisionInput, PendingInput } from '../../domain/session-input.ts'
import { useEffect } from 'preact/hooks'
import { ApiProblem } from '../../client/client.ts'
import type { Pending } from '../../domain/pending.ts'
import type { SessionData } from '../../domain/session.ts'
import { client, isUnreached, sendOnce } from '../api.ts'
import { PendingCard } from '../decide/pending-card.tsx'
import { language, switchLanguage, texts } from '../language.ts'
import { LongList } from '../session/long-list.tsx'
import { newestNotes } from '../session/notes.tsx'
import { ItemRow } from '../session/rows.tsx'
import { isSystemPrompt } from '../timeline/item.ts'
import { nameLink } from '../tab-title.ts'
import { Timeline } from '../timeline/timeline.ts'
import { untilBack, useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { StatusMark } from '../ui/marks.tsx'

/** What a link to a decision shows. */
interface LinkView {
  object: 'link'
  title: string
  status: string
  pending: Pending[]
  allow_edit: boolean
}

/** A link whose time is over, that was revoked, or that is not whole. */
interface ClosedLink {
  object: 'closed'
  why: 'expired' | 'unknown'
}

/** What the server says of such a link. */
const CLOSED: ReadonlySet<number> = new Set([404, 410])

const path = location.pathname
/** Where one begins to read, if the link says so. */
const at = location.hash.slice(1)

/** What a signed link opens, and nothing else: one session to read, or one decision. */
export function LinkPage() {
  const opened = useLoaded(openLink)
  const view = opened.value.value
  const title = view === null ? '' : view.object === 'closed' ? texts().link[view.why] : view.title
  useEffect(() => nameLink(title), [title])
  // Nothing else of this page asks whether the server is back.
  useSignalEffect(() => {
    if (isUnreached.value && opened.value.peek() === null) void untilBack()
  })
  return (
    <main class="page link-page" id="main">
      <header class="session-header">
        <h1>{view === null || view.object === 'closed' ? 'yaa' : view.title}</h1>
        {view === null || view.object === 'closed' ? null : <StatusMark status={view.status} />}
        <button type="button" class="quiet" onClick={() => void switchLanguage()}>
          {texts().language}
        </button>
      </header>
      <ProblemLine text={opened.problem.value} />
      {view?.object === 'session' ? <Reading session={view} /> : null}
      {view?.object === 'link' ? <Deciding view={view} onDecided={opened.reload} /> : null}
      {view?.object === 'closed' ? <Closed why={view.why} /> : null}
    </main>
  )
}

/** What the link opens, or that it opens nothing any more. */
async function openLink(): Promise<LinkView | SessionData | ClosedLink> {
  try {
    return await client.value.json<LinkView | SessionData>({ path })
  } catch (error) {
    if (!(error instanceof ApiProblem) || !CLOSED.has(error.status)) throw error
    return { object: 'closed', why: error.status === 410 ? 'expired' : 'unknown' }
  }
}

function Closed({ why }: { why: ClosedLink['why'] }) {
  const t = texts().link
  return (
    <div class="empty" role="alert">
      <h2>{t[why]}</h2>
      <p>{t.askAgain}</p>
    </div>
  )
}

function Reading({ session: { messages, orchestrator } }: { session: SessionData }) {
  const timeline = new Timeline([], language.value)
  for (const message of messages) {
    if (isSystemPrompt(message)) continue
    const { seq, run_id, scope, created_time: time } = message
    timeline.push({ type: 'message', message, seq, run_id, scope, time })
  }
  const shown = newestNotes(timeline.items)
  // Who opens a link has read nothing of it.
  const begin = timeline.items.find(({ key }) => key === at) ?? timeline.items[0]
  const latest = { asked: undefined, answer: begin && { key: begin.key, isLive: false } }
  return (
    <LongList items={timeline.items} keyOf={(item) => item.key} label={texts().chat.conversation} latest={latest}>
      {(item) => (
        <ItemRow
          item={item}
          rev={item.rev}
          place={timeline.placeOf(item)}
          isShown={shown.has(item.key)}
          isOfWorkflow={orchestrator === 'workflow'}
        />
      )}
    </LongList>
  )
}

function Deciding({ view, onDecided }: { view: LinkView; onDecided: () => Promise<void> }) {
  const decided = useSignal<DecisionInput['decision'] | null>(null)
  const onDecide = (pending: Pending) => async (decision: PendingInput) => {
    const { id, arguments_hash: hash } = pending
    const bound = decision.decision === 'answer' || hash === undefined ? {} : { arguments_hash: hash }
    try {
      await sendOnce((key) =>
        client.value.json({
          method: 'POST',
          path,
          body: { pending_id: id, ...decision, ...bound },
          headers: { 'idempotency-key': key },
        }),
      )
      decided.value = decision.decision ?? null
    } finally {
      await onDecided()
    }
  }
  if (view.pending.length === 0) {
    const { decide: t, inboxEmpty } = texts()
    return (
      <p class="empty" role="status">
        {decided.value === null ? inboxEmpty : t.decided[decided.value]}
      </p>
    )
  }
  return (
    <>
      <h2 class="unseen">{texts().inbox}</h2>
      {view.pending.map((pending) => (
        <PendingCard
          key={pending.id}
          pending={pending}
          canRemember={false}
          canKeep={false}
          canEdit={view.allow_edit}
          onDecide={onDecide(pending)}
        />
      ))}
    </>
  )
}
