import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { StepType } from '../../domain/workflow-step.ts'
import { flowTexts } from '../flow/texts.ts'
import { Icon } from '../ui/marks.tsx'
import { stepKey, moved, newStep, textAt } from './definition.ts'
import { type StepListProps, toldAt, useEditing, useOnceShown } from './editing.ts'
import { StepCard } from './step-card.tsx'
import { TYPES } from './step-fields.ts'
import { workflowTexts } from './texts.ts'

/** Steps in their order: one is added at the end, moved, taken away. */
export function StepList({ path, steps, label, isOptional = false }: StepListProps) {
  const t = workflowTexts()
  const editing = useEditing()
  const { workflow, added, set, takeAway } = editing
  const room = useRef<HTMLDivElement>(null)
  const onceShown = useOnceShown()
  const said = useSignal('')
  const problem = toldAt(editing, path)
  const given = (next: readonly unknown[]) => (next.length === 0 && isOptional ? undefined : next)
  const give = (next: readonly unknown[]) => set(path, given(next))
  const add = (type: StepType) => {
    const step = newStep(type, workflow.value)
    added.current = stepKey(step)
    give([...steps, step])
  }
  const move = (from: number, to: number, name: string) => {
    const isUp = to < from
    give(moved(steps, from, to))
    said.value = t.movedTo(name, to + 1)
    // What is moved in a page loses the focus.
    onceShown(() => {
      const card = room.current?.querySelector(`:scope > ol > li:nth-child(${to + 1}) > .step-card > header`)
      const [up, down] = card?.querySelectorAll<HTMLButtonElement>('.move') ?? []
      const first = isUp ? up : down
      ;(first?.disabled ? (isUp ? down : up) : first)?.focus()
    })
  }
  const remove = (index: number) => {
    const rest = steps.filter((_, at) => at !== index)
    takeAway(path, given(rest), textAt(steps[index], 'id') || t.step(index + 1))
    onceShown(() => room.current?.querySelector<HTMLElement>(':scope > .add-step > button')?.focus())
  }
  return (
    <div class="step-list" ref={room}>
      {steps.length === 0 ? null : (
        <ol aria-label={label}>
          {steps.map((step, index) => (
            <li key={stepKey(step) || -index}>
              <StepCard
                path={`${path}.${index}`}
                step={step}
                number={index + 1}
                isLast={index === steps.length - 1}
                onMove={(by, name) => move(index, index + by, name)}
                onRemove={() => remove(index)}
              />
            </li>
          ))}
        </ol>
      )}
      <AddStep label={label} problem={problem} onAdd={add} />
      <p class="unseen" role="status">
        {said}
      </p>
    </div>
  )
}

interface AddProps {
  label: string
  problem: string | undefined
  onAdd: (type: StepType) => void
}

/** What kinds of steps there are, each with what it does. */
function AddStep({ label, problem, onAdd }: AddProps) {
  const t = workflowTexts()
  const isOpen = useSignal(false)
  const room = useRef<HTMLButtonElement>(null)
  return (
    <div
      class={problem === undefined ? 'add-step' : 'add-step wrong'}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen.value) return
        isOpen.value = false
        room.current?.focus()
      }}
    >
      <button
        ref={room}
        type="button"
        aria-expanded={isOpen.value}
        aria-invalid={problem === undefined ? undefined : 'true'}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="plus" /> {t.addStep}
        <span class="unseen">: {label}</span>
      </button>
      {problem === undefined ? null : (
        <p class="field-problem" role="alert">
          {t.noSteps}
        </p>
      )}
      {isOpen.value ? (
        <ul>
          {TYPES.map((type) => (
            <li key={type}>
              <button
                type="button"
                onClick={() => {
                  isOpen.value = false
                  onAdd(type)
                }}
              >
                <strong>{flowTexts().types[type]}</strong>
                <span>{t.does[type]}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
