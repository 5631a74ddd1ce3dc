import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { texts } from '../language.ts'
import { heldFocus } from '../ui/form-focus.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { type FieldGroup, type InputField, fieldKey, chosenIn, type Typed, type TypedForm } from './field.ts'
import { describedOf, FieldFrame, FieldTold, placeOfField, type FieldNotes } from './frame.tsx'
import { FieldInput } from './inputs.tsx'
import { missingIn, NO_REFUSAL, type FormRefusal, formRefusal } from './refusal.ts'
import { formTexts } from './texts.ts'

interface Props {
  groups: readonly FieldGroup[]
  typed: Signal<TypedForm>
  /** What the button says that sends it. */
  save?: string
  /** Rejects with why it was not taken: then all that was typed stays. */
  onSave: (typed: TypedForm) => Promise<void>
  onCancel?: () => void
  /** Changes beside what was typed, such as an address that goes with a service. */
  onTyped?: (key: string, typed: TypedForm) => TypedForm
  /** Tries what is typed, and changes nothing that is there; rejects with why it does not do. */
  trial?: Trial
  /** What was refused, where who has the form looks at it too. */
  refused?: Signal<FormRefusal>
  /** Beside the buttons. */
  children?: ComponentChildren
  /** What the form is called by who reads it aloud. */
  label: string
}

interface Trial {
  text: string
  /** What the button says meanwhile. */
  busyText: string
  onTry: (typed: TypedForm) => Promise<void>
}

/** A form of fields. What is wrong stands at its field; the first such field is gone to. */
export function FieldForm({ groups, typed, save, onSave, onCancel, onTyped, trial, refused, children, label }: Props) {
  const t = texts()
  const room = useRef<HTMLFormElement>(null)
  const own = useSignal<FormRefusal>(NO_REFUSAL)
  const refusal = refused ?? own
  const isBusy = useSignal(false)
  const isTried = useSignal(false)
  const fields = groups.flatMap((group) => group.fields)
  const type = (key: string, value: Typed) => {
    const before = typed.value
    const next = { ...before, [key]: value }
    typed.value = onTyped?.(key, next) ?? next
    // What was refused was another entry.
    const told = Object.entries(refusal.value.fields).filter(([name]) => typed.value[name] === before[name])
    refusal.value = { fields: Object.fromEntries(told), rest: null }
  }
  const send = async (act = onSave) => {
    if (isBusy.value) return
    refusal.value = missingIn(fields, typed.value)
    if (Object.keys(refusal.value.fields).length === 0) {
      const giveBack = heldFocus()
      isBusy.value = true
      try {
        await act(typed.value)
      } catch (error) {
        refusal.value = formRefusal(error, fields)
      } finally {
        isBusy.value = false
        giveBack()
      }
    }
    requestAnimationFrame(() => goToWrong(room.current))
  }
  const attempt = async ({ onTry }: Trial) => {
    isTried.value = true
    await send(onTry)
    isTried.value = false
  }
  const isMarked = Object.keys(refusal.value.fields).length > 0
  return (
    <form
      ref={room}
      class="form card field-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {groups.map((group, index) => (
        <Group key={group.title ?? index} group={group} typed={typed.value} refusal={refusal.value} onType={type} />
      ))}
      <ProblemLine text={refusal.value.rest ?? (isMarked ? formTexts().check : null)} />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy.value}>
          {save ?? t.save}
        </button>
        {onCancel ? (
          <button type="button" disabled={isBusy.value} onClick={onCancel}>
            {t.cancel}
          </button>
        ) : null}
        {trial ? (
          <button type="button" disabled={isBusy.value} onClick={() => void attempt(trial)}>
            {isTried.value ? trial.busyText : trial.text}
          </button>
        ) : null}
        {children}
      </div>
    </form>
  )
}

/** The first field that is wrong is where one goes on; whatever it is folded in opens. */
export function goToWrong(room: HTMLElement | null): void {
  const wrong = room?.querySelector<HTMLElement>('[aria-invalid=true], .wrong :is(input, select, textarea, button)')
  for (let fold = wrong?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true
  wrong?.focus()
}

interface GroupProps {
  group: FieldGroup
  typed: TypedForm
  refusal: FormRefusal
  onType: (key: string, value: Typed) => void
}

function Group({ group: { title, hint, isFolded, isRows, fields }, typed, refusal, onType }: GroupProps) {
  const rows = (
    <div class={isRows ? 'fields rows' : 'fields'}>
      {fields
        .filter(({ when }) => when?.(typed) ?? true)
        .map((field) => (
          <FieldRow
            key={fieldKey(field)}
            field={field}
            typed={typed[fieldKey(field)]}
            problem={refusal.fields[fieldKey(field)]}
            onType={(value) => onType(fieldKey(field), value)}
          />
        ))}
    </div>
  )
  const isWrong = fields.some((field) => refusal.fields[fieldKey(field)] !== undefined)
  if (isFolded)
    return (
      <details class="advanced" open={isWrong || undefined}>
        <summary>{title ?? formTexts().more}</summary>
        {hint === undefined ? null : <p class="hint">{hint}</p>}
        {rows}
      </details>
    )
  if (title === undefined) return rows
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
      {rows}
    </fieldset>
  )
}

interface RowProps {
  field: InputField
  typed: Typed | undefined
  problem: string | undefined
  onType: (value: Typed) => void
}

function FieldRow({ field, typed, problem, onType }: RowProps): JSX.Element {
  const id = useId()
  const { label, locked, isNeeded, kind } = field
  const hint = locked ?? field.hint
  const isWide = field.isWide || ['area', 'code', 'pairs', 'lines', 'many'].includes(kind)
  const told = { id, hint, problem, isLocked: locked !== undefined }
  const describedBy = describedOf(told)
  if (kind === 'many') return <ManyRow {...{ field, typed, told, onType }} />
  if (kind === 'check')
    return (
      <div class={placeOfField(isWide, problem)}>
        <label class="check">
          <input
            type="checkbox"
            checked={typed === true}
            disabled={locked !== undefined}
            aria-describedby={describedBy}
            onChange={(event) => onType(event.currentTarget.checked)}
          />
          {label}
        </label>
        <FieldTold {...told} />
      </div>
    )
  return (
    <FieldFrame {...told} label={label} isNeeded={isNeeded} isWide={isWide} isGroup={kind === 'pairs'}>
      <FieldInput {...{ field, id, typed, onType, describedBy }} isWrong={problem !== undefined} />
    </FieldFrame>
  )
}

interface ManyProps {
  field: Extract<InputField, { kind: 'choice' | 'many' }>
  typed: Typed | undefined
  told: FieldNotes
  onType: (value: Typed) => void
}

function ManyRow({ field: { label, options, locked }, typed, told, onType }: ManyProps) {
  const chosen = chosenIn(typed)
  const toggle = (value: string) =>
    onType(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  return (
    <fieldset class={placeOfField(true, told.problem)} disabled={locked !== undefined}>
      <legend>{label}</legend>
      <div class="checks">
        {options.map(({ value, label: name }) => (
          <label class="check" key={value}>
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            {name}
          </label>
        ))}
      </div>
      <FieldTold {...told} />
    </fieldset>
  )
}
