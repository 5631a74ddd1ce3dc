import * as z from 'zod'
import { count, onDemand, record, type ShapeOf } from '../lib/shape.ts'
import { type Content, part } from './content.ts'
import { pastContentInput } from './content-input.ts'
import { LIMITS } from './limits.ts'

export const ROLES = ['user', 'assistant', 'system', 'tool'] as const
export type Role = (typeof ROLES)[number]

/** What a message is for. */
const MESSAGE_KINDS = [
  'task',
  'prompt',
  'reply',
  'tool_result',
  'warning',
  'approval',
  'answer',
  'summary',
  'steer',
] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** A call of a tool as it is stored and shown: the tool's id (or the unknown name) and English parameter names. */
const toolCall = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    arguments: record(),
    /** It is of a tool that the caller runs. */
    client: z.literal(true).exactOptional(),
    /** The name that the model called it by, where a tool of the server has the caller's name. */
    offered_as: z.string().exactOptional(),
  }),
)
export type ToolCall = ShapeOf<typeof toolCall>

/** The id of the tool that a call is of, as the model was offered it. */
export function toolIdOf({ name, offered_as: id = name }: Pick<ToolCall, 'name' | 'offered_as'>): string {
  return id
}

/** Lengths in UTF-16 units of the tool's own text; `rest` is a path of this server that answers the whole of it, null where the
 *  session is its caller's and nothing is stored. */
const truncated = /* @__PURE__ */ onDemand(() =>
  z.object({ original_length: count(), kept_length: count(), rest: z.string().nullable() }),
)
export type Truncated = ShapeOf<typeof truncated>

export const message = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    seq: count(),
    run_id: z.string().nullable(),
    role: z.enum(ROLES),
    content: z.union([z.string(), z.array(part())]),
    kind: z.enum(MESSAGE_KINDS),
    created_time: z.string(),
    reasoning: z.string().exactOptional(),
    tool_calls: z.array(toolCall()).exactOptional(),
    tool_call_id: z.string().exactOptional(),
    tool_name: z.string().exactOptional(),
    truncated: truncated().exactOptional(),
    cut: z.literal(true).exactOptional(),
    rejected: z.literal(true).exactOptional(),
    /** Of one that steers a run: the reply that was being written when it came, and that does not know of it. */
    during: z.string().exactOptional(),
    /** A door's caller says that it was so: it decides nothing, and proves nothing of what others said. */
    given: z.literal(true).exactOptional(),
    /** What the client of a door calls it. */
    client_id: z.string().exactOptional(),
    scope: z.string().nullable(),
  }),
)
export type Message = ShapeOf<typeof message>

/** A message that a client brings along; `role` and `content` are enough. */
export const messageInput = z.strictObject({
  role: z.enum(ROLES),
  content: pastContentInput,
  id: z.string().max(200).optional(),
  seq: z.number().optional(),
  run_id: z.string().max(200).nullish(),
  kind: z.enum(MESSAGE_KINDS).optional(),
  created_time: z.string().max(64).optional(),
  reasoning: z.string().optional(),
  tool_calls: z
    .array(
      z.strictObject({
        id: z.string().max(200),
        name: z.string().max(200),
        arguments: z.record(z.string(), z.unknown()),
        client: z.literal(true).exactOptional(),
        offered_as: z.string().max(200).exactOptional(),
      }),
    )
    .max(LIMITS.model.callsPerReplyMax)
    .optional(),
  tool_call_id: z.string().max(200).optional(),
  tool_name: z.string().max(200).optional(),
  truncated: z.unknown().optional(),
  cut: z.literal(true).optional(),
  rejected: z.literal(true).optional(),
  during: z.string().max(200).optional(),
  given: z.literal(true).optional(),
  client_id: z.string().max(LIMITS.door.idCharsMax).optional(),
  scope: z.string().nullish(),
})
export type MessageInput = z.infer<typeof messageInput>
/** As it is written, before it is read. */
export type WrittenMessage = z.input<typeof messageInput>

/** The same with its parts as they are stored. */
export type GivenMessage = Omit<MessageInput, 'content'> & { content: Content }
