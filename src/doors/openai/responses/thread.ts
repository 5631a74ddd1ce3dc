import type { Context } from 'hono'
import { newSessionId, ownedMark } from '../../../access/marks.ts'
import { fail, ok, type Result } from '../../../domain/errors.ts'
import type { AppEnv } from '../../../http/context.ts'
import { serviceOf } from '../../../http/caller.ts'
import { canonicalJson, sha256Hex } from '../../../lib/hash.ts'
import { bytesOf } from '../../../lib/bytes.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { decisionWord } from '../../kernel/approval-word.ts'
import { namedSession, ownerName, type PendingAnswer, threadSession } from '../../kernel/thread.ts'
import {
  type Ownership,
  readResponseId,
  readWaitingId,
  type ResponsePlace,
  responseOfItem,
  type WaitingPlace,
} from './ids.ts'
import { type InputItem, objectIn, type ResponseRequest, type ResponseTurn, userOf, itemWords } from './request.ts'
import type { Echo } from './response.ts'

/** Which session a request of Responses belongs to, and whose ids are whose. */

const DOOR = 'openai-responses'

/** A session that a request goes on in. */
export interface KnownThread {
  session: string
  /** The run that it continues; absent: whichever is the newest. */
  after?: string
  /** The response that it continues, where it names one. */
  behind?: ResponsePlace
  /** The session is made, if it is not there. */
  mayBegin: boolean
  /** The user mark of the thread, where the request names no user. */
  user?: string
}

export async function ownerMark(c: Context<AppEnv>, session: string): Promise<string> {
  const { tenant } = c.get('principal')
  return ownedMark(await serviceOf(c).secret(), tenant, { principal: ownerName(c.get('principal')), session })
}

async function userMark(c: Context<AppEnv>, session: string, user: string | null): Promise<string> {
  const { tenant } = c.get('principal')
  return ownedMark(await serviceOf(c).secret(), tenant, { principal: ownerName(c.get('principal')), session, user })
}

/** What the ids of a response of this session are made with. */
export async function ownershipOf(
  c: Context<AppEnv>,
  request: ResponseRequest,
  { session, user }: Pick<KnownThread, 'session' | 'user'>,
): Promise<Ownership> {
  const named = userOf(request)
  return {
    session,
    isStored: request.store !== false,
    owner: await ownerMark(c, session),
    user: named === null && user !== undefined ? user : await userMark(c, session, named),
  }
}

const unknown = (what: string): Result<never> => fail({ code: 'not_found', what })

/** A response that this caller was given; no other, and none that was not to be stored. */
export async function ownResponse(c: Context<AppEnv>, id: string): Promise<Result<ResponsePlace & Ownership>> {
  const place = readResponseId(id)
  if (!place?.isStored) return unknown('response')
  return place.owner === (await ownerMark(c, place.session)) ? ok(place) : unknown('response')
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
    return ok({ session, mayBegin: true })
  }
  const named = namedSession(c, request.metadata ?? {})
  if (named !== null) return ok({ session: named, mayBegin: false })
  const waiting = fresh.flatMap((item) => waitingOf(item)?.at ?? [])[0]
  if (waiting && waiting.owner === (await ownerMark(c, waiting.session)))
    return ok({ session: waiting.session, mayBegin: false })
  const reference = history.findLast(({ type }) => type === 'item_reference')?.id
  const referred = reference ? responseOfItem(reference) : null
  return referred === null ? ok(null) : continued(c, referred, user)
}

async function continued(c: Context<AppEnv>, id: string, user: string | null): Promise<Result<KnownThread>> {
  const found = await ownResponse(c, id)
  if (!found.ok) return unknown('previous response')
  const { session, run, seq, user: mark } = found.value
  if (user !== null && mark !== (await userMark(c, session, user))) return unknown('previous response')
  return ok({ session, after: run, behind: { session, run, seq }, mayBegin: false, user: mark })
}

/** Sessions that the same request begins, one after the other: it joins the newest while that runs. In an isolate the newest is known;
 *  elsewhere it is looked for among so many. */
const TRIES = 4
const REMEMBERED_MAX = 500
const newest = new Map<string, number>()

/** The sessions in which a request may begin a thread, the likeliest first. */
export async function* newSessions(
  c: Context<AppEnv>,
  request: ResponseRequest,
  hash: string,
): AsyncGenerator<string, void, void> {
  const owner = { door: DOOR, user: userOf(request) }
  const key = `${c.get('principal').tenant}\n${hash}`
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
