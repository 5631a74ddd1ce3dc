import type { ApiProblem } from '../../client/client.ts'
import type { FieldBounds } from '../forms/field.ts'
import { idsOf, joinedPath, stepsAt, writtenSteps, textAt, writtenAt, type WrittenWorkflow } from './definition.ts'
import { isStepId, isWorkflowName } from './faults.ts'
import { fieldsOf, type StepField } from './step-fields.ts'
import { emptyInTeam, teamFieldOf } from './team.ts'

/** What is wrong with a workflow: by the path of the field, or of the step, where it is shown; and the rest. */
export interface WorkflowRefusal {
  fields: Readonly<Record<string, string>>
  rest: readonly string[]
}

export const NONE_REFUSED: WorkflowRefusal = { fields: {}, rest: [] }

const TOP = ['name', 'description', 'inputs', 'steps', 'output']

/** How the page says what is refused: what is said of a value in its words, a value with what is said of it, and several in a row. */
export interface Clauses {
  inWords: (message: string) => string
  labelled: (what: string, words: string) => string
  joined: (clauses: readonly string[]) => string
}

/** What the server says of a workflow, each at the field that it is about. What it says of a step stands in that step, and names it no more. */
export function workflowRefusal(
  { errors }: Pick<ApiProblem, 'errors'>,
  workflow: WrittenWorkflow,
  { inWords, labelled, joined }: Clauses,
): WorkflowRefusal {
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const { path, message } of errors) {
    const place = placeOfRefusal(path, workflow)
    if (place === null) {
      rest.push(path === '' ? message : labelled(path, message))
      continue
    }
    const said = message.replace(/^(?:line \d+: |第 \d+ 行：)/, '').replace(/^(?:step|步骤) \S+?(?:: |：)/, '')
    const [one = ''] = path.slice(place.length + 1).split('.')
    const text = inWords(said)
    const words = one !== '' && HAS_NAMES.test(place) ? labelled(one, text) : text
    fields[place] = joined([fields[place] ?? [], words].flat())
  }
  return { fields, rest }
}

/** Fields whose values have names. */
const HAS_NAMES = /\.(?:arguments|inputs|values|permissions)$/

/** The innermost field that a path is of; null: none here. */
export function placeOfRefusal(path: string, workflow: WrittenWorkflow): string | null {
  const [top = ''] = path.split('.')
  if (!TOP.includes(top)) return null
  return top === 'steps' ? placeInList(path, 'steps', workflow) : top
}

/** `list`: the path of a list of steps that a path stands in. */
function placeInList(path: string, list: string, workflow: WrittenWorkflow): string {
  const [number = ''] = path.slice(list.length + 1).split('.')
  const at = joinedPath(list, number)
  const step = /^\d+$/.test(number) ? writtenAt(workflow, at) : undefined
  if (step === undefined) return list
  const rest = path.slice(at.length + 1)
  if (rest === 'id') return path
  const isOf = (name: string) => rest === name || rest.startsWith(`${name}.`)
  const fields = fieldsOf(step)
  const field = fields.find(({ name }) => isOf(name)) ?? fields.find(({ covers = [] }) => covers.some(isOf))
  if (!field) return at
  const place = joinedPath(at, field.name)
  if (field.kind === 'team') return joinedPath(place, teamFieldOf(path.slice(place.length + 1)))
  const inner = { steps: '', branches: String.raw`\.\d+`, cases: String.raw`\.\d+\.steps` }[field.kind as string]
  if (inner === undefined) return place
  const within = new RegExp(`^${inner}(?=\\.|$)`).exec(path.slice(place.length))
  if (within) return placeInList(path, place + within[0], workflow)
  const [, which] = /^\.(\d+)\./.exec(path.slice(place.length)) ?? []
  return which === undefined ? place : joinedPath(place, which)
}

/** A field that a number is typed in. */
export type Measured = { kind: 'number' | 'duration' } & FieldBounds

/** In which words what cannot be saved is told. */
export interface RefusalWords {
  needed: string
  badName: string
  badStepName: string
  nameTaken: (name: string) => string
  noNumber: string
  noWhole: string
  /** What a number of a field has to be; null: it is within its bounds. */
  beyond: (value: number, field: Measured) => string | null
}

