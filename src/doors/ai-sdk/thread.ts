import type { Context } from 'hono'
import { fail, ok, type Result } from '../../domain/errors.ts'
import type { ThreadLead } from '../../domain/session.ts'
import type { PendingAnswer } from '../../domain/session-input.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { AppEnv } from '../../http/context.ts'
import { ordered } from '../../http/route.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import { sessionObject } from '../../objects/env.ts'
import type { ThreadStand, ThreadTurn } from '../../session/call.ts'
import { stopRun } from '../kernel/asked.ts'
import { namedSession, ownerName, refusedRequest, type ThreadRun, threadSession } from '../kernel/thread.ts'
import { readReplyId } from './ids.ts'
import type { SaidAnswer, UiRequest, UiTurn } from './request.ts'

/** Which session a chat is. It begins in one that is made of its id. When a message is answered anew the chat goes on in a copy up to before that message,
 *  and the sessions that it leaves lead there. */

const DOOR = 'ai-sdk'

/** A chat by its own id and whose it is. */
export interface UiChat {
  id: string
  user: string | null
}

/** The session in which a chat begins. */
export function firstSession(c: Context<AppEnv>, { id, user }: UiChat): Promise<string> {
  return threadSession(c, { door: DOOR, user }, id)
}

/** The chat that a request is of; null: it names a session of ours in the place of one. */
export function chatOf(c: Context<AppEnv>, { id, user, metadata }: UiRequest): Result<UiChat | { session: string }> {
  if (id) return ok({ id, user: user ?? null })
  const session = namedSession(c, metadata ?? {})
  if (session !== null) return ok({ session })
  const message = 'the id of the chat, as useChat sends it'
  return fail({ code: 'invalid_input', detail: 'Which chat is it?', issues: [{ path: 'id', message }] })
}

/** Of all that a request asks anew. `key`: the Idempotency-Key that it came with. */
export async function chatRequestHash(
  c: Context<AppEnv>,
  request: UiRequest,
  { turn, key }: { turn: UiTurn; key: string | null },
): Promise<string> {
  const { trigger = null, model = null, tools = null, editedInputs = null, user = null } = request
  const { said, answers } = turn
  const asked = { said, answers, trigger, model, tools, editedInputs }
  return sha256Hex(canonicalJson([DOOR, ownerName(c.get('principal')), user, key === null ? asked : { key }]))
}

/** Where a chat goes on. */
export interface ChatPlace {
  session: string
  /** Null: there is no such session, yet or any more. */
  stand: ThreadStand | null
}

/** The session in which the chat that begins in this one goes on by now. `mayBeElsewhere`: false: it is this one that is meant. */
export async function chatPlace(c: Context<AppEnv>, first: string, mayBeElsewhere = true): Promise<Result<ChatPlace>> {
  const { tenant } = c.get('principal')
  for (let session = first, n = 0; n < LIMITS.door.leadsMax; n++) {
    const stand = await sessionObject(c.env, tenant, session).threadStand()
    if (!stand.ok) return stand.error.code === 'not_found' ? ok({ session, stand: null }) : stand
    const next = mayBeElsewhere ? await nextSession(c, { first, from: session }, stand.value) : ok(null)
    if (!next.ok) return next
    if (next.value === null) return ok({ session, stand: stand.value })
    session = next.value
  }
  return fail({ code: 'internal_error' })
}

/** Where a thread goes on behind a session; null: nowhere else. A process that died between the beginning of a run and the lead to it left both to whoever comes next. */
async function nextSession(
  c: Context<AppEnv>,
  { first, from }: Record<'first' | 'from', string>,
  { goesOnIn, mayGoOnIn }: ThreadStand,
): Promise<Result<string | null>> {
  if (goesOnIn !== null || !mayGoOnIn) return ok(goesOnIn)
  const { tenant } = c.get('principal')
  const { session: to, request } = mayGoOnIn
  const turns = await sessionObject(c.env, tenant, to).threadTurns()
  if (!turns.ok && turns.error.code !== 'not_found') return turns
  if (turns.ok && turns.value.some((turn) => requestOfTurn(turn) === request)) return lead(c, { first, from, to })
  const stays = await sessionObject(c.env, tenant, from).mayGoOnIn(null)
  return stays.ok ? ok(null) : stays
}

/** What is said of what still waits. `isRepeat`: nothing of it does, as where the request comes again. */
export function answersOn(
  { pending }: ThreadStand,
  { answers }: UiTurn,
  edited: UiRequest['editedInputs'],
): { answers: PendingAnswer[]; isRepeat: boolean } {
  const all = answers.map((answer) => ({ answer, item: pending.find((item) => isOf(item, answer)) }))
  const open = all.filter(({ item }) => item !== undefined)
  const isRepeat = open.length === 0
  return {
    isRepeat,
    answers: (isRepeat ? all : open).map(({ answer, item }) => {
      const pendingId = item?.id ?? ('approval' in answer ? answer.approval : answer.call)
      return { pendingId, input: inputOf(answer, edited?.[pendingId]) }
    }),
  }
}

function isOf({ id, type, call_id: callId = id }: ThreadStand['pending'][number], answer: SaidAnswer): boolean {
  if ('approval' in answer) return type === 'approval' && id === answer.approval
  return type === 'tool_call' && (callId === answer.call || id === answer.call)
}

function inputOf(answer: SaidAnswer, edited: Record<string, unknown> | undefined): PendingAnswer['input'] {
  if ('call' in answer)
    return 'error' in answer.result ? { error: answer.result.error } : { result: answer.result.output }
  if (!answer.approved) return { decision: 'reject', ...(answer.reason ? { feedback: answer.reason } : {}) }
  return { decision: 'approve', ...(edited ? { arguments: edited } : {}) }
}

