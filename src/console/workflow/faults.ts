import { parseExpression, type Path, pathsIn } from '../../lib/expression.ts'
import { isObject } from '../../lib/json.ts'
import { idsOf, joinedPath, writtenAt, writtenSteps, type WrittenWorkflow } from './definition.ts'
import { type Seen, seenAt } from './sight.ts'
import { fieldsOf } from './step-fields.ts'

/** What of a field would not work, though it may be saved: it speaks of an input, a step or a name that is not there, of a step that is not
 *  done by then, or of none of what a step has; or it cannot be read. `of`: what was written. */
export interface Fault {
  kind: 'input' | 'step' | 'later' | 'member' | 'name' | 'unclosed' | 'unreadable'
  of: string
}

/** By the path of the field. */
export type Faults = Readonly<Record<string, Fault>>

/** Names that an expression can write behind a dot. */
const SAYABLE = /^[\p{L}_][\p{L}\p{N}_-]*$/u
export const isSayable = (name: string): boolean => SAYABLE.test(name)

const STEP_ID_MAX = 64
/** Whether a step may be called so. */
export const isStepId = (id: string): boolean => isSayable(id) && id.length <= STEP_ID_MAX && !(id in {})

const WORKFLOW_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u
export const isWorkflowName = (name: string): boolean => WORKFLOW_NAME.test(name)

/** The first of what would not work in each field. */
export function faultsOf(workflow: WrittenWorkflow): Faults {
  const ids = idsOf(workflow)
  const found: Record<string, Fault> = {}
  const look = (place: string, value: unknown, seen: Seen, isExpression: boolean) => {
    const fault = spokenIn(value, isExpression).flatMap((one) => faultOf(one, seen, ids, workflow) ?? [])[0]
    if (fault) found[place] = fault
  }
  for (const { step, path } of writtenSteps(workflow['steps'])) {
    const seen = seenAt(workflow, path)
    for (const { name, kind } of fieldsOf(step))
      if (SPEAKING.includes(kind)) look(joinedPath(path, name), writtenAt(step, name), seen, kind === 'expression')
  }
  look('output', workflow['output'], seenAt(workflow, ''), false)
  return found
}

const SPEAKING = ['template', 'word', 'expression', 'values', 'time']

const BRACES = /\{\{(.*?)(\}\}|$)/gs

/** What a value speaks of: paths, or what of it cannot be read. */
function spokenIn(value: unknown, isExpression: boolean): (Path | Fault)[] {
  if (typeof value === 'string') {
    if (isExpression) return value.trim() === '' ? [] : readOf(value)
    return [...value.matchAll(BRACES)].flatMap(([all, inner = '', end]) =>
      end === '' ? { kind: 'unclosed' as const, of: all } : readOf(inner),
    )
  }
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return members.flatMap((one) => spokenIn(one, false))
}

function readOf(text: string): (Path | Fault)[] {
  const parsed = parseExpression(text)
  return parsed.ok ? pathsIn(parsed.expression) : [{ kind: 'unreadable', of: text.trim() }]
}

const ROOTS = ['inputs', 'steps', 'task', 'user', 'language', 'time']
const OF_STEP: readonly unknown[] = ['output', 'status', 'error']

function faultOf(
  said: Path | Fault,
  { roots, ids: before }: Seen,
  ids: readonly string[],
  workflow: WrittenWorkflow,
): Fault | null {
  if ('kind' in said) return said
  const [root, name, member] = said.map(String)
  if (root === undefined || !(ROOTS.includes(root) || roots.includes(root))) return { kind: 'name', of: root ?? '' }
  if (root === 'inputs') return name === undefined || hasInput(workflow, name) ? null : { kind: 'input', of: name }
  if (root !== 'steps') return null
  if (name === undefined || !ids.includes(name)) return { kind: 'step', of: name ?? '' }
  if (!before.includes(name)) return { kind: 'later', of: name }
  return OF_STEP.includes(member) ? null : { kind: 'member', of: name }
}

/** Inputs that are not listed may have any name. */
function hasInput({ inputs }: WrittenWorkflow, name: string): boolean {
  const properties = writtenAt(inputs, 'properties')
  return isObject(properties) ? Object.hasOwn(properties, name) : inputs !== undefined
}
