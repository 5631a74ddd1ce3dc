import type { Preference, RememberedTask, Round } from '../domain/memory.ts'
import { sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Page } from './session-shapes.ts'

export interface MemoryListQuery {
  /** Words that have to be in what is listed. */
  q?: string
  limit?: number
  cursor?: string
}

/** The routes of a user's memory as functions. Lists are newest first. Errors: see `send` in http.ts. */
export function memoryOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = (user: string, rest = '') => `/v1/users/${encodeURIComponent(user)}/memory${rest}`
  const keyPath = (user: string, key: string) => path(user, `/preferences/${encodeURIComponent(key)}`)
  const remove = (address: string) => sendForNothing(connection, { method: 'DELETE', path: address })
  return {
    preferences: (user: string, query: Omit<MemoryListQuery, 'q'> = {}) =>
      json<Page<Preference>>({ path: path(user, '/preferences'), query: { ...query } }),
    preference: (user: string, key: string) => json<Preference>({ path: keyPath(user, key) }),
    setPreference: (user: string, key: string, value: string) =>
      json<Preference>({ method: 'PUT', path: keyPath(user, key), body: { value } }),
    deletePreference: (user: string, key: string) => remove(keyPath(user, key)),
    conversations: (user: string, query: MemoryListQuery = {}) =>
      json<Page<Round>>({ path: path(user, '/conversations'), query: { ...query } }),
    tasks: (user: string, query: MemoryListQuery = {}) =>
      json<Page<RememberedTask>>({ path: path(user, '/tasks'), query: { ...query } }),
    /** Forgets everything of the user. */
    clear: (user: string) => remove(path(user)),
  }
}