/** What cannot be saved, before anything is sent: what is empty and may not be, numbers beyond their bounds, and
 *  names that no workflow or step can have. */
export function unsavableOf(workflow: WrittenWorkflow, words: RefusalWords): WorkflowRefusal {
  return {
    fields: { ...misnamedOf(workflow, words), ...misnumberedOf(workflow, words), ...emptyOf(workflow, words.needed) },
    rest: [],
  }
}

function misnamedOf(workflow: WrittenWorkflow, { badName, badStepName, nameTaken }: RefusalWords) {
  const ids = idsOf(workflow)
  const steps = writtenSteps(workflow['steps']).flatMap(({ step, path }, index) => {
    const id = textAt(step, 'id')
    const told = !isStepId(id) ? badStepName : ids.indexOf(id) < index ? nameTaken(id) : null
    return told === null ? [] : [[joinedPath(path, 'id'), told] as const]
  })
  const name = textAt(workflow, 'name').trim()
  return Object.fromEntries([...(isWorkflowName(name) ? [] : [['name', badName] as const]), ...steps])
}

/** Texts that are no numbers stay as they were typed. */
function misnumberedOf(workflow: WrittenWorkflow, { noNumber, noWhole, beyond }: RefusalWords) {
  const told = writtenSteps(workflow['steps']).flatMap(({ step, path }) =>
    fieldsOf(step).flatMap((field) => {
      if (field.kind !== 'number' && field.kind !== 'duration') return []
      const value = writtenAt(step, field.name)
      const text =
        typeof value === 'number'
          ? field.kind === 'number' && field.whole && !Number.isInteger(value)
            ? noWhole
            : beyond(value, field)
          : value === undefined || value === ''
            ? null
            : noNumber
      return text === null ? [] : [[joinedPath(path, field.name), text] as const]
    }),
  )
  return Object.fromEntries(told)
}

function emptyOf(workflow: WrittenWorkflow, told: string) {
  const top = ['name', 'description'].filter((name) => textAt(workflow, name).trim() === '')
  const steps = stepsAt(workflow['steps']).length === 0 ? ['steps'] : []
  const within = writtenSteps(workflow['steps']).flatMap(({ step, path }) =>
    fieldsOf(step).flatMap((field) => emptyIn(step, field).map((place) => joinedPath(path, place))),
  )
  return Object.fromEntries([...top, ...steps, ...within].map((path) => [path, told]))
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** Places in a step that have to be filled and are empty. */
function emptyIn(step: unknown, { name, kind, isNeeded }: StepField): string[] {
  const value = writtenAt(step, name)
  if (!isNeeded?.(step)) return []
  if (isEmpty(value)) return [name]
  if (kind === 'team') return emptyInTeam(value).map((place) => joinedPath(name, place))
  if (kind === 'branches')
    return stepsAt(value).flatMap((branch, index) => (isEmpty(branch) ? joinedPath(name, index) : []))
  if (kind === 'cases')
    return stepsAt(value).flatMap((one, index) => {
      const hasMatch = !isEmpty(writtenAt(one, 'matches')) || writtenAt(one, 'equals') !== undefined
      return [
        ...(hasMatch ? [] : [joinedPath(name, index)]),
        ...(isEmpty(writtenAt(one, 'steps')) ? [joinedPath(name, index, 'steps')] : []),
      ]
    })
  return []
}

/** Whether something is told within a place. */
export const isToldWithin = ({ fields }: WorkflowRefusal, path: string): boolean =>
  Object.keys(fields).some((one) => one === path || one.startsWith(`${path}.`))

/** Without what was told of a place that has changed, of what stands in it, and of what it stands in. */
export function withoutTold({ fields, rest }: WorkflowRefusal, path: string): WorkflowRefusal {
  if (path === '') return NONE_REFUSED
  const left = Object.entries(fields).filter(
    ([one]) => !`${one}.`.startsWith(`${path}.`) && !path.startsWith(`${one}.`),
  )
  return { fields: Object.fromEntries(left), rest }
}
