import * as z from 'zod'
import type { Decided } from '../domain/audit.ts'
import { fail, invalid, type AppError, type Result } from '../domain/errors.ts'
import type { Scope } from '../domain/access.ts'
import { continueInput, decisionInput, newMessage } from '../domain/session-input.ts'
import { issuesOf } from '../lib/zod-issues.ts'
import type { RunAnswer } from '../session/call.ts'
import type { Session } from '../session/session.ts'

const command = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message'), when_busy: z.enum(['reject', 'queue', 'interrupt']).optional() }),
  z.looseObject({ type: z.literal('decide'), pending_id: z.string().max(200) }),
  z.looseObject({ type: z.literal('continue') }),
  z.looseObject({ type: z.literal('cancel') }),
])

/** What became of a frame. `did`: what it asked for, null when that cannot be told. */
export interface FrameEnd {
  did: z.infer<typeof command>['type'] | null
  error: AppError | null
  decided: readonly Decided[]
}

/** Who sends a frame. */
export interface FrameCaller {
  scopes: readonly Scope[]
  payer: string | null
  /** Takes a place among the runs at once, and gives what gives it back; or why there is none. */
  place: () => Promise<Result<() => Promise<void>>>
}

/** Do what a text frame asks (api.md, `GET …/ws`): the fields are those of the POST of the same name. Without an error it is done,
 *  and its events follow. A run goes on as far as one request would take it. */
export async function runFrame(
  session: Session,
  frame: string,
  { scopes, payer, place }: FrameCaller,
): Promise<FrameEnd> {
  const parsed = command.safeParse(jsonOf(frame))
  const nothing = { decided: [] }
  if (!parsed.success) {
    const { error } = invalid(issuesOf(parsed.error), 'A frame is JSON with type message, decide, continue or cancel.')
    return { did: null, error, ...nothing }
  }
  const { type, ...fields } = parsed.data
  const scope: Scope = type === 'decide' ? 'decide' : 'run'
  if (!scopes.includes('admin') && !scopes.includes(scope))
    return { did: type, error: { code: 'forbidden', detail: `This needs a key with scope ${scope}.` }, ...nothing }
  const starts = type === 'message' || type === 'continue'
  const placed = starts ? await place() : null
  if (placed && !placed.ok) return { did: type, error: placed.error, ...nothing }
  const done = await perform(session, type, fields, payer)
  if (!done.ok) await placed?.value()
  return done.ok
    ? { did: type, error: null, decided: done.value.decided ?? [] }
    : { did: type, error: done.error, ...nothing }
}

async function perform(
  session: Session,
  type: z.infer<typeof command>['type'],
  fields: Record<string, unknown>,
  payer: string | null,
): Promise<Result<RunAnswer>> {
  const { when_busy: whenBusy, pending_id: pendingId, ...input } = fields
  const options = { form: 'stream' as const, payer }
  if (type === 'cancel') return session.cancel()
  if (type === 'message')
    return withInput(newMessage, input, (message) =>
      session.addMessage(message, { ...options, whenBusy: busyOf(whenBusy) }),
    )
  if (type === 'decide')
    return withInput(decisionInput, input, (decision) => session.decide(String(pendingId), decision, options))
  return withInput(continueInput, input, (more) => session.continue(more, options))
}

function busyOf(value: unknown): 'reject' | 'queue' | 'interrupt' {
  return value === 'queue' || value === 'interrupt' ? value : 'reject'
}

async function withInput<T>(
  schema: z.ZodType<T>,
  input: unknown,
  act: (input: T) => Promise<Result<RunAnswer>>,
): Promise<Result<RunAnswer>> {
  const parsed = schema.safeParse(input)
  return parsed.success ? act(parsed.data) : fail(invalid(issuesOf(parsed.error)).error)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
