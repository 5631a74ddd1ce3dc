import type { KeyInfo, KeyPatch, NewKey } from '../domain/access.ts'
import { type Connection, resourceOf, sendForJson, sendForNothing, type Request, send } from './http.ts'
import type { LinkDecided, LinkInfo, NewLink, waitingView } from '../domain/link.ts'
import type { ShapeOf } from '../lib/shape.ts'
import type { SessionData } from '../domain/session.ts'
import type { Page, PageQuery, PendingDecision } from './session-shapes.ts'
import type { AuditEntry, AuditVerification } from '../domain/audit.ts'

/** The routes of keys as functions; a key that is deleted lets nobody in from then on. Errors: see `send` in http.ts. */
export function keysOf(connection: Connection) {
  return resourceOf<KeyInfo, NewKey, KeyPatch>(connection, '/v1/keys')
}

/** What the holder of a link sees: the session, or what waits for a decision. */
export type LinkView = SessionData | ShapeOf<typeof waitingView>

/** A decision by link. `pending_id`: what is decided, where the link is for a session. */
export type LinkDecision = Omit<PendingDecision, 'remember'> & { pending_id?: string }

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

/** Which entries. `from` and `to` are RFC 3339 times or days. */
export interface AuditFilterQuery {
  from?: string
  to?: string
  actor?: string
  action?: string
  target?: string
}

/** The routes of the audit as functions. Errors: see `send` in http.ts. */
export function auditOf(connection: Connection) {
  return {
    /** Newest first. */
    list: (query: AuditFilterQuery & PageQuery = {}) =>
      sendForJson<Page<AuditEntry>>(connection, { path: '/v1/audit', query: { ...query } }),
    /** `cursor`: the `next_cursor` of the verification before, where one did not reach the end. */
    verify: (query: { cursor?: string } = {}) =>
      sendForJson<AuditVerification>(connection, { path: '/v1/audit/verify', query }),
    /** All entries as JSON lines, oldest first: a stream, as there may be many. */
    export: (query: AuditFilterQuery = {}, signal?: AbortSignal) =>
      send(connection, { path: '/v1/audit', query: { ...query }, headers: { accept: 'application/x-ndjson' }, signal }),
  }
}
