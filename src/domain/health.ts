import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'

/** Whether the server is up: open to all, so it says no more. */
export const health = /* @__PURE__ */ onDemand(() =>
  z.object({ status: z.literal('ok'), version: z.string(), default_model: z.string().nullable() }),
)
export type Health = ShapeOf<typeof health>
