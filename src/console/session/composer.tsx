import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Action } from '../../client/sessions.ts'
import type { WhenBusy } from '../../client/client.ts'
import { client, may, sendOnce } from '../api.ts'
import { texts } from '../language.ts'
import { isNothing } from '../lost-focus.ts'
import type { Followed } from '../sessions/followed.ts'
import { defaultModel, useOffers } from '../ui/offers.ts'
import type { SaidItem } from '../timeline/item.ts'
import { draftFiles, withFiles } from '../ui/attaching.tsx'
import { Chip, ComposeRoom } from '../ui/compose-room.tsx'
import { isTouched, useDraft } from '../ui/growing-text.tsx'
import { Icon } from '../ui/marks.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { lastTask, sayAgain, writtenWords } from './message-acts.tsx'

/** What is being written to a session. */
export interface Writing {
  text: Signal<string>
  field: RefObject<HTMLTextAreaElement | null>
  /** Takes away what was sent. */
  sent: (text: string) => void
  /** The message that is said anew; null: what is written is a new one. */
  edited: Signal<SaidItem | null>
  /** Takes the words of a message to be changed; null: what was being written before is there again. */
  edit: (item: SaidItem | null) => void
}

/** What is written stays until it was taken. */
export function useWriting(session: Followed): Writing {
  const { text, sent } = useDraft(session.id)
  const field = useRef<HTMLTextAreaElement>(null)
  const before = useRef('')
  const edited = useSignal<SaidItem | null>(null)
  const edit = (item: SaidItem | null) => {
    if (edited.value === null) before.current = text.value
    text.value = item === null ? before.current : writtenWords(item.message.content)
    edited.value = item
    field.current?.focus()
  }
  return { text, field, sent, edited, edit }
}

interface Props {
  session: Followed
  writing: Writing
}

/** Where one writes to a session. */
export function Composer({ session, writing }: Props) {
  const { text, field, sent, edited, edit } = writing
  const { isBusy, problem, run } = useAct()
  const attached = draftFiles(session.id)
  const isRunning = session.head.value?.status === 'in_progress'
  const act = (action: Action, whenBusy?: WhenBusy) =>
    run(async () => {
      await sendOnce((key) => client.value.sessions.start(session.id, action, whenBusy ? { key, whenBusy } : { key }))
      await session.refresh()
    })
  const isEmpty = text.value.trim() === '' && attached.files.value.length === 0
  const canSend = !isEmpty && !isBusy.value && may('run')
  const send = async (whenBusy?: WhenBusy) => {
    const words = text.value.trim()
    const files = attached.files.value
    const item = edited.value
    if (!canSend) return
    const content = await withFiles(words, files)
    const went = item
      ? await run(() => sayAgain(session.id, item, content))
      : await act({ type: 'message', content }, whenBusy)
    if (!went) return
    if (item) edit(null)
    else sent(words)
    attached.remove(files)
    field.current?.focus()
  }
  const stop = () =>
    run(async () => {
      await client.value.sessions.cancel(session.id)
      await session.refresh()
    })
  useEscape(() => (edited.value ? edit(null) : isRunning && !isBusy.value && may('run') ? void stop() : undefined))
  const sendNow = () => void send(isRunning ? 'queue' : undefined)
  const t = texts().chat
  if (!may('run') && isEmpty)
    return (
      <div class="composer">
        <p class="notice">{texts().key.runsNot}</p>
      </div>
    )
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        sendNow()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' || event.target !== field.current || text.value !== '') return
        const last = lastTask(session.timeline.items)
        if (!last || edited.value) return
        event.preventDefault()
        edit(last)
      }}
    >
      <ProblemLine text={problem.value} />
      {edited.value ? <Edits item={edited.value} onLeave={() => edit(null)} /> : null}
      <ComposeRoom
        text={text}
        attached={attached}
        field={field}
        label={t.message}
        placeholder={isTouched ? t.placeholderShort : t.placeholder}
        onSend={sendNow}
        chips={<ModelChip session={session} run={run} />}
        acts={
          <>
            {isRunning && canSend && !edited.value ? (
              <>
                <button type="button" class="quiet" onClick={() => void send('steer')}>
                  {t.steer}
                </button>
                <button type="button" class="quiet" onClick={() => void send('interrupt')}>
                  {t.interrupt}
                </button>
              </>
            ) : null}
            {isRunning && may('run') ? (
              <button type="button" class="stop" title={t.stopKey} onClick={() => void stop()} disabled={isBusy.value}>
                <Icon name="stop" /> {t.stop}
              </button>
            ) : null}
            {canContinue(session) ? (
              <button
                type="button"
                class="quiet"
                onClick={() => void act({ type: 'continue' })}
                disabled={isBusy.value}
              >
                {t.continue}
              </button>
            ) : null}
            <button type="submit" class="primary round" disabled={!canSend} title={isRunning ? t.queue : t.send}>
              <Icon name="send" />
              <span class="unseen">{isRunning ? t.queue : t.send}</span>
            </button>
          </>
        }
      />
    </form>
  )
}

/** Says that what is written takes the place of a message. */
function Edits({ item, onLeave }: { item: SaidItem; onLeave: () => void }) {
  const { content } = item.message
  const hasFiles = typeof content !== 'string' && content.some(({ type }) => type === 'file' || type === 'image')
  const { edits, editsFiles } = texts().chat
  return (
    <p class="edits dim" role="status">
      <Icon name="edit" /> {edits} {hasFiles ? `${editsFiles} ` : ''}
      <button type="button" class="link" onClick={onLeave}>
        {texts().cancel}
      </button>
    </p>
  )
}

interface ModelChipProps {
  session: Followed
  run: (act: () => Promise<void>) => Promise<boolean>
}

/** The model that answers from here on. */
function ModelChip({ session, run }: ModelChipProps) {
  const models = useOffers()?.models ?? []
  if (models.length < 2) return null
  const choose = (model: string) =>
    run(async () => {
      await client.value.sessions.patch(session.id, { config: { model } })
      await session.refresh()
    })
  return (
    <Chip
      label={texts().task.model}
      value={session.head.value?.config.model ?? defaultModel(models)}
      options={models.map(({ id }) => [id, id])}
      onChoose={(model) => void choose(model)}
    />
  )
}

/** Hears Escape while a conversation is looked at, but where it means something else. */
function useEscape(act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      const { target } = event
      const isHere = isNothing(target) || (target instanceof Element && target.closest('.conversation') !== null)
      if (isHere && target instanceof Element && target.closest('.pending') === null) latest.current()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
}

/** A run that rests between batches can be carried on; what to do with one that failed is said with its failure. */
function canContinue({ head, isResting }: Followed): boolean {
  return head.value?.status === 'in_progress' && isResting.value
}
