import type { Context } from 'hono'
import { ownedMark } from '../../access/marks.ts'
import type { McpPlace } from '../../domain/mcp-session.ts'
import type { AppEnv } from '../../http/context.ts'
import { serviceOf } from '../../http/caller.ts'
import { isId } from '../../lib/id.ts'
import { ownerName } from '../kernel/thread.ts'

/** What clients of the stateless revision show again: the id of a task, and the state of a call that asks its user. It holds the place that it is
 *  of, with a mark of whoever it was given to, so that nothing is looked up and to any other it leads nowhere. */

/** `task`; `json`: the same, whose answer is the structure of its result; `state`: of a call that asks. */
export type TokenKind = 'task' | 'json' | 'state'

const FORM = /^(?:task|json|state)_([0-9a-z]{26})\.([0-9a-z]{1,10})\.([0-9a-z]{8})\.([0-9a-z-]{26,60})$/

export async function placeToken(c: Context<AppEnv>, kind: TokenKind, place: McpPlace): Promise<string> {
  const { session, run, seq } = place
  const mark = await markOf(c, kind, place)
  return `${kind}_${run.slice('run_'.length)}.${seq.toString(36)}.${mark}.${session.slice('ses_'.length)}`
}

/** Null: this caller was given no such token. */
export async function readPlace(c: Context<AppEnv>, kind: TokenKind, token: string): Promise<McpPlace | null> {
  const [, run = '', seq = '', mark = '', session = ''] = (token.startsWith(`${kind}_`) && FORM.exec(token)) || []
  const place = { session: `ses_${session}`, run: `run_${run}`, seq: Number.parseInt(seq, 36) }
  if (!isId('ses', place.session) || !isId('run', place.run)) return null
  return mark === (await markOf(c, kind, place)) ? place : null
}

async function markOf(c: Context<AppEnv>, kind: string, { session, run, seq }: McpPlace): Promise<string> {
  const { tenant } = c.get('principal')
  const principal = ownerName(c.get('principal'))
  return ownedMark(await serviceOf(c).secret(), tenant, { principal, user: `${kind}\n${run}\n${seq}`, session })
}
