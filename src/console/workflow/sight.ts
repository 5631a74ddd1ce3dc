import { isObject } from '../../lib/json.ts'
import { listsOf, joinedPath, stepsAt, textAt, writtenAt, type WrittenWorkflow } from './definition.ts'

const STEPS_MAX = 6

/** What an expression of a step may speak of. */
export interface Seen {
  /** Names that stand for something there alone, such as the item of a list. */
  roots: readonly string[]
  /** Of the steps that are done before it, in their order. */
  ids: readonly string[]
}

/** The same as what one writes, with the inputs; of the steps the last. */
export function sightAt(workflow: WrittenWorkflow, path: string): string[] {
  const properties = writtenAt(workflow, 'inputs.properties')
  const inputs = isObject(properties) ? Object.keys(properties).map((name) => `inputs.${name}`) : []
  const { roots, ids } = seenAt(workflow, path)
  return [...roots, ...inputs, ...ids.slice(-STEPS_MAX).map((id) => `steps.${id}.output`)]
}

/** `path`: of the step; empty: the end of all. */
export function seenAt(workflow: WrittenWorkflow, path: string): Seen {
  const ids: string[] = []
  const roots = new Set<string>()
  let list: readonly unknown[] = stepsAt(workflow['steps'])
  let at = 'steps'
  while (path.startsWith(`${at}.`)) {
    const number = Number(path.slice(at.length + 1).split('.')[0])
    ids.push(...beforeIn(list, number))
    const step = list[number]
    const rest = path.slice(joinedPath(at, number).length + 1)
    const inner = listsOf(step).find(({ field }) => rest.startsWith(`${field}.`))
    if (!inner) break
    if (inner.field === 'rollback') {
      ids.push(...sameFrame(step))
      roots.add('error')
    } else if (textAt(step, 'type') === 'map') for (const root of ['item', 'index']) roots.add(root)
    at = joinedPath(at, number, inner.field)
    list = inner.steps
  }
  if (path === '') ids.push(...list.flatMap(sameFrame))
  return { roots: [...roots], ids }
}

/** Ids of a step and of those within it that are done as it is: the steps of a list are done for each of its items. */
function sameFrame(step: unknown): string[] {
  const inner = textAt(step, 'type') === 'map' ? [] : listsOf(step).filter(({ field }) => field !== 'rollback')
  return [textAt(step, 'id'), ...inner.flatMap(({ steps }) => steps.flatMap(sameFrame))]
}

/** Ids of what is done before a step of a list, in their order. */
function beforeIn(list: readonly unknown[], index: number): string[] {
  const needed = new Set<number>()
  const follow = (at: number): void => {
    const needs = writtenAt(list[at], 'depends_on')
    const named = Array.isArray(needs)
      ? list.map((_, one) => one).filter((one) => needs.includes(textAt(list[one], 'id')))
      : [at - 1]
    for (const one of named) {
      if (one < 0 || one === index || needed.has(one)) continue
      needed.add(one)
      follow(one)
    }
  }
  follow(index)
  return [...needed].toSorted((a, b) => a - b).flatMap((one) => sameFrame(list[one]))
}

/** What is put into a field to speak of something. */
export const spokenOf = (name: string, isTemplate: boolean): string => (isTemplate ? `{{ ${name} }}` : name)
