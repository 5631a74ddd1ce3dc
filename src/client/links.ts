import type { LinkScope, NewLink } from '../domain/link.ts'
import type { Pending } from '../domain/pending.ts'
import type { SessionData } from '../domain/session.ts'
import { sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Page, PageQuery, PendingDecision } from './session-shapes.ts'

/** A signed link as the server shows it. `url` and `token`: in the answer that made it alone. */
export interface LinkInfo {
  id: string
  object: 'link'
  scope: LinkScope
  session_id: string
  /** Null: it is for the whole session. */
  pending_id: string | null
  expires_time: string
  url?: string
  token?: string
  [more: string]: unknown
}

/** What the holder of a link sees: the session, or what waits for a decision. */
export type LinkView = SessionData | (LinkInfo & { title: string; status: string; pending: Pending[] })

/** A decision by link. `pending_id`: what is decided, where the link is for a session. */
export type LinkDecision = Omit<PendingDecision, 'remember'> & { pending_id?: string }

export interface LinkDecided {
  session_id: string
  pending_id: string
  decision: PendingDecision['decision']
}

/** The routes of signed links as functions. Errors: see `send` in http.ts. */
export function linksOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const ofSession = (session: string) => `/v1/sessions/${encodeURIComponent(session)}/links`
  const held = (token: string) => `/links/${encodeURIComponent(token)}`
  return {
    create: (session: string, body: NewLink) => json<LinkInfo>({ method: 'POST', path: ofSession(session), body }),
    list: (session: string, query: PageQuery = {}) =>
      json<Page<LinkInfo>>({ path: ofSession(session), query: { ...query } }),
    delete: (session: string, id: string) =>
      sendForNothing(connection, { method: 'DELETE', path: `${ofSession(session)}/${encodeURIComponent(id)}` }),
    /** Sign with a new secret: no link made so far opens anything. */
    rotate: () => json<{ rotated_time: string }>({ method: 'POST', path: '/v1/links/rotate' }),
    open: (token: string) => json<LinkView>({ path: held(token) }),
    decide: (token: string, body: LinkDecision) => json<LinkDecided>({ method: 'POST', path: held(token), body }),
  }
}
