import type { KeyLimits, KeyPatch, NewKey, Scope } from '../domain/access.ts'
import type { Connection } from './http.ts'
import { resourceOf } from './resource.ts'

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

/** The routes of keys as functions; a key that is deleted lets nobody in from then on. Errors: see `send` in http.ts. */
export function keysOf(connection: Connection) {
  return resourceOf<KeyInfo, NewKey, KeyPatch>(connection, '/v1/keys')
}
