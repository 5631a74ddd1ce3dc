import * as z from 'zod'
import { onDemand } from '../lib/shape.ts'

/** One place in an input that is wrong; `path` in dotted form, empty for the whole. */
export const inputIssue = /* @__PURE__ */ onDemand(() => z.object({ path: z.string(), message: z.string() }))

/** Why there is no answer, as clients of OpenAI know it. Source: its API reference, "Error codes"; `Error` of its specification. */
export const openAiErrorObject = /* @__PURE__ */ onDemand(() =>
  z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string().nullable() }),
)

/** How a refusal is told (RFC 9457). */
export const problemDocument = /* @__PURE__ */ onDemand(() =>
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(inputIssue()).exactOptional(),
    /** Of a route that our own API has in common with OpenAI's. */
    error: openAiErrorObject().exactOptional(),
  }),
)
