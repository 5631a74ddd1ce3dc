import type { Context } from 'hono'
import { threadSessionId } from '../../access/marks.ts'
import { type AppError, fail, ok, type Result } from '../../domain/errors.ts'
import type { NewMessageInput, NewSession, PendingInput } from '../../domain/session-input.ts'
import type { AppEnv } from '../../http/context.ts'
import { serviceOf } from '../../http/caller.ts'
import { ordered, type StreamPlace } from '../../http/route.ts'
import { accountOfCaller, type Principal } from '../../service/caller.ts'
import type { IdempotencyKey } from '../../service/idempotency.ts'
import type { CommandOutcome } from '../../service/run.ts'
import type { CallOptions } from '../../session/call.ts'

/** A thread of theirs is a session of ours. */

/** Whose an id of a door is: of a key or token, and of the user in whose name it asks. */
export interface ThreadOwner {
  door: string
  user: string | null
}

/** Who asks, as far as ids of theirs are told apart. */
export function ownerName({ kind, ...principal }: Principal): string {
  return `${kind}:${accountOfCaller(principal)}`
}

/** The session that an id of a door stands for: nobody is asked. */
export async function threadSession(c: Context<AppEnv>, { door, user }: ThreadOwner, id: string): Promise<string> {
  const service = serviceOf(c)
  const principal = c.get('principal')
  const thread = { door, principal: ownerName(principal), user, id }
  return threadSessionId(await service.secret(), principal.tenant, thread, service.place?.jurisdiction)
}

/** The session that a request names in a way of ours; null: none. */
export function namedSession(c: Context<AppEnv>, metadata: Readonly<Record<string, unknown>> = {}): string | null {
  const { session_id: inMetadata } = metadata
  return c.req.header('x-yaa-session') ?? (typeof inMetadata === 'string' ? inMetadata : null)
}

/** What a foreign request asks of a thread. */
export interface ThreadCall extends Pick<CallOptions, 'form' | 'view' | 'whenBusy' | 'language'> {
  session: string
  /** The session is to be made, unless it is there; false: it is there, unless it is gone. */
  isNew: boolean
  /** What a session is made of that is not there; null: then there is no such thread. */
  opens: NewSession | null
  /** Null: nothing beside what is said of pending items. */
  message: NewMessageInput | null
  /** Decisions on what waits, and results of calls that the caller made: these go before the message. */
  answers?: readonly PendingAnswer[]
  /** The request was sent before: what it began is joined. */
  isRepeat?: boolean
  /** See `ThreadOptions`. */
  after?: string | null
  isRetry?: boolean
  kept?: Readonly<Record<string, unknown>>
  idempotency: IdempotencyKey | null
}

/** What is said of a pending item. */
export interface PendingAnswer {
  pendingId: string
  input: PendingInput
}

/** What was done. */
export type ThreadRun = Pick<CommandOutcome, 'sessionId' | 'answer' | 'replayed'>
type ThreadOutcome = Result<ThreadRun>

/** Runs a thread's next request in its session, which is made if it is not there. `taken`: see `StreamPlace`. */
export async function runInThread(
  c: Context<AppEnv>,
  call: ThreadCall,
  taken: StreamPlace['taken'],
): Promise<ThreadOutcome> {
  let place: Promise<Result<null>> | undefined
  const once: Taken = async (value) => {
    const held = await (place ??= taken(async () => ok(null)))
    return held.ok ? ok(value) : held
  }
  if (call.isNew) return opened(c, call, once)
  const answered = await said(c, call, once)
  return !answered.ok && isGone(answered.error) && call.opens ? opened(c, call, once) : answered
}

/** Gives what was read once there is a place for its stream. */
type Taken = <T>(value: T) => Promise<Result<T>>

/** What is said of pending items, then the message. The last of all is answered. */
async function said(c: Context<AppEnv>, call: ThreadCall, once: Taken): Promise<ThreadOutcome> {
  const { answers = [], message } = call
  const before = message ? answers : answers.slice(0, -1)
  for (const answer of call.isRepeat ? [] : before) {
    const done = await decided(c, { ...call, form: 'background', idempotency: null }, answer, once)
    if (!done.ok) return done
  }
  const last = answers.at(-1)
  if (message) return told(c, before.length > 0 ? { ...call, whenBusy: 'steer' } : call, message, once)
  return last ? decided(c, call, last, once) : fail({ code: 'no_user_message' })
}

function isGone(error: AppError): boolean {
  return error.code === 'not_found' && error.what === 'session'
}

async function opened(c: Context<AppEnv>, call: ThreadCall, once: Taken): Promise<ThreadOutcome> {
  const { opens } = call
  return ordered(c, {
    ...common(call),
    type: 'create',
    read: () => once({ type: 'create', input: opens ?? {}, ...whenBusy(call) }),
  })
}

async function told(
  c: Context<AppEnv>,
  call: ThreadCall,
  message: NewMessageInput,
  once: Taken,
): Promise<ThreadOutcome> {
  const { language } = call
  return ordered(c, {
    ...common(call),
    type: 'message',
    read: () => once({ type: 'message', input: message, language, ...whenBusy(call) }),
  })
}

async function decided(
  c: Context<AppEnv>,
  call: ThreadCall,
  { pendingId, input }: PendingAnswer,
  once: Taken,
): Promise<ThreadOutcome> {
  return ordered(c, {
    ...common(call),
    type: 'decide',
    read: () => once({ type: 'decide', pendingId, input }),
  })
}

const whenBusy = ({ whenBusy: word }: ThreadCall) => (word === undefined ? {} : { whenBusy: word })

function common({ session, idempotency, form, view, after, isRetry, kept }: ThreadCall) {
  const thread = {
    ...(after === undefined ? {} : { after }),
    ...(isRetry ? { isRetry } : {}),
    ...(kept ? { kept } : {}),
  }
  return { sessionId: session, idempotency, form, view, thread, status: { good: 200, begun: 200 } }
}

/** Says with an answer which session and run it is of. */
export function nameRun(c: Context<AppEnv>, { sessionId, answer }: ThreadRun): void {
  c.header('x-yaa-session', sessionId)
  const run = runOf(answer)
  if (run !== null) c.header('x-yaa-run', run)
}

/** The run that was answered; null: none. */
export function runOf(answer: ThreadRun['answer']): string | null {
  if (!('form' in answer)) return null
  if (answer.form === 'wait') return answer.response.run_id
  return answer.form === 'stream' ? answer.runId : answer.accepted.run_id
}
