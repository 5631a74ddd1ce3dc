import type { ComponentChildren } from 'preact'
import { contentText } from '../../domain/content.ts'
import type { LoggedError } from '../../domain/run.ts'
import { distanceText, language, numberText, texts, timeText } from '../language.ts'
import type { EndItem, Item, NoteItem, ReplyItem, SaidItem, TaskItem, TeamItem } from '../timeline/item.ts'
import { Icon, StatusMark, UsageText, workerText } from '../ui/marks.tsx'
import { Attachments } from '../ui/attachments.tsx'
import { CallRow } from './call-row.tsx'
import { Markdown, PlainLive } from '../markdown/markdown.tsx'

interface Props {
  item: Item
  /** Of the item, which is the same object after a change: what is given is what is compared. */
  rev: number
  /** What its sub-task or role is called, if it is of one. */
  place: string | null
  /** The path of the workspace; absent: it cannot be read from here. */
  files?: string
  /** Absent: it is only to be read. */
  onFork?: (seq: number) => void
}

/** One item of a conversation. */
export function ItemRow({ item, rev, place, files, onFork }: Props) {
  switch (item.kind) {
    case 'said':
      return <Said item={item} files={files} {...(onFork ? { onFork } : {})} />
    case 'reply':
      return <Reply item={item} rev={rev} place={place} />
    case 'call':
      return <CallRow call={item} rev={rev} files={files} />
    case 'task':
      return <TaskRow item={item} />
    case 'team':
      return <TeamRow item={item} />
    case 'end':
      return <End item={item} />
    case 'note':
      return <Note item={item} place={place} />
  }
}

function Said({ item, files, onFork }: { item: SaidItem; files: string | undefined } & Pick<Props, 'onFork'>) {
  const { message } = item
  const text = contentText(message.content, language.value)
  if (message.kind === 'prompt' || message.role === 'system') return <Fold title={texts().chat.prompt} text={text} />
  if (message.kind === 'summary') return <Fold title={texts().chat.summary} text={text} />
  const words = contentText(message.content, null)
  return (
    <article class="said" aria-label={texts().chat.you}>
      {words === '' ? null : <div class="bubble">{words}</div>}
      <Attachments content={message.content} files={files} />
      <footer>
        <time dateTime={item.time}>{timeText(item.time)}</time>
        {onFork ? (
          <button type="button" class="quiet" onClick={() => onFork(item.seq)} title={texts().chat.fork}>
            <Icon name="fork" />
            <span class="unseen">{texts().chat.fork}</span>
          </button>
        ) : null}
      </footer>
    </article>
  )
}

function Fold({ title, text, place = null }: { title: string; text: string } & Partial<Pick<Props, 'place'>>) {
  return (
    <details class="fold">
      <summary>
        <Place name={place} /> {title}
      </summary>
      <pre class="plain" tabIndex={0}>
        {text}
      </pre>
    </details>
  )
}

function Reply({ item, place }: { item: ReplyItem } & Pick<Props, 'rev' | 'place'>) {
  if (item.isRejected)
    return <Fold title={texts().chat.rejected} text={item.text.whole || item.thinking.whole} place={place} />
  const thinks = item.thinking.whole !== '' || item.isLive
  return (
    <article class="reply" aria-busy={item.isLive}>
      <Place name={place} />
      {thinks ? (
        <details class="fold thinking">
          <summary>{item.isLive ? texts().chat.thinking : texts().chat.thought}</summary>
          <PlainLive text={item.thinking} />
        </details>
      ) : null}
      <Markdown text={item.text} isLive={item.isLive} />
      {item.isCut ? <p class="note dim">{texts().chat.stoppedHere}</p> : null}
    </article>
  )
}

function Place({ name }: { name: string | null }) {
  return name === null ? null : <span class="scope">{name}</span>
}

function TaskRow({ item: { task } }: { item: TaskItem }) {
  return (
    <details class="card task-card">
      <summary>
        <StatusMark status={task.status} /> <strong>{workerText(task)}</strong>{' '}
        <span class="dim">{task.description}</span>
      </summary>
      {task.error === null ? null : <p class="problem">{task.error}</p>}
      {task.result === null ? null : <Markdown text={task.result} />}
    </details>
  )
}

function TeamRow({ item: { message, heardBy } }: { item: TeamItem }) {
  const { heardBy: heard, nobody } = texts().teams
  return (
    <article class="card team-card">
      <header>
        <strong>{message.sent_from}</strong> <span class="tag">{message.cause_by}</span>
        <span class="dim">
          {heard} {heardBy.length === 0 ? nobody : heardBy.join(', ')}
        </span>
      </header>
      <Markdown text={message.content} />
    </article>
  )
}

function End({ item }: { item: EndItem }) {
  const words = texts().finish[item.reason ?? item.status] ?? item.status
  const isGood = item.status === 'completed'
  return (
    <div class="end">
      {item.result === null ? null : <Markdown text={item.result} />}
      <p class={isGood ? 'dim end-line' : 'bad end-line'}>
        <Icon name={isGood ? 'check' : 'cross'} /> {words}
        {item.error === null ? null : ` · ${errorText(item.error)}`}
        <UsageText usage={item.usage} />
      </p>
    </div>
  )
}

/** What happened and what to do next; logs of before say both in one. */
function errorText({ code, detail, message = detail, hint = '' }: LoggedError): string {
  return `${code}: ${message} ${hint}`.trim()
}

function Note({ item: { note, time }, place }: { item: NoteItem } & Pick<Props, 'place'>) {
  const t = texts().chat
  const line = (content: ComponentChildren, tone = 'dim') => (
    <p class={`note ${tone}`}>
      <Place name={place} /> {content}
    </p>
  )
  switch (note.type) {
    case 'error':
      return line(`${note.code}: ${note.detail}`, 'bad')
    case 'again':
      return line(t.again(note.attempt))
    case 'decision':
      return line(
        <span title={distanceText(time)}>
          {texts().decide.decided[note.decision]}
          {note.feedback === null ? '' : `: ${note.feedback}`}
        </span>,
      )
    case 'plan':
      return line(t.planned(note.round, note.tasks))
    case 'round':
      return line(`${t.round(note.round)} · ${note.roles.join(', ')}`, 'rule')
    case 'route':
      return line(`→ ${note.worker}`)
    case 'queued':
      return line(`${t.queued}: ${contentText(note.content, language.value)}`)
    case 'tools':
      return line(t.waitsForTools(note.server))
    case 'file':
      return line(`${note.action === 'write' ? '＋' : '－'} ${note.path} (${numberText(note.size)} B)`)
    case 'warning':
      return line(`${t.warning}: ${note.text}`)
  }
}
