import type { Context } from 'hono'
import { newSessionId } from '../../../access/marks.ts'
import { historyWith, type ThreadPlace } from '../../../domain/thread.ts'
import type { AppEnv } from '../../../http/context.ts'
import { serviceOf } from '../../../http/caller.ts'
import { canonicalJson, sha256Hex } from '../../../lib/hash.ts'
import { ownerName } from '../../kernel/thread.ts'
import { type Addressee } from '../../kernel/names.ts'
import { saidBefore } from './answer.ts'
import { bytesIn, type SaidMessage, type ChatRequest, type ChatTurn, chatWords } from './request.ts'

/** By what a request is known that comes again. */
interface ChatSending {
  /** A hash of all that it asks, and of who asks. */
  request: string
  isRetry: boolean
}

/** Which session a request of chat completions belongs to, which carries no id: it is known by the history that it continues. */
export interface ChatThread extends ChatSending {
  /** Of the history that it continues; null: it begins one. */
  continues: string | null
  /** Of all that was said, its own words included. */
  history: string
}

/** `key`: the Idempotency-Key that it came with. */
export async function sendingOf(c: Context<AppEnv>, request: ChatRequest, key: string | null): Promise<ChatSending> {
  const { stream: _, stream_options: __, ...asked } = request
  return {
    request: await sha256Hex(canonicalJson([ownerOf(c, request), key === null ? asked : { key }])),
    isRetry: key !== null || Number(c.req.header('x-stainless-retry-count') ?? 0) > 0,
  }
}

function ownerOf(c: Context<AppEnv>, { user }: ChatRequest) {
  return [ownerName(c.get('principal')), user ?? null]
}

export async function threadOf(
  c: Context<AppEnv>,
  request: ChatRequest,
  { history }: ChatTurn,
  { addressee, sending }: { addressee: Addressee; sending: ChatSending },
): Promise<ChatThread> {
  const owner = ownerOf(c, request)
  const said = request.messages.flatMap(saidIn)
  const before = history.flatMap(saidIn)
  // An alias may change within a thread; who works in it does not.
  const hashOf = (messages: readonly object[]) =>
    sha256Hex(canonicalJson(['openai-chat', owner, addressee.opens, messages]))
  const last = before.at(-1)
  return {
    ...sending,
    continues: last ? await historyWith(await hashOf(before.slice(0, -1)), last) : null,
    history: await hashOf(said),
  }
}

function saidIn(message: SaidMessage): object[] {
  const content = chatWords(message.content)
  if (message.role === 'assistant')
    return [saidBefore({ role: message.role, content, calls: message.tool_calls ?? [] })]
  if (message.role === 'tool') return [saidBefore({ role: message.role, content, callId: message.tool_call_id })]
  if (message.role !== 'user') return []
  return [{ ...saidBefore({ role: message.role, content }), parts: bytesIn(message.content) }]
}

/** Where a request belongs; from now on it is known to run there. `isNew`: it begins a session, whatever is known. */
export async function placeOf(c: Context<AppEnv>, thread: ChatThread, isNew = false): Promise<ThreadPlace> {
  const service = serviceOf(c)
  const { tenant } = c.get('principal')
  const { request, continues: history, isRetry } = thread
  const session = await newSessionId(await service.secret(), tenant, {
    now: service.now(),
    within: service.place?.jurisdiction,
  })
  return service.tenant(tenant).enterThread({ request, history, session, isRetry, isNew })
}
