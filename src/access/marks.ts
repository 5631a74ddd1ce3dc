import { tenantName } from '../domain/access.ts'
import type { Jurisdiction } from '../domain/place.ts'
import { tenantOfHook } from '../domain/webhook.ts'
import { derivedIdBody, idParts, isId, MARK_CHARS, newIdBody } from '../lib/id.ts'
import type { Secret } from '../lib/secret.ts'

/** What is given out and shown again: ids of sessions, links and webhooks, keys, and states of OAuth. Each ends with a mark that the
 *  Worker checks before it asks an object. What was given out before there were marks is as long, so that releases of before take what
 *  today's makes; it ends with something else. */
type Purpose = 'session' | 'link' | 'webhook' | 'key' | 'oauth-state' | 'mcp-session'

/** A text that says whose it is. None of it is proven. */
export interface GivenOut {
  tenant: string
  /** What is marked. */
  body: string
  mark: string
}

function markOf(
  secret: Secret,
  purpose: Purpose,
  { tenant, body }: Pick<GivenOut, 'tenant' | 'body'>,
): Promise<string> {
  return secret.mark(purpose, `${tenant}\n${body}`)
}

/** Whether it was given out under this secret. If not: before there were marks, under another secret, or never. */
export function isMarked(secret: Secret, purpose: Purpose, { tenant, body, mark }: GivenOut): Promise<boolean> {
  return secret.isMark(purpose, `${tenant}\n${body}`, mark)
}

/** The id of a new session. Where it is kept stands at its end, and is marked too. */
export function newSessionId(secret: Secret, tenant: string, { now, within }: { now: number; within: Within }) {
  return sessionId(secret, tenant, newIdBody('ses', now), within)
}

type Within = Jurisdiction | null | undefined

/** Under which key a session is made. `generation`: of sessions that were made under it one after the other, from 0 on. */
export interface SessionKeyName {
  key: string
  generation: number
}

/** The id of the session that a key makes, which it is given each time. It says nothing of when. */
export async function keyedSessionId(
  secret: Secret,
  tenant: string,
  { key, generation }: SessionKeyName,
  within: Within,
): Promise<string> {
  const digest = await secret.mac('session of a key', JSON.stringify([tenant, key, generation]))
  return sessionId(secret, tenant, derivedIdBody('ses', digest), within)
}

/** A thread of a door: its id there is one of whoever asked, in the name of this user. */
export interface ForeignThread {
  door: string
  principal: string
  user: string | null
  id: string
}

/** The id of the session that a thread of a door is. */
export async function threadSessionId(
  secret: Secret,
  tenant: string,
  { door, principal, user, id }: ForeignThread,
  within: Within,
): Promise<string> {
  const digest = await secret.mac('session of a thread', JSON.stringify([tenant, principal, user, door, id]))
  return sessionId(secret, tenant, derivedIdBody('ses', digest), within)
}

/** What a door's own ids of something in a session end with: it was given out to this principal, in the name of this user. */
export function ownedMark(
  secret: Secret,
  tenant: string,
  { principal, user, session }: { principal: string; user?: string | null; session: string },
): Promise<string> {
  return secret.mark('id of a door', JSON.stringify([tenant, principal, user, session]))
}

async function sessionId(secret: Secret, tenant: string, body: string, within: Within): Promise<string> {
  const ending = within ? `-${within}` : ''
  return `${body}${await markOf(secret, 'session', { tenant, body: body + ending })}${ending}`
}

/** Null: no session has such an id. */
export function shownSession(tenant: string, id: string): GivenOut | null {
  const parts = isId('ses', id) ? idParts(id) : null
  return parts && { tenant, body: parts.body + parts.ending, mark: parts.mark }
}

export async function newLinkId(secret: Secret, tenant: string, now: number): Promise<string> {
  const body = newIdBody('lnk', now)
  return body + (await markOf(secret, 'link', { tenant, body }))
}

export function shownLink(tenant: string, id: string): GivenOut | null {
  const { body, mark, ending } = idParts(id)
  return ending === '' ? { tenant, body, mark } : null
}

/** The id of a webhook that can be reached without a key: it ends in its tenant, unless that is `default`. */
export async function newHookId(secret: Secret, tenant: string, now: number): Promise<string> {
  const body = newIdBody('whk', now)
  return `${body}${await markOf(secret, 'webhook', { tenant, body })}${tenant === 'default' ? '' : `-${tenant}`}`
}

export function shownHook(id: string): GivenOut | null {
  const tenant = tenantOfHook(id)
  return tenant === null ? null : { ...idParts(id), tenant }
}

/** The id of a session of an MCP client. */
export async function newMcpSessionId(secret: Secret, tenant: string, now: number): Promise<string> {
  const body = newIdBody('mcp', now)
  return body + (await markOf(secret, 'mcp-session', { tenant, body }))
}

/** Whether a client was given such an id. */
export async function isMcpSession(secret: Secret, tenant: string, id: string): Promise<boolean> {
  const { body, mark, ending } = idParts(id)
  return isId('mcp', id) && ending === '' && isMarked(secret, 'mcp-session', { tenant, body, mark })
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** Random characters of a key, and its mark. */
const KEY_CHARS = 40
const SHOWN_CHARS = 6

/** The text of a new key: `yaa_TENANT_`, 160 random bits and a mark. It names its tenant, so that no list of all keys is needed. */
export async function newKeyText(secret: Secret, tenant: string): Promise<string> {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_CHARS - MARK_CHARS))
  const body = `yaa_${tenant}_${Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('')}`
  return body + (await markOf(secret, 'key', { tenant, body }))
}

/** Null: no made key has such a text. */
export function shownKey(text: string): GivenOut | null {
  const end = text.length - KEY_CHARS - 1
  if (!text.startsWith('yaa_') || text[end] !== '_' || !/^[0-9a-z]+$/.test(text.slice(end + 1))) return null
  const tenant = tenantName.safeParse(text.slice(4, end))
  const cut = text.length - MARK_CHARS
  return tenant.success ? { tenant: tenant.data, body: text.slice(0, cut), mark: text.slice(cut) } : null
}

/** The start of a key's text, by which people know it again. */
export function prefixOfKey(text: string): string {
  return text.slice(0, text.length - KEY_CHARS + SHOWN_CHARS)
}

/** Begins the body of states of connections; those of MCP servers begin with hex digits. */
export const CONNECTION_STATE = 'connection'
export const isConnectionState = (state: string): boolean => state.split('.')[1]?.startsWith(CONNECTION_STATE) === true

/** What somebody of a tenant who is sent to an authorisation server comes back with. */
export async function newOAuthState(secret: Secret, tenant: string, kind = ''): Promise<string> {
  const body = `${kind}${crypto.randomUUID()}${crypto.randomUUID()}`
  return `${tenant}.${body}.${await markOf(secret, 'oauth-state', { tenant, body })}`
}

export function shownState(state: string): GivenOut | null {
  const [name, body = '', mark = '', ...more] = state.split('.')
  const tenant = tenantName.safeParse(name)
  return tenant.success && more.length === 0 ? { tenant: tenant.data, body, mark } : null
}
