import { sendForJson, sendForNothing, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** The path of a resource, or of what belongs to it, by its id or name. */
export type PathOf = (id: string, rest?: string) => string

/** The paths of resources below a path such as `/v1/webhooks`. */
export function pathsBelow(base: string): PathOf {
  return (id, rest = '') => `${base}/${encodeURIComponent(id)}${rest}`
}

/** The routes that every resource of a tenant has, as functions. Errors: see `send` in http.ts. */
export function resourceOf<Info, New, Patch>(connection: Connection, base: string) {
  const path = pathsBelow(base)
  return {
    list: (query: PageQuery = {}) => sendForJson<Page<Info>>(connection, { path: base, query: { ...query } }),
    create: (body: New) => sendForJson<Info>(connection, { method: 'POST', path: base, body }),
    get: (id: string) => sendForJson<Info>(connection, { path: path(id) }),
    update: (id: string, body: Patch) => sendForJson<Info>(connection, { method: 'PATCH', path: path(id), body }),
    delete: (id: string) => sendForNothing(connection, { method: 'DELETE', path: path(id) }),
  }
}
