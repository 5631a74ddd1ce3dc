import * as z from 'zod'
import { STAGES } from './run.ts'
import { STEP_STATUSES, STEP_TYPES } from './workflow-step.ts'
import { count, onDemand, record, type ShapeOf, time } from '../lib/shape.ts'

/** Workflows and their runs, as clients see them. */

/** One step of a run, as clients see it. `step`: its path: `review`, `each[3].read`. */
export const stepView = /* @__PURE__ */ onDemand(() =>
  z.object({
    step: z.string(),
    type: z.enum(STEP_TYPES),
    status: z.enum(['pending', 'waiting', ...STEP_STATUSES]),
    attempt: count(),
    depends_on: z.array(z.string()),
    /** The path of the step that it stands in; null: it stands in none. */
    parent: z.string().nullable(),
    /** The branch that its messages are of; null: it has none. */
    scope: z.string().nullable(),
    /** Seqs of the events that hold its input and its output; null: there is none yet. */
    start_seq: z.int().nullable(),
    end_seq: z.int().nullable(),
    started_time: time().nullable(),
    ended_time: time().nullable(),
    /** Of a map. `ends`: seq of the end of each item, 0: it has not ended. `wrong`: numbers of those that failed, from 0. */
    items: z
      .object({ total: count(), done: count(), failed: count(), ends: z.array(count()), wrong: z.array(count()) })
      .exactOptional(),
    /** Of a step that is undone, or is to be, when a later one failed for good. `failed`: it could not be undone. */
    rollback: z.enum(['waiting', 'running', 'done', 'failed']).exactOptional(),
    /** Of a step of a rollback: the path of the step that it undoes. */
    undoes: z.string().exactOptional(),
    error: z.string().nullable(),
  }),
)
export type StepView = ShapeOf<typeof stepView>

/** Where the workflow of a session's newest run stands. */
export const workflowView = /* @__PURE__ */ onDemand(() =>
  z.object({
    name: z.string(),
    version: count(),
    stage: z.enum(STAGES),
    steps: z.array(stepView()),
  }),
)
export type WorkflowView = ShapeOf<typeof workflowView>

/** A workflow as GET shows it. */
export const workflowInfo = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('workflow'),
    name: z.string(),
    version: count(),
    description: z.string(),
    source: z.enum(['shipped', 'tenant']),
    created_time: time().nullable(),
    inputs: record().exactOptional(),
    expose: z.boolean().exactOptional(),
    steps: z.array(record()),
    output: z.unknown().optional(),
  }),
)
export type WorkflowInfo = ShapeOf<typeof workflowInfo>

/** The same in a list. */
export const listedWorkflow = /* @__PURE__ */ onDemand(() => workflowInfo().omit({ steps: true, output: true }))
export type ListedWorkflow = ShapeOf<typeof listedWorkflow>