/** Where a message is answered anew. `from`: the session that the chat leaves for it; null: it stays. */
interface Branch {
  session: string
  from: ChatPlace | null
}

/** Answers a message anew: in the session of the chat where the message is its next, else in a copy up to before the message. A message whose place
 *  nobody knows begins a session, with what the request says was before. The chat goes on there once its run has begun, so that what is refused leaves it
 *  where it was, and a process that dies leaves it where the run is; where somebody else was first, that run ends, and it is done again behind theirs. */
export async function answeredAnew(
  c: Context<AppEnv>,
  chat: UiChat,
  asked: AskedAnew,
  run: (session: string) => Promise<Result<ThreadRun>>,
): Promise<Result<ThreadRun>> {
  const first = await firstSession(c, chat)
  for (let n = 0; n < LIMITS.door.leadsMax; n++) {
    const branch = await branchOf(c, chat, { ...asked, first })
    if (!branch.ok) return refusedRequest(c, branch.error)
    const { session: to, from } = branch.value
    // One that goes on would count beside the new one.
    if (from?.stand?.status === 'in_progress') await stopRun(c, from.session)
    const announced = from?.stand ? await announce(c, from.session, { session: to, request: asked.request }) : ok(null)
    if (!announced.ok) return announced
    const done = await run(to)
    if (!done.ok || !from) return done
    const led = await lead(c, { first, from: from.session, to })
    if (led.ok && led.value === to) return done
    const { answer } = done.value
    if ('form' in answer && answer.form === 'stream') await answer.body.cancel()
    if (!led.ok) return led
    await stopRun(c, to)
  }
  return fail({ code: 'internal_error' })
}

async function branchOf(
  c: Context<AppEnv>,
  chat: UiChat,
  { first, ...asked }: AskedAnew & { first: string },
): Promise<Result<Branch>> {
  const place = await chatPlace(c, first)
  if (!place.ok) return place
  const { session, stand } = place.value
  const next = stand ? await placeAnew(c, chat, { ...asked, session, stand }) : ok(session)
  if (!next.ok) return next
  return ok({ session: next.value, from: next.value === session ? null : place.value })
}

/** What is asked anew. `request`: its hash. `isRetry`: it comes again on purpose, for the answer of the first. */
interface AskedAnew {
  turn: UiTurn
  request: string
  isRetry: boolean
}

async function placeAnew(
  c: Context<AppEnv>,
  chat: UiChat,
  { session, stand, turn, request, isRetry }: AskedAnew & { session: string; stand: ThreadStand },
): Promise<Result<string>> {
  const turns = await sessionObject(c.env, c.get('principal').tenant, session).threadTurns()
  if (!turns.ok) return turns
  const isAsked = requestOfTurn(turns.value.at(-1)) === request
  const isJoined = isAsked && (stand.status === 'in_progress' || isRetry)
  const cut = isJoined ? 'end' : cutBefore(turns.value, turn)
  if (cut === 'end') return ok(session)
  const name = `branch\n${session}\n${request}`
  if (cut === 'unknown') return ok(await threadSession(c, { door: DOOR, user: chat.user }, `${chat.id}\n${name}`))
  const forked = await ordered(c, {
    type: 'fork',
    sessionId: null,
    target: session,
    form: 'wait',
    status: { good: 201, begun: 201 },
    idempotency: { key: `${DOOR}\n${name}\n${cut}`, asks: async () => ok('') },
    read: async () => ok({ type: 'fork', from: session, atSeq: cut }),
  })
  return forked.ok ? ok(forked.value.sessionId) : forked
}

function announce(c: Context<AppEnv>, from: string, next: ThreadLead): Promise<Result<null>> {
  return sessionObject(c.env, c.get('principal').tenant, from).mayGoOnIn(next)
}

/** From now on the chat goes on in another session. Gives the one in which it does: another one, where somebody was first. */
async function lead(
  c: Context<AppEnv>,
  { first, from, to }: Record<'first' | 'from' | 'to', string>,
): Promise<Result<string>> {
  const { tenant } = c.get('principal')
  const led = await sessionObject(c.env, tenant, from).goOnIn(to, from)
  // The first one leads there at once, so that no request goes by way of all.
  if (led.ok && led.value === to && from !== first) await sessionObject(c.env, tenant, first).goOnIn(to, from)
  return led
}

/** Where a message belongs: behind all (`end`), before the event behind this seq, or nowhere that is known. It is known by its id, else by that of what was
 *  said before it. */
function cutBefore(turns: readonly ThreadTurn[], { said, history }: UiTurn): number | 'end' | 'unknown' {
  const known = turns.findLast(({ clientId }) => clientId !== null && clientId === said?.id)
  if (known) return known.cutSeq
  const before = placeOf(turns, history.findLast(({ role }) => role === 'assistant')?.id)
  if (before === -1) return turns.length === 0 ? 'end' : 'unknown'
  return turns.find(({ role }, index) => index > before && role === 'user')?.cutSeq ?? 'end'
}

/** The last turn that was there when a message of the agent began; -1: nothing is known of it. */
function placeOf(turns: readonly ThreadTurn[], id: string | undefined): number {
  const reply = id === undefined ? null : readReplyId(id)
  if (!reply) return id === undefined ? -1 : turns.findLastIndex(({ clientId }) => clientId === id)
  return turns.findLastIndex(({ cutSeq, run }) => run === reply.run && cutSeq < reply.seq)
}

/** The request that a message came with, by its hash. */
function requestOfTurn(turn: ThreadTurn | undefined): unknown {
  const kept = turn?.kept['ai_sdk']
  return isObject(kept) ? kept['request'] : undefined
}
