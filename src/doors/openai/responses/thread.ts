import type { Context } from 'hono'
import { ownedMark } from '../../../access/marks.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../../domain/errors.ts'
import type { PendingAnswer } from '../../../domain/session-input.ts'
import type { AppEnv } from '../../../http/context.ts'
import { serviceOf } from '../../../http/caller.ts'
import { canonicalJson, sha256Hex } from '../../../lib/hash.ts'
import { bytesOf } from '../../../lib/bytes.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { decisionWord, isDecisionText } from '../../kernel/approval-word.ts'
import { namedSession, newSessions, ownerMark, ownerName, threadSession } from '../../kernel/thread.ts'
import {
  type Ownership,
  readResponseId,
  readWaitingId,
  type ResponsePlace,
  responseOfItem,
  type WaitingPlace,
} from './ids.ts'
import {
  type InputItem,
  isAgents,
  isResult,
  itemWords,
  objectIn,
  type ResponseRequest,
  type ResponseTurn,
  userOf,
} from './request.ts'
import type { Echo } from './response.ts'

/** Which session a request of Responses belongs to, and whose ids are whose. */

const DOOR = 'openai-responses'

/** A session that a request goes on in. */
export interface KnownThread {
  session: string
  /** The run that it continues; absent: whichever is the newest. */
  after?: string
  /** The response that it continues, where it names one. */
  behind?: ResponsePlace & Pick<Ownership, 'user'>
  /** The session is made, if it is not there. */
  mayBegin: boolean
  /** The user mark of the thread, where the request names no user. */
  user?: string
  /** See `Ownership`. */
  isGuest: boolean
  /** It was found by what waits: the request may hold the whole history. */
  isWhole?: true
}

async function userMark(c: Context<AppEnv>, session: string, user: string | null): Promise<string> {
  const { tenant } = c.get('principal')
  return ownedMark(await serviceOf(c).secret(), tenant, { principal: ownerName(c.get('principal')), session, user })
}

/** The mark in a copy of its session of the user that a response is of. `users`: who that may be; if nobody of these, it is of none that a request
 *  names. */
export async function markElsewhere(
  c: Context<AppEnv>,
  { session: from, user: mark }: Pick<Ownership, 'session' | 'user'>,
  { session, users }: { session: string; users: readonly (string | null)[] },
): Promise<string> {
  for (const user of users) if ((await userMark(c, from, user)) === mark) return userMark(c, session, user)
  return userMark(c, session, JSON.stringify([from, mark]))
}

/** What the ids of a response of this session are made with. */
export async function ownershipOf(
  c: Context<AppEnv>,
  request: ResponseRequest,
  { session, user, isGuest }: Pick<KnownThread, 'session' | 'user' | 'isGuest'>,
): Promise<Ownership> {
  const named = userOf(request)
  const owner = await ownerMark(c, session)
  return {
    session,
    isStored: request.store !== false,
    isGuest,
    owner,
    // Who names nobody has the mark of the owner.
    user: named === null ? (user ?? owner) : await userMark(c, session, named),
  }
}

const UNKNOWN = fail({ code: 'not_found', what: 'response' })

/** A response that this caller was given; no other, and none that was not to be stored. */
export async function ownResponse(c: Context<AppEnv>, id: string): Promise<Result<ResponsePlace & Ownership>> {
  const place = readResponseId(id)
  if (!place?.isStored) return UNKNOWN
  return place.owner === (await ownerMark(c, place.session)) ? ok(place) : UNKNOWN
}

/** The session that a request names in some way; null: it names none. */
export async function knownThread(
  c: Context<AppEnv>,
  request: ResponseRequest,
  { history, fresh }: ResponseTurn,
): Promise<Result<KnownThread | null>> {
  const { previous_response_id: previous, conversation } = request
  const user = userOf(request)
  if (previous) return continued(c, previous, user)
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id
    const session = await threadSession(c, { door: DOOR, user }, `conversation\n${id}`)
    return ok({ session, mayBegin: true, isGuest: false })
  }
  const named = namedSession(c, request.metadata ?? {})
  if (named !== null) return ok({ session: named, mayBegin: false, isGuest: true })
  const waiting = fresh.flatMap((item) => waitingOf(item)?.at ?? [])[0]
  if (waiting && waiting.owner === (await ownerMark(c, waiting.session)))
    return ok({ session: waiting.session, mayBegin: false, isGuest: true, isWhole: true })
  const reference = history.findLast(({ type }) => type === 'item_reference')?.id
  if (!reference) return ok(null)
  const referred = await continued(c, responseOfItem(reference) ?? '', user)
  return referred.ok
    ? referred
    : invalid([{ path: 'input', message: `an item of a response here; ${reference} is none` }])
}

const UNKNOWN_PREVIOUS = invalid([{ path: 'previous_response_id', message: 'the id of a response that is kept here' }])

/** What a request names is not there any more: its session is gone, or it was deleted. */
export function goneBehind({ previous_response_id: previous }: ResponseRequest): AppError {
  return previous ? UNKNOWN_PREVIOUS.error : invalid([{ path: 'input', message: GONE_ITEM }]).error
}

