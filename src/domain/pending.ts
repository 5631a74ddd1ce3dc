import type { Risk } from './tool.ts'

/** Something that only a human can decide: the approval of one call with exactly these arguments, or a question. */
export interface Pending {
  id: string
  type: 'approval' | 'question'
  call_id?: string
  tool?: string
  arguments?: Record<string, unknown>
  /** Lower-case hex SHA-256 of the arguments as canonical JSON (keys sorted, no white space). */
  arguments_hash?: string
  question?: string
  options?: string[]
  risk?: Risk
  reason?: string
  created_time: string
  expires_time: string
  /** The sub-task or role that asks; null: the agent itself. */
  scope: string | null
}
