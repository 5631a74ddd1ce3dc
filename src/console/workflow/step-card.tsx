import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { isObject } from '../../lib/json.ts'
import { describedOf, FieldFrame } from '../forms/frame.tsx'
import { flowTexts } from '../flow/texts.ts'
import { Icon } from '../ui/marks.tsx'
import { listText, labelledText } from '../language.ts'
import { idsOf, stepKey, joinedPath, writtenSteps, textAt, writtenAt } from './definition.ts'
import { isWarnedWithin, toldAt, useEditing, warnedAt } from './editing.ts'
import { isStepId } from './faults.ts'
import { MoreFold } from './more-fold.tsx'
import { isToldWithin } from './refusals.ts'
import { sightAt } from './sight.ts'
import { Speakable, useSpeaking } from './speakable.tsx'
import { StepFieldRow } from './step-field.tsx'
import { fieldsOf, type StepField, writtenType, waitOf } from './step-fields.ts'
import { workflowTexts } from './texts.ts'
import { JsonText, NameText } from './value-text.tsx'

interface Props {
  path: string
  step: unknown
  number: number
  isLast: boolean
  onMove: (by: -1 | 1, name: string) => void
  onRemove: () => void
}

/** So many steps are shown with all their fields. */
const OPEN_MAX = 3

