import * as z from 'zod'
import { partCharsIn } from '../domain/content-input.ts'
import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { continueInput, newMessage, pendingInput } from '../domain/session-input.ts'
import { iJsonFault } from '../lib/i-json.ts'
import { parseJson } from '../lib/json.ts'
import { checkedBy, issuesOf } from '../lib/zod.ts'
import type { CommandOf } from '../service/run.ts'
import { WHEN_BUSY, type WhenBusy } from '../domain/run.ts'

const frame = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message'), when_busy: z.enum(WHEN_BUSY).optional() }),
  z.looseObject({ type: z.literal('decide'), pending_id: z.string().max(200) }),
  z.looseObject({ type: z.literal('continue') }),
  z.looseObject({ type: z.literal('cancel') }),
])
type Frame = z.infer<typeof frame>

/** What a frame asks for. `read`: its fields, which are those of the POST of the same name. */
export interface FrameCommand {
  type: Frame['type']
  read: () => Promise<Result<CommandOf<Frame['type']>>>
}

/** A text frame as a command (`GET …/ws`), or why it is none. */
export function readFrame(text: string): Result<FrameCommand> {
  const given = parseJson(text)
  const fault = given === undefined ? null : iJsonFault(text)
  if (fault) return invalid([fault], 'The frame is no I-JSON (RFC 7493).')
  const parsed = frame.safeParse(given)
  if (!parsed.success)
    return invalid(issuesOf(parsed.error), 'A frame is JSON with type message, decide, continue or cancel.')
  const { data } = parsed
  const { bodyBytesMax } = LIMITS.http
  if (text.length > bodyBytesMax && text.length - partCharsIn(given) > bodyBytesMax)
    return fail({ code: 'body_too_large', bytesMax: bodyBytesMax })
  return ok({ type: data.type, read: async () => commandOf(data) })
}

function commandOf({ type, ...fields }: Frame): Result<CommandOf<Frame['type']>> {
  const { when_busy: whenBusy, pending_id: pendingId, ...input } = fields
  if (type === 'cancel') return ok({ type })
  if (type === 'continue') return withInput(continueInput, input, (more) => ({ type, input: more }))
  if (type === 'decide')
    return withInput(pendingInput, input, (decision) => ({ type, pendingId: String(pendingId), input: decision }))
  return withInput(newMessage, input, (message) => ({ type, input: message, whenBusy: busyOf(whenBusy) }))
}

function busyOf(value: unknown): WhenBusy {
  return WHEN_BUSY.find((word) => word === value) ?? 'reject'
}

function withInput<T, C>(schema: z.ZodType<T>, input: unknown, made: (input: T) => C): Result<C> {
  const checked = checkedBy(schema, input)
  return checked.ok ? ok(made(checked.value)) : invalid(checked.issues)
}
