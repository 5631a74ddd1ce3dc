import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { texts } from '../language.ts'
import { heldFocus } from '../ui/focus.tsx'
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
  /** Beside the buttons. */
  children?: ComponentChildren
  /** What the form is called by who reads it aloud. */
  label: string
}

/** A form of fields. What is wrong stands at its field; the first such field is gone to. */
export function FieldForm({ groups, typed, save, onSave, onCancel, onTyped, children, label }: Props) {
  const t = texts()
  const room = useRef<HTMLFormElement>(null)
  const refusal = useSignal<FormRefusal>(NO_REFUSAL)
  const isBusy = useSignal(false)
  const fields = groups.flatMap((group) => group.fields)
  const type = (key: string, value: Typed) => {
    const next = { ...typed.value, [key]: value }
    typed.value = onTyped?.(key, next) ?? next
    if (refusal.value.fields[key] !== undefined) {
      const { [key]: _, ...rest } = refusal.value.fields
      refusal.value = { ...refusal.value, fields: rest }
    }
  }
  const send = async () => {
    if (isBusy.value) return
    refusal.value = missingIn(fields, typed.value)
    if (Object.keys(refusal.value.fields).length === 0) {
      const giveBack = heldFocus()
      isBusy.value = true
      try {
        await onSave(typed.value)
      } catch (error) {
        refusal.value = formRefusal(error, fields)
      } finally {
        isBusy.value = false
        giveBack()
      }
    }
    requestAnimationFrame(() => goToWrong(room.current))
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
