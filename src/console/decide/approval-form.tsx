import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { DecisionInput } from '../../domain/session-input.ts'
import { stepApproval, type Pending } from '../../domain/pending.ts'
import { texts } from '../language.ts'
import { useDraft, GrowingText } from '../ui/growing-text.tsx'
import { GivenArguments } from './given-arguments.tsx'
import { workerName } from '../ui/marks.tsx'
import { approval, pendingQuestion } from './decision.ts'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { jsonObject } from '../../lib/json.ts'

interface Props {
  pending: Pending
  /** Of a plan that waits. */
  tasks: readonly { name: string; text: string }[] | null
  canRemember: boolean
  canEdit: boolean
  mode: Signal<Mode>
  always: Signal<boolean>
  isBusy: boolean
  onDecide: (decision: DecisionInput) => Promise<boolean>
}

export type Mode = 'plain' | 'edit' | 'refuse'

/** Approve as it is, approve as edited, or refuse with a word on why. */
export function ApprovalForm({ pending, tasks, canRemember, canEdit, mode, always, isBusy, onDecide }: Props) {
  const t = texts().decide
  if (mode.value === 'edit')
    return (
      <EditForm
        pending={pending}
        isBusy={isBusy}
        onCancel={() => (mode.value = 'plain')}
        onSend={(args) => onDecide({ ...approval(always.value), arguments: args })}
      />
    )
  if (mode.value === 'refuse')
    return <RefuseForm pending={pending} isBusy={isBusy} onCancel={() => (mode.value = 'plain')} onDecide={onDecide} />
  const keys = canEdit ? t.keys : t.keysPlain
  return (
    <div class="form">
      <Arguments pending={pending} tasks={tasks} />
      <div class="acts">
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => void onDecide(approval(always.value))}
          title={keys}
        >
          {t.approve}
        </button>
        {canEdit ? (
          <button type="button" disabled={isBusy} onClick={() => (mode.value = 'edit')} title={keys}>
            {texts().edit}
          </button>
        ) : null}
        <button type="button" class="danger" disabled={isBusy} onClick={() => (mode.value = 'refuse')} title={keys}>
          {t.refuse}
        </button>
        {tasks || !canRemember ? null : (
          <label class="check">
            <input type="checkbox" checked={always.value} onChange={(e) => (always.value = e.currentTarget.checked)} />
            {t.always}
          </label>
        )}
      </div>
    </div>
  )
}

/** What a call is to be made with, to the letter; of a step, what its author says beside the title. */
export function Arguments({ pending, tasks }: Pick<Props, 'pending' | 'tasks'>) {
  if (tasks)
    return (
      <ol class="planned">
        {tasks.map(({ name, text }, index) => (
          <li key={index}>
            <strong>{withHiddenShown(text)}</strong> <span class="dim">{withHiddenShown(workerName(name))}</span>
          </li>
        ))}
      </ol>
    )
  if (stepApproval(pending) !== null) {
    const more = withHiddenShown(pendingQuestion(pending))
    return more === '' ? null : <p class="question">{more}</p>
  }
  return <GivenArguments title={texts().decide.arguments} tool={pending.tool ?? ''} values={pending.arguments ?? {}} />
}

interface EditProps {
  pending: Pending
  isBusy: boolean
  onCancel: () => void
  onSend: (args: Record<string, unknown>) => Promise<boolean>
}

function EditForm({ pending, isBusy, onCancel, onSend }: EditProps) {
  const { text, sent } = useDraft(
    `${pending.id}.arguments`,
    withHiddenShown(JSON.stringify(pending.arguments ?? {}, null, 2)),
  )
  const value = jsonObject(text.value)
  const field = useFocus()
  const t = texts().decide
  const send = async () => {
    if (value && (await onSend(value))) sent(text.value)
  }
  return (
    <form
      class="form"
      onKeyDown={onEscape(onCancel)}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <GrowingText value={text} room={field} label={t.editJson} rows={4} mono />
      {value ? null : (
        <p class="problem" role="status">
          {t.badJson}
        </p>
      )}
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || value === null}>
          {t.approveEdited}
        </button>
        <button type="button" onClick={onCancel}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}

interface RefuseProps {
  pending: Pending
  isBusy: boolean
  onCancel: () => void
  onDecide: (decision: DecisionInput) => Promise<boolean>
}

function RefuseForm({ pending, isBusy, onCancel, onDecide }: RefuseProps) {
  const { text: feedback, sent } = useDraft(pending.id)
  const field = useFocus()
  const t = texts().decide
  const label = stepApproval(pending) === null ? t.refuseWhy : t.refuseStep
  const send = async () => {
    const word = feedback.value.trim()
    if (await onDecide({ decision: 'reject', ...(word === '' ? {} : { feedback: word }) })) sent(feedback.value)
  }
  return (
    <form
      class="form"
      onKeyDown={onEscape(onCancel)}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <GrowingText value={feedback} room={field} label={label} placeholder={label} onSend={() => void send()} />
      <div class="acts">
        <button type="submit" class="danger" disabled={isBusy}>
          {t.refuseSend}
        </button>
        <button type="button" onClick={onCancel}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}

/** Leaves a form as its button does; what was written there stays. */
const onEscape = (leave: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape' || event.isComposing) return
  event.preventDefault()
  leave()
}

/** What was just asked for has the focus. */
function useFocus() {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return field
}
