import type { Context } from 'hono'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { readTaskId, type TaskPlace } from '../../domain/task-id.ts'
import type { AppEnv } from '../../http/context.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { isId } from '../../lib/id.ts'
import { namedSession, ownerMark, ownerName, threadSession } from '../kernel/thread.ts'
import type { SendRequest, SentTurn } from './request.ts'

/** Contexts are sessions, and tasks are their runs. */

const DOOR = 'a2a'

/** A task that this caller was given. */
export async function ownTask(c: Context<AppEnv>, id: string): Promise<Result<TaskPlace>> {
  const place = readTaskId(id)
  if (!place || place.owner !== (await ownerMark(c, place.session))) return fail({ code: 'not_found', what: 'task' })
  return ok(place)
}

/** The session that a context is: our own ids are what they are, any other is one of the caller, in the name of its user. */
async function contextSession(c: Context<AppEnv>, contextId: string, user: string | null): Promise<string> {
  return isId('ses', contextId) ? contextId : threadSession(c, { door: DOOR, user }, `context\n${contextId}`)
}

/** Where a message belongs. */
export interface SentPlace {
  session: string
  /** The task that it is for; null: a new one, or the one that its context has. */
  run: string | null
  /** Nobody has named the session: it is made for the message, unless the message came before. */
  isNew: boolean
  /** The session is made, if it is not there. */
  mayBegin: boolean
}

export async function sentPlace(
  c: Context<AppEnv>,
  { contextId, taskId, asked }: SentTurn,
  hash: string,
): Promise<Result<SentPlace>> {
  const user = asked.user ?? null
  const session = contextId === null ? null : await contextSession(c, contextId, user)
  if (taskId !== null) {
    const task = await ownTask(c, taskId)
    if (!task.ok) return task
    if (session !== null && session !== task.value.session)
      return invalid([{ path: 'message.contextId', message: 'the context of the task, or none' }])
    return ok({ session: task.value.session, run: task.value.run, isNew: false, mayBegin: false })
  }
  if (session !== null && contextId !== null)
    return ok({ session, run: null, isNew: false, mayBegin: !isId('ses', contextId) })
  const named = namedSession(c, asked)
  if (named !== null) return ok({ session: named, run: null, isNew: false, mayBegin: false })
  const own = await threadSession(c, { door: DOOR, user }, `message\n${hash}`)
  return ok({ session: own, run: null, isNew: true, mayBegin: true })
}

/** Of what a message says, and of who sends it: the same again is the same message. */
export function messageHash(c: Context<AppEnv>, { message, metadata }: SendRequest): Promise<string> {
  return sha256Hex(canonicalJson([ownerName(c.get('principal')), message, metadata ?? null]))
}
