/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import type { StepType } from '../../domain/workflow-step.ts'
import { isObject, memberOf } from '../../lib/json.ts'

/** A workflow while it is written: any JSON object. Each change makes another of it, which shares with it what stays. A path is as the server says
 *  it: `steps.0.then.1.prompt`. */
export type WrittenWorkflow = Readonly<Record<string, unknown>>

export const joinedPath = (...parts: readonly (string | number)[]): string =>
  parts.filter((part) => part !== '').join('.')

export function writtenAt(around: unknown, path: string): unknown {
  return path === '' ? around : path.split('.').reduce<unknown>(memberOf, around)
}

/** The same with another value at a path; undefined takes it away, and what is empty around it then. */
export function withValue<T>(around: T, path: string, value: unknown): T {
  return placed(around, path === '' ? [] : path.split('.'), value) as T
}

function placed(around: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  // Another object in the place of one is the same step, changed.
  if (name === undefined) return isObject(around) && isObject(value) ? followed(around, value) : value
  if (Array.isArray(around)) {
    const at = Number(name)
    return around.map((one: unknown, index) => (index === at ? placed(one, rest, value) : one))
  }
  const object = isObject(around) ? around : {}
  const inner = placed(object[name], rest, value)
  const isGone = inner === undefined || (value === undefined && isObject(inner) && Object.keys(inner).length === 0)
  const given = Object.entries(object).filter(([one]) => one !== name || !isGone)
  return followed(object, isGone ? Object.fromEntries(given) : { ...object, [name]: inner })
}

const keys = new WeakMap<object, number>()
let lastKey = 0

/** What a step is known by while it is changed and moved, so that what is open of it stays so. */
export function stepKey(step: unknown): number {
  if (typeof step !== 'object' || step === null) return 0
  const key = keys.get(step) ?? ++lastKey
  keys.set(step, key)
  return key
}

function followed<T extends object>(before: object, after: T): T {
  keys.set(after, stepKey(before))
  return after
}

/** The steps that stand in a place; what is no list has none. */
export const stepsAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Lists of steps within one, by their place in it; those that undo it are the last. */
export function listsOf(step: unknown): { field: string; steps: readonly unknown[] }[] {
  const lists = (names: readonly string[]) =>
    names.map((name) => ({ field: name, steps: stepsAt(memberOf(step, name)) }))
  const numbered = (field: string, inner: string) =>
    stepsAt(memberOf(step, field)).map((one, index) => ({
      field: joinedPath(field, index, inner),
      steps: stepsAt(inner === '' ? one : memberOf(one, inner)),
    }))
  const own: Partial<Record<string, () => { field: string; steps: readonly unknown[] }[]>> = {
    if: () => lists(['then', 'else']),
    switch: () => [...numbered('cases', 'steps'), ...lists(['default'])],
    map: () => lists(['steps']),
    parallel: () => numbered('branches', ''),
  }
  return [...(own[textAt(step, 'type')]?.() ?? []), ...lists(['rollback'])].filter(({ steps }) => steps.length > 0)
}

export const textAt = (around: unknown, path: string): string => {
  const value = writtenAt(around, path)
  return typeof value === 'string' ? value : ''
}

/** Each step with its path, those too that stand within others. */
export function writtenSteps(steps: unknown, path = 'steps'): { step: unknown; path: string }[] {
  return stepsAt(steps).flatMap((step, index) => {
    const at = joinedPath(path, index)
    const inner = listsOf(step).flatMap(({ field, steps: list }) => writtenSteps(list, joinedPath(at, field)))
    return [{ step, path: at }, ...inner]
  })
}

/** Ids of all steps, those too that stand within others. */
export const idsOf = (workflow: WrittenWorkflow) =>
  writtenSteps(workflow['steps']).map(({ step }) => textAt(step, 'id'))

/** What a new step of a type has. */
const BEGUN: Record<StepType, object> = {
  agent: { prompt: '' },
  tool: { tool: '', arguments: {} },
  if: { condition: '', then: [] },
  switch: { value: '', cases: [{ matches: '', steps: [] }] },
  map: { over: '', steps: [] },
  parallel: { branches: [[], []] },
  wait: { approval: '' },
  workflow: { workflow: '', inputs: {} },
  set: { values: {} },
}

export function newStep(type: StepType, workflow: WrittenWorkflow): Record<string, unknown> {
  const taken = idsOf(workflow)
  let number = 1
  while (taken.includes(`${type}_${number}`)) number++
  return { id: `${type}_${number}`, type, ...BEGUN[type] }
}

/** A list with one of it at another place. */
export function moved(list: readonly unknown[], from: number, to: number): unknown[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), list[from], ...rest.slice(to)]
}

/** What a list or an object was before something was taken out of it. In a list whose members have changed since, what is missing stands in its
 *  place again. */
export function broughtBack(before: unknown, after: unknown, now: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(after) || !Array.isArray(now)) return before
  const at = before.findIndex((one) => !after.includes(one))
  return [...now.slice(0, at), before[at] as unknown, ...now.slice(at)]
}

/** The workflow with another id of a step, and with what speaks of the step by its id. Where the id is taken already, that stays as it is. */
export function renamed(workflow: WrittenWorkflow, path: string, id: string): WrittenWorkflow {
  const before = textAt(workflow, joinedPath(path, 'id'))
  const isClear = before !== '' && idsOf(workflow).filter((one) => one === before).length === 1
  const spoken = isClear && !idsOf(workflow).includes(id) ? speakingOf(workflow, 'steps', before, id) : workflow
  return withValue(spoken as WrittenWorkflow, joinedPath(path, 'id'), id)
}

/** A workflow whose expressions speak of a member of something, such as of `inputs`, by another name. */
export const speaking = (workflow: WrittenWorkflow, of: string, before: string, name: string): WrittenWorkflow =>
  before === '' ? workflow : (speakingOf(workflow, of, before, name) as WrittenWorkflow)

function speakingOf(value: unknown, of: string, before: string, name: string, field = ''): unknown {
  if (typeof value === 'string') return spokenWith(value, of, before, name)
  if (Array.isArray(value)) {
    if (field === 'depends_on')
      return of === 'steps' ? value.map((one: unknown) => (one === before ? name : one)) : value
    const next = value.map((one: unknown) => speakingOf(one, of, before, name))
    return next.every((one, index) => one === value[index]) ? value : next
  }
  if (!isObject(value)) return value
  const next = Object.entries(value).map(([one, inner]) => [one, speakingOf(inner, of, before, name, one)] as const)
  return next.every(([one, inner]) => inner === value[one]) ? value : followed(value, Object.fromEntries(next))
}

/** A text in which `of.before` and `of["before"]` are the same of another name. */
function spokenWith(text: string, of: string, before: string, name: string): string {
  const [owner, member] = [of, before].map((one) => one.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
  const spoken = String.raw`(?<![\p{L}\p{N}_.-])(${owner})(?:\.${member}(?![\p{L}\p{N}_-])|\[\s*(["'])${member}\2\s*\])`
  return text.replaceAll(new RegExp(spoken, 'gu'), (_, root: string, quote?: string) =>
    quote === undefined ? `${root}.${name}` : `${root}[${quote}${name}${quote}]`,
  )
}

/** What the server says of a workflow and is not asked. */
const TOLD = ['object', 'version', 'source', 'created_time']

/** What of a workflow that is there its author wrote. */
export function writtenOf(info: Readonly<Record<string, unknown>>): WrittenWorkflow {
  return Object.fromEntries(Object.entries(info).filter(([name]) => !TOLD.includes(name)))
}
