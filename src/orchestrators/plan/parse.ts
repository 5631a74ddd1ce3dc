import * as z from 'zod'
import type { InputIssue } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type PlannedTask, taskPriority } from '../../domain/plan.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import { jsonObjectsIn } from '../../lib/json.ts'
import { issuesOf } from '../../lib/zod.ts'

const need = z.union([z.int(), z.string()])

/** As a model may write it. What cannot be read of its needs does not cost the plan. */
const entry = z.looseObject({ name: z.string().trim().min(1), description: z.string().trim().min(1) })
const answer = z.looseObject({ plan: z.array(entry) })
type Entry = z.infer<typeof entry>

const timeout = z.int().min(1).max(LIMITS.plan.taskMsMax)

/** As a human has to write it: an entry names those that it needs by position or by name. */
const humanEntry = entry.extend({
  depends_on: z.array(need).nullish(),
  priority: taskPriority.nullish(),
  timeout_ms: timeout.nullish(),
})

/** A plan as a model is held to it. */
export const PLAN_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    plan: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          description: { type: 'string' },
          depends_on: { type: 'array', items: { type: 'integer' } },
        },
        required: ['name', 'description', 'depends_on'],
        additionalProperties: false,
      },
    },
  },
  required: ['plan'],
  additionalProperties: false,
}

/** What is wrong with a plan that a human gives, by paths under `at`; nothing: it can be run. */
export function planIssues(given: unknown, at: string): InputIssue[] {
  const { tasksMax } = LIMITS.plan
  const parsed = answer.extend({ plan: z.array(humanEntry).max(tasksMax) }).safeParse(given)
  return parsed.success ? [] : issuesOf(parsed.error, at)
}

/** What describes a sub-task in the example of the planner's prompt, in each language. */
const EXAMPLES: ReadonlySet<string> = new Set(['the sub-task in detail', '子任务的详细说明'])

/** The last plan in a planner's answer, with a fence or prose around it. Null: there is no plan whose entries all have a name and a
 *  description. A plan with the prompt's example in it, as small models copy it, has no tasks. Where tasks need each other in a circle, those needs are dropped and
 *  `hasCycle` is true. */
export function planIn(text: string): { tasks: PlannedTask[]; hasCycle: boolean } | null {
  const last = jsonObjectsIn(text)
    .flatMap((json) => answer.safeParse(json).data ?? [])
    .at(-1)
  if (!last) return null
  if (last.plan.some(({ description }) => EXAMPLES.has(description))) return { tasks: [], hasCycle: false }
  const needs = needsOf(last.plan)
  const hasCycle = needs.some((_, index) => reaches(needs, index))
  const tasks = last.plan.map(({ name, description, ...more }, index) => ({
    name,
    description,
    dependsOn: reaches(needs, index) ? [] : (needs[index] ?? []),
    ...boundsOf(more),
  }))
  return { tasks, hasCycle }
}

/** What cannot be read of them is left out. */
function boundsOf(given: Record<string, unknown>): Pick<PlannedTask, 'priority' | 'timeoutMs'> {
  const priority = taskPriority.safeParse(given['priority']).data
  const timeoutMs = timeout.safeParse(given['timeout_ms']).data
  return { ...(priority === undefined ? {} : { priority }), ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

/** Positions that each entry needs. Numbers count from 1 as the prompt asks, or from 0 where only that makes sense. */
function needsOf(plan: readonly Entry[]): number[][] {
  const from = (first: number) =>
    plan.map(({ ['depends_on']: needed }) => readable(needed).flatMap((one) => positionsOf(one, plan, first)))
  const isSound = (needs: number[][]) =>
    needs.every((positions, index) => positions.every((at) => at >= 0 && at < plan.length && at !== index))
  const counted = [from(1), from(0)].find(isSound) ?? from(1)
  return counted.map((positions, index) => [
    ...new Set(positions.filter((at) => at >= 0 && at < plan.length && at !== index)),
  ])
}

function readable(needed: unknown): (number | string)[] {
  return [needed].flat().flatMap((one) => need.safeParse(one).data ?? [])
}

function positionsOf(needed: number | string, plan: readonly Entry[], first: number): number[] {
  const number = typeof needed === 'number' ? needed : /^\d+$/.test(needed.trim()) ? Number(needed) : null
  if (number !== null) return [number - first]
  return plan.flatMap(({ name, ['id']: id }, at) => (name === needed || id === needed ? [at] : []))
}

/** Whether an entry needs itself by way of others. */
function reaches(needs: readonly number[][], from: number): boolean {
  const seen = new Set<number>()
  const open = [...(needs[from] ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === from) return true
    if (!seen.has(at)) open.push(...(needs[at] ?? []))
    seen.add(at)
  }
  return false
}
