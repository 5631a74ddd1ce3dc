import { useEffect } from 'preact/hooks'
import { texts } from '../language.ts'
import { sessionAddress, SESSION_TABS, type SessionTab } from '../route.ts'
import { copyText } from '../ui/copied.ts'
import { useDraft } from '../ui/growing-text.tsx'
import { LostSession } from '../ways-on.tsx'
import { BackLink } from '../ui/marks.tsx'
import { Later } from '../ui/loaded.tsx'
import { Conversation } from './conversation.tsx'
import { type Followed, leave, showSession, openSession } from '../sessions/followed.ts'
import { SessionHeader } from './session-header.tsx'

/** One session: its conversation, its plan, its workflow, its team, its files. */
export function SessionView({ id, tab }: { id: string; tab: SessionTab }) {
  useEffect(() => void showSession(id), [id])
  useEffect(() => leave, [])
  const session = openSession.value
  if (session?.id !== id || (session.head.value === null && !session.isGone.value))
    return <Instead text={session?.problem.value ?? texts().loading} />
  if (session.isGone.value)
    return (
      <LostSession>
        <LeftDraft id={id} />
      </LostSession>
    )
  return (
    <section class="session" key={id}>
      <SessionHeader session={session} />
      <Tabs session={session} tab={tab} />
      <Tab key={tab} session={session} tab={tab} />
    </section>
  )
}

function Instead({ text }: { text: string }) {
  return (
    <>
      <p class="back-row">
        <BackLink />
      </p>
      <h1 class="empty">{text}</h1>
    </>
  )
}

/** What was written to a session that is gone, to be taken elsewhere. */
function LeftDraft({ id }: { id: string }) {
  const { text } = useDraft(id)
  if (text.value === '') return null
  return (
    <>
      <p>{texts().chat.goneDraft}</p>
      <pre class="plain left-draft" tabIndex={0}>
        {text.value}
      </pre>
      <button type="button" onClick={() => void copyText(text.value)}>
        {texts().copy}
      </button>
    </>
  )
}

function Tabs({ session, tab }: { session: Followed; tab: SessionTab }) {
  const head = session.head.value
  const shown = SESSION_TABS.filter((one) => one === 'conversation' || one === 'files' || head?.[one] !== undefined)
  return (
    <nav class="tabs" aria-label={texts().chat.actions}>
      {shown.map((one) => (
        <a key={one} href={sessionAddress(session.id, one)} aria-current={one === tab ? 'page' : undefined}>
          {texts().chat[one]}
        </a>
      ))}
    </nav>
  )
}

function Tab({ session, tab }: { session: Followed; tab: SessionTab }) {
  switch (tab) {
    case 'conversation':
      return <Conversation session={session} />
    case 'plan':
      return <Later load={async () => (await import('../plan/board.tsx')).Board} props={{ session }} />
    case 'workflow':
      return <Later load={async () => (await import('../flow/flow-view.tsx')).FlowView} props={{ session }} />
    case 'team':
      return <Later load={async () => (await import('../team/team-view.tsx')).TeamView} props={{ session }} />
    case 'files':
      return <Later load={async () => (await import('../files/files-view.tsx')).FilesView} props={{ session }} />
  }
}
