import { tenantName } from '../domain/access.ts'
import type { Jurisdiction } from '../domain/place.ts'
import { tenantOfHook } from '../domain/webhook.ts'
import { idFrom, isId, newId, unmarkedId } from '../lib/id.ts'
import { MARK_CHARS, type Secret } from '../lib/secret.ts'

/** What is given out and shown again: ids of sessions, links and webhooks, keys, and states of OAuth. Each has a mark that the Worker
 *  checks before it asks an object. What was given out before there were marks has none. */
type Purpose = 'session' | 'link' | 'webhook' | 'key' | 'oauth-state'

/** A text that says whose it is. `mark`: null where it is of before. None of it is proven. */
export interface GivenOut {
  tenant: string
  /** What is marked. */
  body: string
  mark: string | null
}

function markOf(
  secret: Secret,
  purpose: Purpose,
  { tenant, body }: Pick<GivenOut, 'tenant' | 'body'>,
): Promise<string> {
  return secret.mark(purpose, `${tenant}\n${body}`)
}

/** `unmarked`: it was given out before there were marks, or never. */
export async function markStand(
  secret: Secret,
  purpose: Purpose,
  shown: GivenOut | null,
): Promise<'marked' | 'unmarked' | 'forged'> {
  if (shown === null) return 'forged'
  if (shown.mark === null) return 'unmarked'
  return (await secret.isMark(purpose, `${shown.tenant}\n${shown.body}`, shown.mark)) ? 'marked' : 'forged'
}

/** The id of a new session. Where it is kept stands at its end, and is marked too. */
export function newSessionId(secret: Secret, tenant: string, { now, within }: { now: number; within: Within }) {
  return sessionId(secret, tenant, newId('ses', now), within)
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
  return sessionId(secret, tenant, idFrom('ses', 0, digest), within)
}

async function sessionId(secret: Secret, tenant: string, id: string, within: Within): Promise<string> {
  const ending = within ? `-${within}` : ''
  return `${id}${await markOf(secret, 'session', { tenant, body: id + ending })}${ending}`
}

/** Null: no session has such an id. */
export function shownSession(tenant: string, id: string): GivenOut | null {
  const parts = isId('ses', id) ? unmarkedId(id) : null
  return parts && { tenant, body: parts.id + parts.ending, mark: parts.mark }
}

export async function newLinkId(secret: Secret, tenant: string, now: number): Promise<string> {
  const id = newId('lnk', now)
  return id + (await markOf(secret, 'link', { tenant, body: id }))
}

export function shownLink(tenant: string, id: string): GivenOut | null {
  const { id: body, mark, ending } = unmarkedId(id)
  return ending === '' ? { tenant, body, mark } : null
}

/** The id of a webhook that can be reached without a key: it ends in its tenant, unless that is `default`. */
export async function newHookId(secret: Secret, tenant: string, now: number): Promise<string> {
  const id = newId('whk', now)
  return `${id}${await markOf(secret, 'webhook', { tenant, body: id })}${tenant === 'default' ? '' : `-${tenant}`}`
}

export function shownHook(id: string): GivenOut | null {
  const tenant = tenantOfHook(id)
  return tenant === null ? null : { tenant, body: unmarkedId(id).id, mark: unmarkedId(id).mark }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const KEY_CHARS = 40
const SHOWN_CHARS = 6

/** The text of a new key: `yaa_TENANT_`, 200 random bits and a mark. It names its tenant, so that no list of all keys is needed. */
export async function newKeyText(secret: Secret, tenant: string): Promise<string> {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_CHARS))
  const body = `yaa_${tenant}_${Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('')}`
  return body + (await markOf(secret, 'key', { tenant, body }))
}

/** Null: no made key has such a text. */
export function shownKey(text: string): GivenOut | null {
  for (const chars of [MARK_CHARS, 0]) {
    const end = text.length - KEY_CHARS - chars - 1
    if (!text.startsWith('yaa_') || text[end] !== '_' || !/^[0-9a-z]+$/.test(text.slice(end + 1))) continue
    const tenant = tenantName.safeParse(text.slice(4, end))
    const cut = text.length - chars
    if (tenant.success) return { tenant: tenant.data, body: text.slice(0, cut), mark: text.slice(cut) || null }
  }
  return null
}

/** The start of a key's text, by which people know it again. */
export function prefixOfKey(text: string): string {
  const body = shownKey(text)?.body ?? text
  return body.slice(0, body.length - KEY_CHARS + SHOWN_CHARS)
}

/** What somebody of a tenant who is sent to an authorisation server comes back with. */
export async function newOAuthState(secret: Secret, tenant: string): Promise<string> {
  const body = `${crypto.randomUUID()}${crypto.randomUUID()}`
  return `${tenant}.${body}.${await markOf(secret, 'oauth-state', { tenant, body })}`
}

export function shownState(state: string): GivenOut | null {
  const [name, body = '', mark = null, ...more] = state.split('.')
  const tenant = tenantName.safeParse(name)
  return tenant.success && more.length === 0 ? { tenant: tenant.data, body, mark } : null
}
