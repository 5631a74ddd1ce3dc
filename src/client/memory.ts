import type { Preference, RememberedTask, Round } from '../domain/memory.ts'
import { sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Page } from './session-shapes.ts'

export interface MemoryListQuery {
  /** Words that have to be in what is listed. */
  q?: string
  limit?: number
  cursor?: string
}

/** What is remembered of users (api.md, "Around it"). Lists are newest first. */
export interface MemoryOfUsers {
  preferences(user: string, query?: Omit<MemoryListQuery, 'q'>): Promise<Page<Preference>>
  preference(user: string, key: string): Promise<Preference>
  setPreference(user: string, key: string, value: string): Promise<Preference>
  deletePreference(user: string, key: string): Promise<void>
  conversations(user: string, query?: MemoryListQuery): Promise<Page<Round>>
  tasks(user: string, query?: MemoryListQuery): Promise<Page<RememberedTask>>
  /** Forgets everything of the user. */
  clear(user: string): Promise<void>
}

/** The routes of a user's memory as functions. Errors: see `send` in http.ts. */
export function memoryOf(connection: Connection): MemoryOfUsers {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = (user: string, rest = '') => `/v1/users/${encodeURIComponent(user)}/memory${rest}`
  const keyPath = (user: string, key: string) => path(user, `/preferences/${encodeURIComponent(key)}`)
  const remove = (address: string) => sendForNothing(connection, { method: 'DELETE', path: address })
  return {
    preferences: (user, query = {}) => json({ path: path(user, '/preferences'), query: { ...query } }),
    preference: (user, key) => json({ path: keyPath(user, key) }),
    setPreference: (user, key, value) => json({ method: 'PUT', path: keyPath(user, key), body: { value } }),
    deletePreference: (user, key) => remove(keyPath(user, key)),
    conversations: (user, query = {}) => json({ path: path(user, '/conversations'), query: { ...query } }),
    tasks: (user, query = {}) => json({ path: path(user, '/tasks'), query: { ...query } }),
    clear: (user) => remove(path(user)),
  }
}
