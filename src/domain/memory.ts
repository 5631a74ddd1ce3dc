import type { Status } from './run.ts'

/** A task and its answer, as they were said. `timestamp`: when the run ended. */
export interface Round {
  session_id: string
  run_id: string
  user_message: string
  ai_response: string
  timestamp: string
  /** Text from outside had a part in it. */
  untrusted: boolean
}

/** What became of a task; `result` null: nothing. */
export interface RememberedTask {
  user_id: string
  session_id: string
  run_id: string
  task_data: { task: string; result: string | null; status: Status }
  timestamp: string
  untrusted: boolean
}

export interface Preference {
  key: string
  value: string
}

/** What a run is told of its user, newest first. */
export interface Remembered {
  rounds: Round[]
  preferences: Preference[]
  tasks: RememberedTask[]
}

/** A run that is over, to be remembered. `time`: Unix ms of its end. */
export interface EndedRun {
  runId: string
  sessionId: string
  task: string
  result: string | null
  status: Status
  time: number
  untrusted: boolean
}

/** What is remembered of one user. Every verb rejects when it cannot be reached. */
export interface Memory {
  /** For a run of this session. */
  load(sessionId: string): Promise<Remembered>
  /** Saving a run again replaces what was saved of it. */
  save(runs: readonly EndedRun[]): Promise<void>
  /** Rounds that fit a query, best first. */
  search(query: string, count: number): Promise<Round[]>
  put(preference: Preference): Promise<void>
  /** False: there was no such preference. */
  remove(key: string): Promise<boolean>
}

/** The memory of a tenant's user. */
export type MemoryOf = (tenant: string, user: string) => Memory
