import { useSignal } from '@preact/signals'
import { client } from '../api.ts'
import type { Pending } from '../../domain/pending.ts'
import { memberOf } from '../../lib/json.ts'
import { durationText, listText, momentText, texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import type { Followed } from '../sessions/followed.ts'
import type { StepView } from '../../domain/workflow-view.ts'
import { StatusMark } from '../ui/marks.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { flowTexts } from './texts.ts'

const ENDED: readonly StepView['status'][] = ['completed', 'failed', 'cancelled', 'skipped']

interface Props {
  session: Followed
  step: StepView
  steps: readonly StepView[]
  /** Null: the run is not over, or was undone. */
  onRetry: ((path: string) => void) | null
  isBusy: boolean
  onClose: () => void
}

/** One step: where it stands, what it was given, what it gave, its items; and to do it once more. */
export function StepPanel({ session, step, steps, onRetry, isBusy, onClose }: Props) {
  const t = flowTexts()
  const { status, start_seq: start, end_seq: end, items, error } = step
  return (
    <section class="flow-panel card" aria-label={step.step}>
      <header>
        <h2>{step.step}</h2>
        <StatusMark status={status} />
        <button type="button" class="quiet" onClick={onClose}>
          {t.close}
        </button>
      </header>
      <Facts step={step} />
      <Decisions session={session} step={step} steps={steps} />
      {error === null ? null : <p class="problem">{error}</p>}
      {start === null ? null : <EventPart session={session} title={t.given} seq={start} part="input" />}
      {end === null || status === 'failed' ? null : (
        <EventPart session={session} title={t.gave} seq={end} part="output" />
      )}
      {items ? <Items {...{ session, step, steps, items, onRetry, isBusy }} /> : null}
      {onRetry && step.undoes === undefined && ENDED.includes(status) ? (
        <button type="button" disabled={isBusy} onClick={() => onRetry(step.step)}>
          {t.retry}
        </button>
      ) : null}
    </section>
  )
}

const DECISIONS_MAX = 5

/** Ways from a step to what waits for somebody in it, or in a step within it. */
function Decisions({ session, step, steps }: Pick<Props, 'session' | 'step' | 'steps'>) {
  const t = flowTexts()
  const isWithin = ({ step: one }: StepView) =>
    one.startsWith(step.step) && /^($|[.[])/.test(one.slice(step.step.length))
  const asked = steps.filter(isWithin).flatMap((one) => pendingOf(session, one, steps).map(({ id }) => ({ id, one })))
  return asked.slice(0, DECISIONS_MAX).map(({ id, one }, index) => (
    <button key={id} type="button" class={index === 0 ? 'primary' : ''} onClick={() => goToPending(session.id, id)}>
      {t.decide}
      {one === step ? '' : ` (${one.step})`}
    </button>
  ))
}

/** What a step asks itself, a call that is made in it, or what is asked in a branch below its own. */
function pendingOf({ head }: Followed, { step, scope, status }: StepView, steps: readonly StepView[]): Pending[] {
  const pending = head.value?.pending ?? []
  const own = pending.filter((one) => one.arguments?.['step'] === step || (scope !== null && one.scope === scope))
  if (status !== 'waiting' || own.length > 0) return ENDED.includes(status) ? [] : own
  return pending.filter((one) => !steps.some((other) => other.scope !== null && other.scope === one.scope))
}

/** Frames in which the conversation may come into the page. */
const FRAMES_MAX = 120

/** Where it is decided, once that is there. */
function goToPending(session: string, id: string): void {
  go(sessionAddress(session))
  const look = (left: number) => {
    const card = document.querySelector<HTMLElement>(`[data-pending="${id}"]`)
    if (card === null) return void (left > 0 && requestAnimationFrame(() => look(left - 1)))
    card.scrollIntoView({ block: 'nearest' })
    if (!card.contains(document.activeElement)) card.focus()
  }
  requestAnimationFrame(() => look(FRAMES_MAX))
}

/** How long it took; null: it has not ended. */
export function tookOf({ started_time: started, ended_time: ended }: StepView): string | null {
  return started === null || ended === null ? null : durationText(Math.max(0, Date.parse(ended) - Date.parse(started)))
}

function Facts({ step }: { step: StepView }) {
  const t = flowTexts()
  const took = tookOf(step)
  const facts = [
    ...(step.undoes === undefined ? [] : [t.undoes(step.undoes)]),
    t.types[step.type],
    ...(step.attempt > 1 ? [t.attempt(step.attempt)] : []),
    ...(step.started_time === null ? [] : [`${t.began} ${momentText(step.started_time)}`]),
    ...(took === null ? [] : [`${t.took} ${took}`]),
    ...(step.depends_on.length === 0 ? [] : [`${t.after} ${listText(step.depends_on)}`]),
  ]
  return <p class="dim facts">{facts.join(' · ')}</p>
}

interface EventPartProps {
  session: Followed
  title: string
  seq: number
  part: 'input' | 'output' | 'error'
}

/** What an event of a step holds, read when somebody wants to see it. */
function EventPart({ session, title, seq, part }: EventPartProps) {
  const isOpen = useSignal(false)
  return (
    <details class="fold" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen.value ? <EventValue key={seq} session={session} seq={seq} part={part} /> : null}
    </details>
  )
}

function EventValue({ session, seq, part }: Omit<EventPartProps, 'title'>) {
  const t = flowTexts()
  const { value, problem } = useLoaded(async () => {
    const { data } = await client.value.sessions.eventList(session.id, { after: seq - 1, limit: 1 })
    return shownOf(data[0], part)
  }, [seq])
  if (problem.value !== null) return <ProblemLine text={problem.value} />
  if (value.value === null) return null
  return (
    <pre class="plain" tabIndex={0}>
      {value.value === '' ? t.nothing : value.value}
    </pre>
  )
}

/** JSON as such, a text as it is; of an error what it says. */
function shownOf(event: object | undefined, part: EventPartProps['part']): string {
  const of: unknown = event && Reflect.get(event, part)
  const found = part === 'error' ? memberOf(of, 'message') : of
  if (found === undefined || found === null) return ''
  return typeof found === 'string' ? found : JSON.stringify(found, null, 2)
}

interface ItemsProps extends Pick<Props, 'session' | 'step' | 'steps' | 'onRetry' | 'isBusy'> {
  items: NonNullable<StepView['items']>
}

const ITEMS_SHOWN = 60

/** The items of a list, counted; one of them opened. */
function Items({ session, step, steps, items, onRetry, isBusy }: ItemsProps) {
  const t = flowTexts()
  const shown = useSignal(ITEMS_SHOWN)
  const opened = useSignal<number | null>(null)
  const wrong = new Set(items.wrong)
  const stateOf = (index: number) => (wrong.has(index) ? 'failed' : items.ends[index] ? 'completed' : 'running')
  const words = { failed: t.itemFailed, completed: t.itemDone, running: t.itemOpen }
  const index = opened.value
  const end = index === null ? 0 : (items.ends[index] ?? 0)
  const path = `${step.step}[${index}]`
  return (
    <section aria-label={t.itemList}>
      <h3>
        {t.itemList} <span class="dim">{t.items(items)}</span>
      </h3>
      <ul class="flow-items">
        {items.ends.slice(0, shown.value).map((_, number) => (
          <li key={number}>
            <button
              type="button"
              data-status={stateOf(number)}
              aria-pressed={index === number}
              aria-label={texts().told(t.item(number), words[stateOf(number)] ?? '')}
              title={words[stateOf(number)]}
              onClick={() => (opened.value = index === number ? null : number)}
            >
              {number + 1}
            </button>
          </li>
        ))}
      </ul>
      {items.ends.length > shown.value ? (
        <button type="button" class="quiet" onClick={() => (shown.value += ITEMS_SHOWN)}>
          {t.moreItems}
        </button>
      ) : null}
      {index === null ? null : (
        <div class="flow-item" data-item={index}>
          <h4>
            {t.item(index)} <StatusMark status={stateOf(index)} />
          </h4>
          <ul>
            {steps
              .filter((one) => one.step.startsWith(`${path}.`))
              .map((one) => (
                <li key={one.step}>
                  {one.step.slice(path.length + 1)} <StatusMark status={one.status} />
                </li>
              ))}
          </ul>
          {end === 0 ? null : wrong.has(index) ? (
            <EventValue key={end} session={session} seq={end} part="error" />
          ) : (
            <EventPart key={end} session={session} title={t.gave} seq={end} part="output" />
          )}
          {onRetry && end > 0 ? (
            <button type="button" disabled={isBusy} onClick={() => onRetry(path)}>
              {t.retryItem}
            </button>
          ) : null}
        </div>
      )}
    </section>
  )
}
