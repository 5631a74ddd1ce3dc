import type { KeyLimits, KeyPatch, NewKey, Scope } from '../domain/access.ts'
import { sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** A key as the server shows it. Times are RFC 3339. */
export interface KeyInfo {
  id: string
  name: string
  prefix: string
  tenant: string
  scopes: Scope[]
  limits: KeyLimits
  created_time: string
  /** Null: it does not end by itself. */
  expires_time: string | null
  last_used_time: string | null
  /** The whole text of the key: in the answer that made it and never again. */
  key?: string
  [more: string]: unknown
}

/** The routes of keys as functions. Errors: see `send` in http.ts. */
export function keysOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = (id: string) => `/v1/keys/${encodeURIComponent(id)}`
  return {
    list: (query: PageQuery = {}) => json<Page<KeyInfo>>({ path: '/v1/keys', query: { ...query } }),
    create: (body: NewKey) => json<KeyInfo>({ method: 'POST', path: '/v1/keys', body }),
    get: (id: string) => json<KeyInfo>({ path: path(id) }),
    update: (id: string, body: KeyPatch) => json<KeyInfo>({ method: 'PATCH', path: path(id), body }),
    /** Revoke it: it lets nobody in from now on. */
    delete: (id: string) => sendForNothing(connection, { method: 'DELETE', path: path(id) }),
  }
}