/** A step: what it does in a line, and its fields. */
export function StepCard({ path, step, number, isLast, onMove, onRemove }: Props) {
  const t = workflowTexts()
  const editing = useEditing()
  const { workflow, refusal, added } = editing
  const room = useRef<HTMLElement>(null)
  const isAdded = added.current === stepKey(step)
  const isOpen = useSignal(isAdded || writtenSteps(workflow.peek()['steps']).length <= OPEN_MAX)
  // It stays open when what is wrong in it is changed.
  if (isToldWithin(refusal.value, path)) isOpen.value = true
  const isShown = isOpen.value
  // Fields that were shown once stay, with what is typed in them and is no value yet.
  const wasShown = useRef(false)
  wasShown.current ||= isShown
  const bodyId = useId()
  const id = textAt(step, 'id')
  const name = id || t.step(number)
  const type = writtenType(step)
  useLayoutEffect(() => {
    if (!isAdded) return
    added.current = 0
    room.current?.querySelector<HTMLElement>('.step-main :is(input, select, textarea, button)')?.focus()
  }, [])
  // What is no JSON yet is not folded away: it could not be gone to.
  const fold = () => (isOpen.value = !isShown || room.current?.querySelector('.broken') != null)
  const act = (icon: 'send' | 'down' | 'cross', label: string, isOff: boolean, onClick: () => void, kind = '') => (
    <button
      type="button"
      class={`quiet ${kind}`}
      disabled={isOff}
      title={label}
      aria-label={labelledText(label, name)}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
  return (
    <article class="step-card" ref={room} aria-label={name}>
      <header>
        <button
          type="button"
          class="step-head"
          aria-expanded={isShown}
          aria-controls={wasShown.current ? bodyId : undefined}
          onClick={fold}
        >
          <span class="number">{number}</span>
          <span class="what">
            <strong>{type === null ? t.unknownType : flowTexts().types[type]}</strong> <code>{id}</code>
            {isShown ? null : <span class="dim says">{saidOf(step)}</span>}
            {isShown || !isWarnedWithin(editing, path) ? null : <span class="field-warning">{t.toCheck}</span>}
          </span>
        </button>
        {act('send', t.moveUp, number === 1, () => onMove(-1, name), 'move')}
        {act('down', t.moveDown, isLast, () => onMove(1, name), 'move')}
        {act('cross', t.removeStep, false, onRemove)}
      </header>
      {wasShown.current ? (
        <div id={bodyId} hidden={!isShown}>
          <StepBody path={path} step={step} />
        </div>
      ) : null}
    </article>
  )
}

const SAYS = [
  'prompt',
  'tool',
  'condition',
  'over',
  'workflow',
  'approval',
  'question.text',
  'until',
  'signal',
  'value',
]

/** What a step does, in the words of its author. */
function saidOf(step: unknown): string {
  const values = writtenAt(step, 'values')
  const t = workflowTexts()
  const said = SAYS.map((name) => textAt(step, name)).find((text) => text !== '')
  const wait = writtenType(step) === 'wait' ? waitOf(step) : ''
  return said ?? (isObject(values) ? listText(Object.keys(values)) : wait === '' ? '' : t.waits[wait])
}

function StepBody({ path, step }: Pick<Props, 'path' | 'step'>) {
  const t = workflowTexts()
  const editing = useEditing()
  const { room, onFocusIn, speak } = useSpeaking()
  const fields = fieldsOf(step)
  const own = toldAt(editing, path)
  const more = fields.filter(({ isMore }) => isMore)
  const isUsed = more.some(({ name }) => writtenAt(step, name) !== undefined)
  const isWrong = more.some(({ name }) => {
    const at = joinedPath(path, name)
    return isToldWithin(editing.refusal.value, at) || warnedAt(editing, at) !== undefined
  })
  const isIdWrong = toldAt(editing, joinedPath(path, 'id')) !== undefined
  const isSpeaking = ({ kind }: StepField) => ['template', 'expression', 'word', 'values'].includes(kind)
  const main = fields.filter(({ isMore }) => !isMore)
  const spoken = main.findLast(isSpeaking) ?? more.find(isSpeaking)
  const row = (field: StepField) => (
    <Fragment key={field.name}>
      <StepFieldRow {...{ path, step, field }} />
      {field === spoken ? <Speakable names={sightAt(editing.workflow.value, path)} onSpeak={speak} /> : null}
    </Fragment>
  )
  return (
    <div class="step-body speaking" ref={room} onFocusIn={onFocusIn}>
      {own === undefined ? null : (
        <p class="problem wrong" role="alert">
          {own}
        </p>
      )}
      <div class="fields step-main">{main.map(row)}</div>
      <MoreFold title={isUsed ? <MoreTitle fields={more} step={step} /> : t.stepMore} isWanted={isWrong || isIdWrong}>
        <div class="fields">
          <IdField path={path} step={step} />
          {more.map(row)}
        </div>
        <WholeStep path={path} step={step} />
      </MoreFold>
    </div>
  )
}

/** Which of the rarer fields are used. */
function MoreTitle({ fields, step }: { fields: readonly StepField[]; step: unknown }) {
  const t = workflowTexts()
  const used = fields.flatMap(({ name }) => {
    const [first = name] = name.split('.')
    const isFirst = fields.find((one) => one.name.split('.')[0] === first)?.name === name
    return isFirst && writtenAt(step, first) !== undefined ? (t.fields[name] ?? name) : []
  })
  return (
    <>
      {t.stepMore}
      <span class="dim"> · {used.join(' · ')}</span>
    </>
  )
}

/** What others call a step by. */
function IdField({ path, step }: Pick<Props, 'path' | 'step'>) {
  const t = workflowTexts()
  const editing = useEditing()
  const problem = toldAt(editing, joinedPath(path, 'id'))
  const told = { id: useId(), hint: t.idHint, problem }
  const refused = (id: string) =>
    !isStepId(id) ? t.badStepName : idsOf(editing.workflow.value).includes(id) ? t.nameTaken(id) : undefined
  return (
    <FieldFrame {...told} label={t.id} isNeeded>
      <NameText
        id={told.id}
        aria-describedby={describedOf(told)}
        aria-invalid={problem === undefined ? undefined : 'true'}
        value={textAt(step, 'id')}
        refused={refused}
        onSet={(id) => editing.rename(path, id)}
      />
    </FieldFrame>
  )
}

/** All of a step as JSON, for what has no field. */
function WholeStep({ path, step }: Pick<Props, 'path' | 'step'>) {
  const t = workflowTexts()
  const { set } = useEditing()
  return (
    <MoreFold title={t.stepAsJson} isBegun={writtenType(step) === null}>
      <JsonText
        aria-label={t.stepAsJson}
        rows={6}
        value={step}
        fits={isObject}
        onSet={(value) => isObject(value) && set(path, value)}
      />
    </MoreFold>
  )
}
