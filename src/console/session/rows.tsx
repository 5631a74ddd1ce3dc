import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { contentText } from '../../domain/content.ts'
import type { Rating } from '../../domain/feedback.ts'
import { jsonObject } from '../../lib/json.ts'
import { byteSize } from '../../lib/text.ts'
import { distanceText, language, listText, loadedViewTexts, loadViewTexts, texts, timeText } from '../language.ts'
import {
  type EndItem,
  isSystemPrompt,
  type Item,
  type NoteItem,
  type ReplyItem,
  type SaidItem,
  type TaskItem,
  type TeamItem,
} from '../timeline/item.ts'
import {
  causeText,
  Icon,
  senderText,
  StatusMark,
  troubleText,
  UsageText,
  workerName,
  workerText,
} from '../ui/marks.tsx'
import { openSession } from '../sessions/followed.ts'
import { GivenArguments } from '../decide/given-arguments.tsx'
import { answeredText, decidedText } from '../decide/decided-text.ts'
import { Later } from '../ui/loaded.tsx'
import { Attachments } from '../ui/attachments.tsx'
import { CallRow } from './call-row.tsx'
import { ActButton, CopyButton, type MessageActs } from './message-acts.tsx'
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
  acts?: MessageActs | undefined
  /** A call stands unfolded. */
  isShown?: boolean
  /** What is said is given to a workflow. */
  isOfWorkflow?: boolean
  /** Of the end of a run: in the place of how it ended. */
  children?: ComponentChildren
}

/** One item of a conversation. */
export function ItemRow({ item, rev, place, files, acts, isShown, isOfWorkflow = false, children }: Props) {
  switch (item.kind) {
    case 'said':
      return <Said {...{ item, files, acts, isOfWorkflow }} />
    case 'reply':
      return <Reply item={item} rev={rev} place={place} acts={acts} />
    case 'call':
      return <CallRow call={item} rev={rev} files={files} isShown={isShown} />
    case 'task':
      return <TaskRow item={item} />
    case 'team':
      return <TeamRow item={item} />
    case 'end':
      return (
        <End item={item} acts={acts}>
          {children}
        </End>
      )
    case 'note':
      return <Note item={item} place={place} />
  }
}

interface SaidProps {
  item: SaidItem
  files: string | undefined
  acts: MessageActs | undefined
  isOfWorkflow: boolean
}

function Said({ item, files, acts, isOfWorkflow }: SaidProps) {
  const { message } = item
  const text = contentText(message.content, language.value)
  if (isSystemPrompt(message)) return <Fold title={texts().chat.prompt} text={text} />
  if (message.kind === 'summary') return <Fold title={texts().chat.summary} text={text} />
  const given = contentText(message.content, null)
  const words = given === NO_INPUTS ? runText() : given
  const inputs = isOfWorkflow && given !== NO_INPUTS && given.startsWith('{') ? jsonObject(given) : null
  return (
    <article class="said" aria-label={texts().chat.you}>
      {words === '' ? null : inputs ? (
        <div class="bubble given">
          <GivenArguments title={texts().chat.inputs} values={inputs} folds />
        </div>
      ) : (
        <div class="bubble">{words}</div>
      )}
      <Attachments content={message.content} files={files} />
      <footer>
        <time dateTime={item.time}>{timeText(item.time)}</time>
        {words === '' ? null : <CopyButton text={() => words} />}
        {acts && item.seq > 1 ? (
          <ActButton icon="edit" label={texts().chat.editAgain} onClick={() => acts.edit(item)} />
        ) : null}
        {acts ? <ActButton icon="fork" label={texts().chat.fork} onClick={() => acts.fork(item)} /> : null}
      </footer>
    </article>
  )
}

/** What a workflow is run with where it is given nothing. */
const NO_INPUTS = '{}'

