import { idParts, isId } from '../../../lib/id.ts'

/** Ids that clients of Responses are given. Each holds the session that it is of, so that nothing is looked up. */

/** A response: what one run did from an event of it on, until it rested. */
export interface ResponsePlace {
  session: string
  run: string
  /** The seq of its first event. */
  seq: number
}

/** Whose it is, by two marks: of the key or token that asked, and of the user in whose name it did. */
export interface Ownership {
  session: string
  /** It can be read and continued later. */
  isStored: boolean
  /** The session is not known to be made for responses alone: what is said of its model stays. */
  isGuest: boolean
  owner: string
  user: string
}

const RUN_CHARS = 26
const MARK_CHARS = 8
const TOKEN = new RegExp(
  `^([sgu])([0-9a-z]{${MARK_CHARS}})([0-9a-z]{${MARK_CHARS}})([0-9a-z]{${RUN_CHARS}})([0-9a-z]{1,10})_(.+)$`,
)

/** What all ids of a response are made of. */
export function tokenOf(
  { session, isStored, isGuest, owner, user }: Ownership,
  { run, seq }: Omit<ResponsePlace, 'session'>,
): string {
  const kind = !isStored ? 'u' : isGuest ? 'g' : 's'
  return `${kind}${owner}${user}${without('run', run)}${seq.toString(36)}_${without('ses', session)}`
}

export const responseId = (token: string): string => `resp_${token}`
export const itemId = (prefix: string, token: string, index: number): string => `${prefix}_${token}.${index}`

/** Null: no response has such an id. */
export function readResponseId(id: string): (ResponsePlace & Ownership) | null {
  const [, kind = '', owner = '', user = '', run = '', seq = '', session = ''] =
    (id.startsWith('resp_') && TOKEN.exec(id.slice('resp_'.length))) || []
  const place = { session: `ses_${session}`, run: `run_${run}`, seq: Number.parseInt(seq, 36) }
  if (!isId('ses', place.session) || !isId('run', place.run)) return null
  return { ...place, isStored: kind !== 'u', isGuest: kind === 'g', owner, user }
}

/** The response that an item is of; null: no item of ours has such an id. */
export function responseOfItem(id: string): string | null {
  const token = /^[a-z]+_(.+)\.\d+$/.exec(id)?.[1]
  return token === undefined ? null : responseId(token)
}

/** Something of a session that waits for whoever asked. */
export interface WaitingPlace {
  pendingId: string
  /** Null: it is the id of the item alone. */
  at: { session: string; owner: string } | null
}

/** `prefix`: `call` for a call of the caller's tool, `mcpr` for what is to be approved. */
export function waitingId(prefix: 'call' | 'mcpr', { session, owner }: Ownership, pendingId: string): string {
  return `${prefix}_${without('pnd', pendingId)}${owner}_${without('ses', session)}`
}

/** Null: nothing of ours has such an id. */
export function readWaitingId(prefix: 'call' | 'mcpr', id: string): WaitingPlace | null {
  if (isId('pnd', id)) return { pendingId: id, at: null }
  const [, item = '', owner = '', session = ''] =
    (id.startsWith(`${prefix}_`) && /^([0-9a-z]{26})([0-9a-z]{8})_(.+)$/.exec(id.slice(prefix.length + 1))) || []
  const place = { pendingId: `pnd_${item}`, at: { session: `ses_${session}`, owner } }
  return isId('pnd', place.pendingId) && isId('ses', place.at.session) ? place : null
}

function without(prefix: string, id: string): string {
  const { body, mark, ending } = idParts(id)
  return `${body}${mark}${ending}`.slice(prefix.length + 1)
}
