import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'

/** A way of working of sessions, as clients see it. */
export const orchestratorInfo = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('orchestrator'),
    /** In the language that was asked for. */
    description: z.string(),
    /** `/v1/agent` runs it, on a history that its caller keeps. */
    stateless: z.boolean(),
    /** Its answer can be held to `output_schema`. */
    fits_schema: z.boolean(),
    /** It gives work to skills, MCP servers and the like. */
    has_workers: z.boolean(),
    /** Limits of its runs that differ from the defaults of all. */
    limits: z.record(z.string(), z.number()),
  }),
)
export type OrchestratorInfo = ShapeOf<typeof orchestratorInfo>
