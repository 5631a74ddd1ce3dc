import type { SessionState } from '../../src/domain/state.ts'
import type { SessionApi } from '../../src/objects/api.ts'
import type { PeerAddresses } from './peers.ts'

/** What the suite asks of a session. */
export type SessionVerbs = Pick<
  SessionApi,
  | 'create'
  | 'addMessage'
  | 'continue'
  | 'decide'
  | 'cancel'
  | 'read'
  | 'patch'
  | 'remove'
  | 'messages'
  | 'events'
  | 'observe'
  | 'result'
  | 'export'
  | 'import'
>

/** Where the sessions of a suite live. */
export interface Home {
  peers(): PeerAddresses
  /** The session of an id, made or not: the same id, the same session. */
  session(id: string): SessionVerbs
  /** The fold of the log as it is stored. */
  storedState(id: string): Promise<SessionState | null>
  /** What was reported to the operator as a bug. */
  bugs(): readonly unknown[]
}
