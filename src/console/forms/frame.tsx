import type { ComponentChildren } from 'preact'
import { formTexts } from './texts.ts'

/** What is said of a field below it. `id`: of what one types in. */
export interface FieldNotes {
  id: string
  hint?: string | undefined
  problem?: string | undefined
  /** What may be wrong, though it can be saved. */
  warning?: string | undefined
  isLocked?: boolean
}

/** The class of a field. */
export const placeOfField = (isWide: boolean | undefined, problem: string | undefined): string =>
  `field${isWide ? ' wide' : ''}${problem === undefined ? '' : ' wrong'}`

/** Ids of what describes a field: its hint, its problem, its warning. */
export function describedOf({ id, hint, problem, warning }: FieldNotes): string | undefined {
  const said = { hint, problem, warning }
  const ids = Object.entries(said).flatMap(([name, text]) => (text === undefined ? [] : `${id}-${name}`))
  return ids.length === 0 ? undefined : ids.join(' ')
}

export function FieldTold({ id, hint, problem, warning, isLocked }: FieldNotes) {
  return (
    <>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {isLocked ? <span class="tag">{formTexts().lockedMark}</span> : null} {hint}
        </p>
      )}
      {problem === undefined ? null : (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      {warning === undefined ? null : (
        <p class="field-warning" id={`${id}-warning`} role="status">
          {warning}
        </p>
      )}
    </>
  )
}

interface Props extends FieldNotes {
  label: string
  isNeeded?: boolean | undefined
  isWide?: boolean | undefined
  /** Several are typed in, each with a label of its own. */
  isGroup?: boolean
  children: ComponentChildren
}

/** A field with its label, its hint and what is wrong with it. */
export function FieldFrame({ label, isNeeded, isWide, isGroup, children, ...told }: Props) {
  return (
    <div class={placeOfField(isWide, told.problem)}>
      {isGroup ? (
        <span class="label">{label}</span>
      ) : (
        <label for={told.id}>
          {label}
          {isNeeded ? <span aria-hidden="true"> *</span> : null}
        </label>
      )}
      {children}
      <FieldTold {...told} />
    </div>
  )
}
