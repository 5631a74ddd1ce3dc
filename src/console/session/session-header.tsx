import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client, may, saveAs } from '../api.ts'
import { texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import { share } from './message-acts.tsx'
import { FORKED_FROM, forked } from '../sessions/forks.tsx'
import { removeSessions } from '../sessions/remove.ts'
import { isPinned, listedSessions, pin } from '../sessions/session-store.ts'
import { BackLink, Icon, StatusMark, UsageText } from '../ui/marks.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import type { Followed } from '../sessions/followed.ts'

/** What a session is, how it stands, and what can be done with the whole of it. */
export function SessionHeader({ session }: { session: Followed }) {
  const head = session.head.value
  const { problem, run } = useAct()
  const wanted = useSignal<string | null>(null)
  if (!head) return null
  return (
    <header class="session-header">
      <BackLink />
      <Title session={session} title={head.title} wanted={wanted} run={run} />
      <Origin id={head.metadata[FORKED_FROM]} />
      <StatusMark status={head.status} />
      <UsageText usage={head.usage} />
      <Menu session={session} run={run} onRename={() => (wanted.value = head.title)} />
      <ProblemLine text={problem.value} />
    </header>
  )
}

/** The session that this one was forked from, by its title. */
function Origin({ id }: { id: unknown }) {
  const from = typeof id === 'string' ? id : null
  const listed = listedSessions.value?.find((one) => one.id === from)?.title
  const read = useLoaded(
    async () => (from === null ? null : (await client.value.sessions.get(from, { messages: 'none' })).title),
    [from],
  )
  if (from === null) return null
  const title = listed ?? read.value.value
  const { chat, untitled } = texts()
  return (
    <a class="origin dim" href={sessionAddress(from)}>
      <Icon name="fork" />
      <span>{title === null ? chat.forkedFromUnknown : chat.forkedFrom(title || untitled)}</span>
    </a>
  )
}

type Run = ReturnType<typeof useAct>['run']

interface TitleProps {
  session: Followed
  title: string
  /** What it is to be called, while that is typed; null: nothing is. */
  wanted: Signal<string | null>
  run: Run
}

function Title({ session, title, wanted, run }: TitleProps) {
  const rename = async () => {
    const typed = wanted.value
    const name = typed?.trim() ?? ''
    wanted.value = null
    if (name === '' || name === title) return
    const went = await run(async () => {
      await client.value.sessions.patch(session.id, { title: name })
      await session.refresh()
    })
    if (!went) wanted.value = typed
  }
  if (wanted.value !== null)
    return (
      <h1>
        <input
          class="title-field"
          aria-label={texts().chat.rename}
          value={wanted.value}
          maxLength={200}
          ref={(field) => field?.focus()}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
          onBlur={() => void rename()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur()
            if (event.key === 'Escape') wanted.value = null
          }}
        />
      </h1>
    )
  if (!may('run')) return <h1>{title || texts().untitled}</h1>
  return (
    <h1>
      <button type="button" class="title" title={texts().chat.rename} onClick={() => (wanted.value = title)}>
        {title || texts().untitled}
      </button>
    </h1>
  )
}

function Menu({ session, run, onRename }: { session: Followed; run: Run; onRename: () => void }) {
  const t = texts().chat
  const room = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = ({ target }: MouseEvent) => {
      const isSummary = target instanceof Element && target.closest('summary')?.parentElement === room.current
      if (room.current && !isSummary) room.current.open = false
    }
    document.addEventListener('click', close)
    return () => document.removeEventListener('click', close)
  }, [])
  const fork = () => run(async () => go(sessionAddress(await forked(session.id))))
  const exported = () =>
    run(async () => {
      const answer = await client.value.send({ path: `/v1/sessions/${session.id}/export` })
      saveAs(await answer.blob(), `${session.id}.json`)
    })
  const isAbove = session.head.value ? isPinned(session.head.value) : false
  const toggle = () =>
    run(async () => {
      await pin(session.id, !isAbove)
      await session.refresh()
    })
  const remove = () =>
    run(async () => {
      await removeSessions([{ id: session.id, title: session.head.value?.title ?? '' }])
    })
  return (
    <details
      class="menu"
      ref={room}
      onFocusOut={({ relatedTarget }) => {
        if (room.current && relatedTarget instanceof Node && !room.current.contains(relatedTarget))
          room.current.open = false
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !room.current?.open) return
        room.current.open = false
        room.current.querySelector('summary')?.focus()
      }}
    >
      <summary aria-label={t.actions} title={t.actions}>
        <Icon name="more" />
      </summary>
      <div class="menu-room">
        {may('run') ? (
          <>
            <button type="button" onClick={() => void toggle()}>
              {isAbove ? t.unpin : t.pin}
            </button>
            <button type="button" onClick={onRename}>
              {t.rename}
            </button>
            <button type="button" onClick={() => share(session.id, null)}>
              {t.share}
            </button>
            <button type="button" onClick={() => void fork()}>
              {t.forkAll}
            </button>
          </>
        ) : null}
        <button type="button" onClick={() => void exported()}>
          {t.export}
        </button>
        {may('run') ? (
          <button type="button" class="danger" onClick={() => void remove()}>
            {t.remove}
          </button>
        ) : null}
      </div>
    </details>
  )
}