function runText(): string {
  const { value: session } = openSession
  if (session === null) return texts().chat.runOfWorkflow
  const name = session.head.value?.workflow?.name
  return name === undefined ? NO_INPUTS : texts().chat.runOf(name)
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

type ReplyProps = Pick<Props, 'rev' | 'place'> & { item: ReplyItem; acts: MessageActs | undefined }

function Reply({ item, rev, place, acts }: ReplyProps) {
  if (item.isRejected)
    return <Fold title={texts().chat.rejected} text={item.text.whole || item.thinking.whole} place={place} />
  const isSilent = !item.isLive && item.text.whole.trim() === ''
  return (
    <article class="reply" aria-busy={item.isLive}>
      <Place name={place} />
      <Thinking item={item} rev={rev} />
      <Markdown text={item.text} isLive={item.isLive} />
      {item.isCut ? <p class="note dim">{texts().chat.stoppedHere}</p> : null}
      {item.isTooLong && item.isAnswer ? <p class="note dim">{texts().chat.tooLong}</p> : null}
      {isSilent ? null : (
        <footer class="acts">
          <CopyButton text={() => item.text.whole} />
          {acts && item.isAnswer && item.scope === null ? <AnswerActs item={item} acts={acts} /> : null}
        </footer>
      )}
    </article>
  )
}

const RATINGS = ['good', 'bad'] as const

/** What one makes of an answer, and who else may read it. */
function AnswerActs({ item, acts }: { item: ReplyItem; acts: MessageActs }) {
  const { rating, comment } = item.feedback
  const isNew = useSignal(false)
  const t = texts().chat
  const rate = async (wanted: Rating) => {
    isNew.value = wanted !== rating
    await acts.rate(item, { rating: isNew.value ? wanted : null, comment: null })
  }
  return (
    <>
      {RATINGS.map((one) => (
        <ActButton key={one} icon={one} label={t[one]} isPressed={rating === one} onClick={() => void rate(one)} />
      ))}
      <ActButton icon="share" label={t.share} onClick={() => acts.share(item)} />
      {rating === null || (comment === null && !isNew.value) ? null : (
        <Later
          key={rating}
          load={async () => (await import('./feedback-words.tsx')).FeedbackWords}
          props={{
            rating,
            comment,
            isNew: isNew.value,
            onSave: (said: string) => acts.rate(item, { rating, comment: said }),
          }}
        />
      )}
    </>
  )
}

/** What was thought before it was said, folded; nothing where nothing was. */
function Thinking({ item: { thinking, isLive } }: { item: ReplyItem } & Pick<Props, 'rev'>) {
  const isThere = useSignal(thinking.whole !== '')
  useEffect(() => thinking.listen(() => (isThere.value = true)), [thinking])
  if (!isThere.value && thinking.whole === '') return null
  return (
    <details class="fold thinking">
      <summary>{isLive ? texts().chat.thinking : texts().chat.thought}</summary>
      <PlainLive text={thinking} />
    </details>
  )
}

function Place({ name }: { name: string | null }) {
  return name === null ? null : <span class="scope">{name}</span>
}

function TaskRow({ item: { task } }: { item: TaskItem }) {
  return (
    <details class="card task-card">
      <summary>
        <StatusMark status={task.status} /> <strong>{task.description}</strong>{' '}
        <span class="dim">{workerText(task)}</span>
      </summary>
      {task.error === null ? null : (
        <p class="problem">
          <Failed detail={task.error} />
        </p>
      )}
      {task.result === null ? null : <Markdown text={task.result} />}
    </details>
  )
}

function TeamRow({ item: { message, heardBy } }: { item: TeamItem }) {
  return (
    <article class="card team-card">
      <header>
        <strong>{senderText(message.sent_from)}</strong> <span class="tag">{causeText(message.cause_by)}</span>
        <span class="dim">{texts().chat.heardBy(listText(heardBy))}</span>
      </header>
      <Markdown text={message.content} />
    </article>
  )
}

function End({ item, acts, children }: { item: EndItem; acts: MessageActs | undefined; children?: ComponentChildren }) {
  const { finish, chat } = texts()
  const words = item.isRefused ? chat.stepRefused : (finish[item.reason ?? item.status] ?? item.status)
  return (
    <div class="end">
      {item.result === null ? null : <Markdown text={decidedText(item.result)} />}
      {item.isLoop ? <p class="note dim">{texts().chat.repeated}</p> : null}
      {children ?? (
        <p class="dim end-line">
          <Icon name={item.status === 'completed' ? 'check' : 'cross'} /> {words}
          <UsageText usage={item.usage} />
        </p>
      )}
      <footer class="acts">
        {item.result === null ? null : <CopyButton text={() => decidedText(item.result ?? '')} />}
        {acts && children === undefined ? (
          <ActButton icon="retry" label={texts().chat.retry} onClick={() => acts.retry(item)} />
        ) : null}
      </footer>
    </div>
  )
}

/** How it was decided, and what was said of it. */
function withWords(decided: string, words: string | null): string {
  return words === null ? decided : texts().told(decided, words)
}

/** The words are loaded with it: little goes wrong. */
function Failed({ code, detail }: { code?: string; detail: string }) {
  useEffect(() => void loadViewTexts(), [])
  const isTold = language.value === 'en'
  if (detail === '') return <span title={code}>{troubleText(code ?? '')}</span>
  return <span title={code}>{loadedViewTexts()?.failure.told(detail) ?? (isTold ? detail : texts().loading)}</span>
}

/** How the model is told that it is warned. */
const WARNING = /^\[(?:Warning|警告)\]\s*/

function Note({ item: { note, time }, place }: { item: NoteItem } & Pick<Props, 'place'>) {
  const { chat: t, told, aside } = texts()
  const line = (content: ComponentChildren, tone = 'dim') => (
    <p class={`note ${tone}`}>
      <Place name={place} /> {content}
    </p>
  )
  switch (note.type) {
    case 'error':
      return line(<Failed {...note} />, 'bad')
    case 'again':
      return line(t.again(note.attempt))
    case 'decision':
      return line(
        <span title={distanceText(time)}>
          {withWords(
            texts().decide.decided[note.decision] ?? '',
            note.feedback === null ? null : answeredText(note.feedback),
          )}
        </span>,
      )
    case 'plan':
      return line(t.planned(note.round, note.tasks))
    case 'round':
      return line(`${t.round(note.round)} · ${listText(note.roles)}`, 'rule')
    case 'route':
      return line(`→ ${workerName(note.worker)}`)
    case 'queued':
      return line(told(t.queued, contentText(note.content, language.value)))
    case 'tools':
      return line(t.waitsForTools(note.server))
    case 'file':
      return line(
        told(t.fileActs[note.action], note.action === 'write' ? aside(note.path, byteSize(note.size)) : note.path),
      )
    case 'warning':
      return line(told(t.warning, note.text.replace(WARNING, '')))
  }
}
