import type { Context } from 'hono'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import { CALLBACK_PATH } from '../mcp/oauth-grant.ts'
import { serviceOf } from './caller.ts'
import { type AppEnv } from './context.ts'

/** A cookie by which the browser that was sent to an authorisation server is known when it comes back. Its value is the MAC of the state, and
 *  its name is of the state too, so that one browser can be sent to several. */

const PURPOSE = 'oauth-return'
const NAME_CHARS = 16

/** The header that sets the cookie of the state in an address. */
export async function returnCookie(c: Context<AppEnv>, authorisationUrl: string): Promise<string> {
  const state = new URL(authorisationUrl).searchParams.get('state') ?? ''
  const value = await (await serviceOf(c).secret()).proof(PURPOSE, state)
  const seconds = LIMITS.mcp.redirectMs / 1_000
  const secure = new URL(c.req.url).protocol === 'https:' ? '; Secure' : ''
  return `${await nameFor(state)}=${value}; Path=${CALLBACK_PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Whether a request has the cookie of a state. */
export async function hasReturnCookie(c: Context<AppEnv>, state: string): Promise<boolean> {
  const start = `${await nameFor(state)}=`
  const shown = (c.req.header('cookie') ?? '').split(/; */).find((pair) => pair.startsWith(start))
  return shown !== undefined && (await serviceOf(c).secret()).isProof(PURPOSE, state, shown.slice(start.length))
}

async function nameFor(state: string): Promise<string> {
  return `yaa_oauth_${(await sha256Hex(state)).slice(0, NAME_CHARS)}`
}
