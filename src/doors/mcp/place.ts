import type { Context } from 'hono'
import { ownedMark } from '../../access/marks.ts'
import type { McpPlace } from '../../domain/mcp-session.ts'
import type { AppEnv } from '../../http/context.ts'
import { serviceOf } from '../../http/caller.ts'
import { inAddress } from '../../lib/addresses.ts'
import { isId } from '../../lib/id.ts'
import { ownerName } from '../kernel/thread.ts'

/** What clients are given and show again. Ids of tasks, and states of calls that ask their user, hold the place that they are of, with a mark of
 *  whoever they were given to, so that nothing is looked up and to any other they lead nowhere. */

/** `task`; `json`: the same, whose answer is the structure of its result; `state`: of a call that asks. */
export type TokenKind = 'task' | 'json' | 'state'

const TOKEN = /^(?:task|json|state)_([0-9a-z]{26})\.([0-9a-z]{1,10})\.([0-9a-z]{8})\.([0-9a-z-]{26,60})$/

export async function placeToken(c: Context<AppEnv>, kind: TokenKind, place: McpPlace): Promise<string> {
  const { session, run, seq } = place
  const mark = await markOf(c, kind, place)
  return `${kind}_${run.slice('run_'.length)}.${seq.toString(36)}.${mark}.${session.slice('ses_'.length)}`
}

/** Null: this caller was given no such token. */
export async function readPlace(c: Context<AppEnv>, kind: TokenKind, token: string): Promise<McpPlace | null> {
  const [, run = '', seq = '', mark = '', session = ''] = (token.startsWith(`${kind}_`) && TOKEN.exec(token)) || []
  const place = { session: `ses_${session}`, run: `run_${run}`, seq: Number.parseInt(seq, 36) }
  if (!isId('ses', place.session) || !isId('run', place.run)) return null
  return mark === (await markOf(c, kind, place)) ? place : null
}

async function markOf(c: Context<AppEnv>, kind: string, { session, run, seq }: McpPlace): Promise<string> {
  const { tenant } = c.get('principal')
  const principal = ownerName(c.get('principal'))
  return ownedMark(await serviceOf(c).secret(), tenant, { principal, user: `${kind}\n${run}\n${seq}`, session })
}

/** Files of workspaces as resources. */
export const FILE_TEMPLATE = 'yaa://sessions/{session}/files/{+path}'
const FILE = /^yaa:\/\/sessions\/([^/]+)\/files\/(.+)$/

export function fileUri(session: string, path: string): string {
  return `yaa://sessions/${session}/files/${inAddress(path)}`
}

/** Null: no file has such an address. */
export function readFileUri(uri: string): { session: string; path: string } | null {
  const [, session = '', written = ''] = FILE.exec(uri) ?? []
  if (!isId('ses', session)) return null
  try {
    return { session, path: decodeURIComponent(written) }
  } catch {
    return null
  }
}
