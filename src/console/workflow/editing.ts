import type { Signal } from '@preact/signals'
import { createContext, type JSX } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import type { ModelInfo } from '../../domain/model.ts'
import type { ToolInfo } from '../../domain/tool.ts'
import type { ListedWorkflow } from '../../domain/workflow-view.ts'
import type { WrittenWorkflow } from './definition.ts'
import type { Faults } from './faults.ts'
import type { WorkflowRefusal } from './refusals.ts'
import { workflowTexts } from './texts.ts'

/** What the server has that a step may name. */
export interface Known {
  tools: readonly ToolInfo[]
  models: readonly ModelInfo[]
  skills: readonly string[]
  teams: readonly string[]
  workflows: readonly ListedWorkflow[]
}

export const NOTHING_KNOWN: Known = { tools: [], models: [], skills: [], teams: [], workflows: [] }

/** A list of steps in its place. */
export interface StepListProps {
  path: string
  steps: readonly unknown[]
  /** What the list is called by who reads it aloud. */
  label: string
  /** It may have none. */
  isOptional?: boolean
}

/** A workflow that is being written, for all fields of its form. */
export interface Editing {
  workflow: Signal<WrittenWorkflow>
  refusal: Signal<WorkflowRefusal>
  /** What would not work, as it was when a field was left last. */
  faults: Signal<Faults>
  known: Known
  /** Key of the step that was added last: one goes on in it. */
  added: { current: number }
  /** Undefined takes a value away. */
  set: (path: string, value: unknown) => void
  /** The same where something is gone, that can be had back. `name`: what it is called. */
  takeAway: (path: string, value: unknown, name: string) => void
  /** Gives a step another id. */
  rename: (path: string, id: string) => void
  /** Sets a schema in which a field has another name, and has all that speaks of the field as a member of `of` call it so. */
  renameField: (path: string, schema: unknown, of: string, before: string, name: string) => void
  /** A list of steps, as it stands within a step. */
  showSteps: (props: StepListProps) => JSX.Element
}

export const EditingRoom = createContext<Editing | null>(null)

export function useEditing(): Editing {
  const editing = useContext(EditingRoom)
  if (editing === null) throw new Error('no workflow is being written')
  return editing
}

/** What is wrong at a place; undefined: nothing is. */
export const toldAt = ({ refusal }: Editing, path: string): string | undefined => refusal.value.fields[path]

/** What would not work at a place, where nothing else is told of it. */
export function warnedAt(editing: Editing, path: string): string | undefined {
  const fault = editing.faults.value[path]
  return fault && toldAt(editing, path) === undefined ? workflowTexts().faults[fault.kind](fault.of) : undefined
}

export const isWarnedWithin = ({ faults }: Editing, path: string): boolean =>
  Object.keys(faults.value).some((one) => one.startsWith(`${path}.`))

/** Does something once, as soon as what is changed now stands in the page. */
export function useOnceShown(): (act: () => void) => void {
  const wanted = useRef<(() => void) | null>(null)
  useLayoutEffect(() => {
    const act = wanted.current
    wanted.current = null
    act?.()
  })
  return (act) => (wanted.current = act)
}
