import type { FileData } from '../domain/file.ts'
import { send, sendForJson, sendForNothing, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** The routes of a session's workspace as functions. Errors: see `send` in http.ts. */
export function filesOf(connection: Connection) {
  const all = (session: string) => `/v1/sessions/${encodeURIComponent(session)}/files`
  const one = (session: string, path: string) => `${all(session)}/${path.split('/').map(encodeURIComponent).join('/')}`
  return {
    list: (session: string, query: PageQuery & { path?: string } = {}) =>
      sendForJson<Page<FileData>>(connection, { path: all(session), query: { ...query } }),
    /** The bytes, with their type. */
    get: (session: string, path: string) => send(connection, { path: one(session, path), headers: { accept: '*/*' } }),
    /** Write a text. */
    put: (session: string, path: string, text: string) =>
      sendForJson<FileData>(connection, { method: 'PUT', path: one(session, path), body: text }),
    delete: (session: string, path: string) =>
      sendForNothing(connection, { method: 'DELETE', path: one(session, path) }),
  }
}
