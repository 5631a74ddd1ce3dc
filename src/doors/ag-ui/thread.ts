import type { Context } from 'hono'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { AppEnv } from '../../http/context.ts'
import { serviceOf } from '../../http/caller.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { isId } from '../../lib/id.ts'
import { sessionObject } from '../../objects/env.ts'
import { lacks } from '../../service/caller.ts'
import { openCounted, type OpenConnection } from '../../service/limits.ts'
import type { View } from '../../session/call.ts'
import type { Addressee } from '../kernel/names.ts'
import { namedSession, ownerName, threadSession } from '../kernel/thread.ts'
import { NOTHING_NEW, type RunInput, type RunTurn, askingUser } from './request.ts'
import { thoughtsId } from './texts.ts'

/** Which session a request of AG-UI belongs to, and what of it its client has. */

export const VIEW = 'ag-ui'

/** A session of a thread. `isNamed`: the request names it, in a way of ours. */
export interface AgUiThread {
  session: string
  isNamed: boolean
}

/** Found by the thread's id, whose it is and who works in it. */
export async function threadPlace(
  c: Context<AppEnv>,
  { threadId, user }: { threadId: string; user: string | null },
  { opens }: Pick<Addressee, 'opens'>,
): Promise<AgUiThread> {
  const named = namedSession(c)
  if (named !== null) return { session: named, isNamed: true }
  const id = `${canonicalJson(opens)}\n${threadId}`
  return { session: await threadSession(c, { door: VIEW, user }, id), isNamed: false }
}

/** Of what a request says that is new: the same again is the same request, whatever its run is called. */
export async function freshHash(c: Context<AppEnv>, input: RunInput, turn: RunTurn): Promise<string> {
  const { users, results, resume } = turn
  const owner = [ownerName(c.get('principal')), askingUser(input)]
  return sha256Hex(canonicalJson([owner, input.threadId, users, results, resume]))
}

/** A turn without what its thread has heard: a client whose agent has said nothing yet sends that again with what its user says next, or
 *  with the answer to what waits. */
export async function unsaid(c: Context<AppEnv>, { session }: AgUiThread, turn: RunTurn): Promise<RunTurn> {
  const answers = turn.results.length + turn.resume.length > 0
  if (turn.users.length < (answers ? 1 : 2)) return turn
  const turns = await sessionObject(c.env, c.get('principal').tenant, session).threadTurns()
  const known = new Set(turns.ok ? turns.value.map(({ clientId }) => clientId) : [])
  const users = turn.users.slice(turn.users.findLastIndex(({ id }) => known.has(id)) + 1)
  return users.length === 0 && !answers ? turn : { ...turn, users }
}

/** Characters of texts that the client has, by the ids of their messages, and by their own those of our calls: of the newest alone. */
export function heldIn({ messages }: RunInput): Record<string, number> {
  const texts = messages.flatMap((one): [string, number][] => {
    if (one.role === 'tool') return [[one.id, one.content.length]]
    if (one.role !== 'assistant' && one.role !== 'reasoning') return []
    const calls = one.role === 'assistant' ? (one.toolCalls ?? []).filter(({ id }) => !isId('pnd', id)) : []
    const text: [string, number][] = one.content ? [[one.id, one.content.length]] : []
    return [...text, ...calls.map((call): [string, number] => [call.id, call.function.arguments.length])]
  })
  return Object.fromEntries(texts.slice(-LIMITS.door.heldMax))
}

/** Of a client that comes back: what it has is told again but for thoughts, which it keeps. */
export function keptIn(input: RunInput): Record<string, number> {
  return Object.fromEntries(Object.entries(heldIn(input)).filter(([id]) => id.endsWith(thoughtsId(''))))
}

interface Followed {
  runId: string
  body: ReadableStream<Uint8Array>
  connection: OpenConnection | null
}

/** What the newest run of a thread did since it last began, or goes on to do. */
export async function followed(
  c: Context<AppEnv>,
  { session, isNamed }: AgUiThread,
  view: View,
): Promise<Result<Followed>> {
  const { tenant } = c.get('principal')
  const lacking = isNamed ? lacks(c.get('principal'), 'read') : null
  if (lacking) return fail(lacking)
  const part = await sessionObject(c.env, tenant, session).newestPart()
  if (!part.ok || !part.value) return fail(NOTHING_NEW)
  const opened = await openCounted(serviceOf(c), tenant, { kind: 'stream', session })
  if (!opened.ok) return opened
  const stream = await sessionObject(c.env, tenant, session).run({ ...part.value, follows: true }, view)
  if (stream.ok) return ok({ runId: part.value.runId, body: stream.value, connection: opened.value })
  await opened.value?.close()
  return fail(NOTHING_NEW)
}