const GONE_ITEM = 'items of responses that are kept here'

async function continued(c: Context<AppEnv>, id: string, user: string | null): Promise<Result<KnownThread>> {
  const found = await ownResponse(c, id)
  if (!found.ok) return UNKNOWN_PREVIOUS
  const { session, run, seq, user: mark, isGuest } = found.value
  if (user !== null && mark !== (await userMark(c, session, user))) return UNKNOWN_PREVIOUS
  return ok({ session, after: run, behind: { session, run, seq, user: mark }, mayBegin: false, user: mark, isGuest })
}

/** The sessions in which a request may begin a thread, the likeliest first. */
export function newThreads(c: Context<AppEnv>, request: ResponseRequest, hash: string): AsyncGenerator<string> {
  return newSessions(c, { door: DOOR, user: userOf(request) }, hash)
}

/** Of all that a request asks, and of who asks. `key`: the Idempotency-Key that it came with. */
export async function requestHash(c: Context<AppEnv>, request: ResponseRequest, key: string | null): Promise<string> {
  const { stream: _, stream_options: __, ...asked } = request
  return sha256Hex(canonicalJson([ownerName(c.get('principal')), userOf(request), key === null ? asked : { key }]))
}

/** What an item says of something that waits; null: nothing. */
function waitingOf({ type, call_id: call, approval_request_id: approval }: InputItem): WaitingPlace | null {
  if (type === 'function_call_output') return readWaitingId('call', call ?? '')
  return type === 'mcp_approval_response' ? readWaitingId('mcpr', approval ?? '') : null
}

/** Why a request that belongs to no session here cannot begin one; null: it can. */
export function refusalToBegin(
  request: ResponseRequest,
  { fresh, words }: ResponseTurn,
  task: unknown,
): AppError | null {
  const decided = fresh.find(({ type }) => type === 'mcp_approval_response')?.approval_request_id
  if (decided !== undefined) return { code: 'stale_decision', pendingId: decided }
  if (isDecisionText(words)) return { code: 'stale_decision', pendingId: 'What is decided' }
  return orphanIn(request) ?? (task === undefined ? NO_TASK : null)
}

const NO_TASK = invalid([{ path: 'input', message: 'a message of the user, to which the calls are' }]).error

/** Why the results that come new are of no call before them; null: they are. */
function orphanIn({ input }: ResponseRequest): AppError | null {
  if (typeof input === 'string') return null
  const cut = input.findLastIndex(isAgents)
  const called = new Set(input.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])))
  const index = input.findIndex((item, at) => at > cut && isResult(item) && !called.has(item.call_id))
  if (index < 0) return null
  const message = `the id of a call before it, or previous_response_id; ${input[index]?.call_id ?? ''} is none`
  return invalid([{ path: `input.${index}.call_id`, message }]).error
}

/** What a request says of what waits: results of tools, decisions, or a decision in words. */
export function answersIn({ fresh, words }: ResponseTurn): Result<PendingAnswer[]> {
  const answers: PendingAnswer[] = []
  for (const item of fresh) {
    const isOutput = item.type === 'function_call_output'
    if (!isOutput && item.type !== 'mcp_approval_response') continue
    const waiting = waitingOf(item)
    const named = (isOutput ? item.call_id : item.approval_request_id) ?? ''
    if (!waiting) return fail({ code: 'stale_decision', pendingId: named })
    answers.push({
      pendingId: waiting.pendingId,
      input: isOutput ? { result: itemWords(item.output) } : decisionOf(item),
    })
  }
  const word = decisionWord(words)
  return ok(word ? [...answers, word] : answers)
}

/** A reason that is a JSON object is the arguments to call with in the place of those that were shown. */
function decisionOf({ approve, reason, arguments: edited }: InputItem): PendingAnswer['input'] {
  if (approve !== true) return { decision: 'reject', ...(reason ? { feedback: reason } : {}) }
  const given = edited ?? (reason?.trim().startsWith('{') ? reason : null)
  return { decision: 'approve', ...(given === null ? {} : { arguments: objectIn(given) }) }
}

/** What of a request its response says again. */
export function echoOf(request: ResponseRequest): Echo {
  const { conversation, tool_choice: choice, text, reasoning } = request
  const echo: Echo = {
    model: request.model,
    background: request.background === true,
    conversation: conversation ? { id: typeof conversation === 'string' ? conversation : conversation.id } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    store: request.store !== false,
    temperature: request.temperature ?? null,
    text: { ...text, format: text?.format ?? { type: 'text' } },
    tool_choice: choice ?? 'auto',
    tools: (request.tools ?? []).map((tool) => ({ parameters: null, strict: false, ...tool })),
    user: request.user ?? null,
  }
  if (bytesOf(JSON.stringify(echo)) <= LIMITS.door.keptBytesMax) return echo
  const { tools: _, instructions: __, text: ___, metadata: ____, ...short } = echo
  return short
}
