import type { AuditActor } from '../../src/domain/audit.ts'
import type { FolderFile } from '../../src/skills/folder.ts'
import type { SkillDefinition } from '../../src/domain/skill.ts'
import type { SessionState } from '../../src/domain/state.ts'
import type { SessionApi } from '../../src/objects/api.ts'
import type { Reduce } from '../../src/log/reduce/reducer.ts'
import type { PeerAddresses } from './peers.ts'

/** What the suite asks of a session. */
export type SessionVerbs = Pick<
  SessionApi,
  | 'create'
  | 'runSkill'
  | 'addMessage'
  | 'continue'
  | 'decide'
  | 'decideAll'
  | 'answerAndSay'
  | 'task'
  | 'retryStep'
  | 'sendTeamMessage'
  | 'teamMessages'
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
  | 'files'
  | 'file'
  | 'filesZip'
  | 'putFile'
  | 'removeFile'
  | 'keyStand'
  | 'keepSuccessor'
>

/** Who decides in tests that do not say who. */
export const TESTER: AuditActor = { kind: 'key', id: 'tester' }

/** Where the sessions of a suite live. */
export interface Home {
  peers(): PeerAddresses
  /** The session of an id, made or not: the same id, the same session. */
  session(id: string): SessionVerbs
  /** The fold of the log as it is stored. */
  storedState(id: string): Promise<SessionState | null>
  /** Keep a skill for the tenant of the suites, in the place of one of its name. */
  putSkill(skill: SkillDefinition, files?: readonly FolderFile[] | null): Promise<void>
  /** The reducer of its logs. */
  readonly reduce: Reduce
  /** What was reported to the operator as a bug. */
  bugs(): readonly unknown[]
}
