import type { Context } from 'hono'
import { newSessionId, ownedMark, threadSessionId } from '../../access/marks.ts'
import { type AppError, fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { NewMessageInput, NewSession, PendingAnswer } from '../../domain/session-input.ts'
import type { AppEnv } from '../../http/context.ts'
import { serviceOf } from '../../http/caller.ts'
import { idempotencyOf } from '../../http/idempotency.ts'
import { ordered, type StreamPlace } from '../../http/route.ts'
import { accountOfCaller, type Principal } from '../../service/caller.ts'
import type { IdempotencyKey } from '../../service/idempotency.ts'
import type { CommandOutcome } from '../../service/run.ts'
import type { CallOptions, ThreadOptions } from '../../session/call.ts'
import type { NamedRun } from '../../session/commands/skill.ts'

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

/** What ids of something in a session end with, which its caller was given: to any other key they lead nowhere. */
export async function ownerMark(c: Context<AppEnv>, session: string): Promise<string> {
  const { tenant } = c.get('principal')
  return ownedMark(await serviceOf(c).secret(), tenant, { principal: ownerName(c.get('principal')), session })
}

/** The session that an id of a door stands for: nobody is asked. */
export async function threadSession(c: Context<AppEnv>, { door, user }: ThreadOwner, id: string): Promise<string> {
  const service = serviceOf(c)
  const principal = c.get('principal')
  const thread = { door, principal: ownerName(principal), user, id }
  return threadSessionId(await service.secret(), principal.tenant, thread, service.place?.jurisdiction)
}

/** Sessions that the same request begins, one after the other: it joins the newest while that runs. In an isolate the newest is known;
 *  elsewhere it is looked for among so many. */
const TRIES = 4
const REMEMBERED_MAX = 500
const newest = new Map<string, number>()

/** The sessions in which a request may begin a thread, the likeliest first. `hash`: of all that it asks, and of who asks. */
export async function* newSessions(
  c: Context<AppEnv>,
  owner: ThreadOwner,
  hash: string,
): AsyncGenerator<string, void, void> {
  const key = `${c.get('principal').tenant}\n${owner.door}\n${hash}`
  const first = newest.get(key) ?? 0
  for (let n = first; n < first + TRIES; n++) {
    newest.delete(key)
    newest.set(key, n)
    if (newest.size > REMEMBERED_MAX) newest.delete([...newest.keys()][0] ?? '')
    yield threadSession(c, owner, `request\n${hash}\n${n}`)
  }
  const service = serviceOf(c)
  const within = service.place?.jurisdiction
  yield newSessionId(await service.secret(), c.get('principal').tenant, { now: service.now(), within })
}

/** The session that a request names in a way of ours; null: none. */
export function namedSession(c: Context<AppEnv>, metadata: Readonly<Record<string, unknown>> = {}): string | null {
  const { session_id: inMetadata } = metadata
  return c.req.header('x-yaa-session') || (typeof inMetadata === 'string' ? inMetadata : null)
}

/** What a foreign request asks of a thread. */
export interface ThreadCall extends Pick<CallOptions, 'form' | 'view' | 'whenBusy' | 'language'>, ThreadOptions {
  /** Id of the session that the thread is. */
  session: string
  /** True: the session does not exist, as far as the door knows, and is to be made. False: it exists, unless it was deleted. */
  isNew: boolean
  /** What the session is made of, if it does not exist; null: then the thread is not found. */
  opens: NewSession | null
  /** The skill that the session is made to run, in the place of `opens`. */
  runs?: NamedRun
  /** Null: the request only answers pending items. */
  message: NewMessageInput | null
  /** Decisions on pending items, and results of calls that the caller made. They are written before the message, in one transaction with it. */
  answers?: readonly PendingAnswer[]
  idempotency: IdempotencyKey | null
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

/** A `taken` that takes the place of a stream only once, however often it is called. */
export function takenOnce(taken: StreamPlace['taken']): StreamPlace['taken'] {
  let place: Promise<Result<null>> | undefined
  return async (read) => {
    const input = await read()
    if (!input.ok) return input
    const held = await (place ??= taken(async () => ok(null)))
    return held.ok ? input : held
  }
}

/** The refusal of a request that cannot be understood. The service first checks whether its key may ask at all. */
export async function refusedRequest(c: Context<AppEnv>, error: AppError): Promise<Result<never>> {
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const status = { good: 200, begun: 200 }
  const order = { type: 'create', sessionId: null, idempotency, form: 'wait', status } as const
  const done = await ordered(c, { ...order, read: async () => fail(error) })
  return done.ok ? fail(error) : done
}

/** Gives what was read once there is a place for its stream. */
type Taken = <T>(value: T) => Promise<Result<T>>

/** What is said of what waits, the message, or both at once. */
async function said(c: Context<AppEnv>, call: ThreadCall, once: Taken): Promise<ThreadOutcome> {
  const { answers = [], message } = call
  return message ? told(c, call, message, once) : decided(c, call, answers, once)
}

function isGone(error: AppError): boolean {
  return error.code === 'not_found' && error.what === 'session'
}

async function opened(c: Context<AppEnv>, call: ThreadCall, once: Taken): Promise<ThreadOutcome> {
  const { opens, runs, saysAnew: _, ...begun } = call
  if (runs)
    return ordered(c, { ...common(begun), type: 'run_skill', read: () => once({ type: 'run_skill', input: runs }) })
  return ordered(c, {
    ...common(begun),
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
  const { language, answers = [] } = call
  return ordered(c, {
    ...common(call),
    type: 'message',
    read: () => once({ type: 'message', input: message, answers, language, ...whenBusy(call) }),
  })
}

async function decided(
  c: Context<AppEnv>,
  call: ThreadCall,
  [answer, ...also]: readonly PendingAnswer[],
  once: Taken,
): Promise<ThreadOutcome> {
  if (!answer) return fail({ code: 'no_user_message' })
  return ordered(c, {
    ...common(call),
    type: 'decide',
    read: () => once({ type: 'decide', ...answer, also }),
  })
}

const whenBusy = ({ whenBusy: word }: ThreadCall) => (word === undefined ? {} : { whenBusy: word })

function common({
  session,
  idempotency,
  form,
  view,
  after,
  afterSeq,
  inRun,
  isRetry,
  isOnce,
  kept,
  saysAnew,
  asks,
  answersIn,
  showsIn,
  messageId,
  mayBeElsewhere,
}: Omit<ThreadCall, 'opens' | 'message'>) {
  const thread: ThreadOptions = {
    ...(after === undefined ? {} : { after }),
    ...(afterSeq === undefined ? {} : { afterSeq }),
    ...(inRun === undefined ? {} : { inRun }),
    ...(isRetry ? { isRetry } : {}),
    ...(isOnce ? { isOnce } : {}),
    ...(kept ? { kept } : {}),
    ...(saysAnew ? { saysAnew } : {}),
    ...(asks ? { asks } : {}),
    ...(answersIn === undefined ? {} : { answersIn }),
    ...(showsIn === undefined ? {} : { showsIn }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(mayBeElsewhere ? { mayBeElsewhere } : {}),
  }
  return { sessionId: session, idempotency, form, view, thread, status: { good: 200, begun: 200 } }
}

/** Sets headers that name the session and the run of an answer. */
export function nameRun(c: Context<AppEnv>, { sessionId, answer }: ThreadRun): void {
  c.header('x-yaa-session', sessionId)
  const run = runOf(answer)
  if (run !== null) c.header('x-yaa-run', run)
}

/** The run that was answered; null: none. */
export function runOf(answer: ThreadRun['answer']): string | null {
  if (!('form' in answer)) return null
  if (answer.form === 'wait') return answer.response.run_id
  return answer.form === 'background' ? answer.accepted.run_id : answer.runId
}

/** What is told of a run: as it happens, or as a whole once it rests. */
export type RunBody = ReadableStream<Uint8Array> | string
export type ToldAnswer = Extract<ThreadRun['answer'], { form: 'stream' | 'whole' }>

export function isTold(answer: ThreadRun['answer']): answer is ToldAnswer {
  return 'form' in answer && (answer.form === 'stream' || answer.form === 'whole')
}

/** The first line of a stream, with the pieces that come with it: the answer of a request in the background. The reader leaves after that. */
export async function lineOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of body) {
    line += decoder.decode(chunk, { stream: true })
    if (line.endsWith('\n')) break
  }
  return line
}
