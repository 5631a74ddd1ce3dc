import { useSignal } from '@preact/signals'
import type { PendingInput } from '../../domain/session-input.ts'
import { stepApproval, type Pending } from '../../domain/pending.ts'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { may } from '../api.ts'
import { distanceText, texts } from '../language.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { SchemaForm } from './schema-form.tsx'
import { ApprovalForm, Arguments, type Mode } from './approval-form.tsx'
import { approval, askingRole, plannedTasks, pendingTitle, pendingQuestion } from './decision.ts'
import { useDraft, GrowingText } from '../ui/growing-text.tsx'
import { Later } from '../ui/loaded.tsx'

interface Props {
  pending: Pending
  /** The sub-task, role or step that asks, where more of it is known than the item says; null: the agent itself. */
  place?: string | null
  /** Whether the tool can be let run without asking from here on. */
  canRemember?: boolean
  /** Whether it can be approved with other arguments. */
  canEdit?: boolean
  /** Whether a secret that it lacks can be given here, which takes a key. */
  canKeep?: boolean
  /** Sends the decision; rejects when it was not taken. */
  onDecide: (decision: PendingInput) => Promise<void>
}

/** Something that waits for a human, or for the caller whose tool is called: what it is, why it asks, and the ways to answer. */
export function PendingCard({
  pending,
  place = askingRole(pending),
  canRemember = true,
  canEdit = true,
  canKeep = true,
  onDecide,
}: Props) {
  const { isBusy, problem, run } = useAct()
  const mode = useSignal<Mode>('plain')
  const always = useSignal(false)
  const decide = (decision: PendingInput) => run(() => onDecide(decision))
  const t = texts().decide
  const tasks = plannedTasks(pending)
  // A result is given in the place of who runs the tool.
  const mayDecide = may(pending.type === 'tool_call' ? 'run' : 'decide')
  // A step is agreed to or not.
  const isStep = stepApproval(pending) !== null
  const onKeyDown = (event: KeyboardEvent) => {
    const act = mayDecide && pending.type === 'approval' && mode.value === 'plain' ? letterOf(event) : null
    if (act === null || isBusy.value || (act === 'edit' && (isStep || !canEdit))) return
    event.preventDefault()
    if (act === 'approve') void decide(approval(always.value))
    else mode.value = act
  }
  const title = withHiddenShown(pendingTitle(pending))
  return (
    <section
      class="pending"
      role="group"
      aria-label={title}
      data-pending={pending.id}
      data-risk={pending.risk ?? ''}
      data-asks={pending.type === 'question' && !pending.wait ? '' : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <header>
        <h3>{title}</h3>
        {place === null ? null : <span class="scope">{withHiddenShown(place)}</span>}
        {pending.risk === undefined ? null : <span class="risk">{t.risk[pending.risk] ?? pending.risk}</span>}
      </header>
      {pending.reason === undefined ? null : (
        <p class="reason">
          <strong>{t.reason}</strong> {withHiddenShown(pending.reason)}
        </p>
      )}
      {!mayDecide ? (
        <AskedOnly pending={pending} tasks={tasks} />
      ) : pending.connection ? (
        <Later
          load={async () => (await import('./connection-form.tsx')).ConnectionForm}
          props={{ wanted: pending.connection, canKeep, isBusy: isBusy.value, onDecide: decide }}
        />
      ) : pending.form ? (
        <SchemaForm pending={pending} form={pending.form} isBusy={isBusy.value} onDecide={decide} />
      ) : pending.type === 'question' ? (
        <QuestionForm pending={pending} isBusy={isBusy.value} onDecide={decide} />
      ) : pending.type === 'tool_call' ? (
        <Later
          load={async () => (await import('./result-form.tsx')).ResultForm}
          props={{ pending, isBusy: isBusy.value, onDecide: decide }}
        />
      ) : (
        <ApprovalForm
          {...{ pending, tasks, mode, always }}
          canRemember={canRemember && !isStep}
          canEdit={canEdit && !isStep}
          isBusy={isBusy.value}
          onDecide={decide}
        />
      )}
      <ProblemLine text={problem.value} />
      <p class="dim expires">{(pending.wait ? t.continues : t.expires)(distanceText(pending.expires_time))}</p>
    </section>
  )
}

/** What is asked, to who may not answer it. */
function AskedOnly({ pending, tasks }: { pending: Pending; tasks: ReturnType<typeof plannedTasks> }) {
  return (
    <div class="form">
      {pending.type === 'question' ? (
        <p class="question">{withHiddenShown([pendingQuestion(pending), ...(pending.options ?? [])].join('\n'))}</p>
      ) : (
        <Arguments pending={pending} tasks={tasks} />
      )}
      <p class="notice">{texts().key.decidesNot}</p>
    </div>
  )
}

/** A letter decides only where nothing is being typed, and without a modifier. */
function letterOf({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): Mode | 'approve' | null {
  if (ctrlKey || metaKey || altKey || target instanceof HTMLInputElement) return null
  const acts = { a: 'approve', e: 'edit', r: 'refuse' } as const
  const letter = key.toLowerCase()
  return letter === 'a' || letter === 'e' || letter === 'r' ? acts[letter] : null
}

interface QuestionProps {
  pending: Pending
  isBusy: boolean
  onDecide: (decision: PendingInput) => Promise<boolean>
}

/** A question with its options, or with words of one's own. */
function QuestionForm({ pending, isBusy, onDecide }: QuestionProps) {
  const { text: answer, sent } = useDraft(pending.id)
  const t = texts().decide
  const send = async (text: string) => {
    if (text.trim() === '' || isBusy) return
    if (await onDecide({ decision: 'answer', answer: text })) sent(answer.value)
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void send(answer.value)
      }}
    >
      <p class="question">{withHiddenShown(pendingQuestion(pending))}</p>
      {pending.options === undefined ? null : (
        <div class="acts options">
          {pending.options.map((option) => (
            <button type="button" key={option} disabled={isBusy} onClick={() => void send(option)}>
              {withHiddenShown(option)}
            </button>
          ))}
        </div>
      )}
      <GrowingText
        value={answer}
        label={t.yourAnswer}
        placeholder={t.yourAnswer}
        onSend={() => void send(answer.value)}
      />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || answer.value.trim() === ''}>
          {t.answer}
        </button>
        {pending.wait === undefined ? null : (
          <>
            <button type="button" disabled={isBusy} onClick={() => void send(t.goOnNow)}>
              {t.goOnNow}
            </button>
            <button
              type="button"
              class="danger"
              disabled={isBusy}
              onClick={() => void onDecide({ decision: 'reject' })}
            >
              {t.callOff}
            </button>
          </>
        )}
      </div>
    </form>
  )
}
