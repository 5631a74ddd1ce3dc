import * as z from 'zod'
import { onDemand } from '../../lib/shape.ts'

/** A chunk of a UI message stream: its type as the AI SDK names it, with what that type has beside it. */
export const uiChunk = /* @__PURE__ */ onDemand(() => z.looseObject({ type: z.string() }))

/** A chat as a page begins with it. */
export const keptChat = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    messages: z.array(
      z.object({
        id: z.string(),
        role: z.enum(['user', 'assistant']),
        metadata: z.record(z.string(), z.unknown()).exactOptional(),
        parts: z.array(z.looseObject({ type: z.string() })),
      }),
    ),
  }),
)

/** What was stopped. */
export const stoppedChat = /* @__PURE__ */ onDemand(() =>
  z.object({ stopped: z.boolean(), session_id: z.string(), run_id: z.string().nullable() }),
)
