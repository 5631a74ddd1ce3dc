import type { AuditEntry } from '../domain/audit.ts'
import { send, sendForJson, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** Which entries. `from` and `to` are RFC 3339 times or days. */
export interface AuditFilterQuery {
  from?: string
  to?: string
  actor?: string
  action?: string
  target?: string
}

/** Whether the chain is whole. `next_cursor` null: all of it was walked. */
export interface AuditVerification {
  ok: boolean
  checked: number
  /** Entries that the retention took away before the first that is there. */
  expired: number
  broken: { id: string; reason: string } | null
  head: { id: string; hash: string } | null
  next_cursor: string | null
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
