import type { Content } from './content.ts'

export type Role = 'user' | 'assistant' | 'system' | 'tool'

/** What a message is for. */
export type MessageKind = 'task' | 'prompt' | 'reply' | 'tool_result' | 'warning' | 'approval' | 'answer' | 'summary'

/** A call of a tool as it is stored and shown: the tool's id (or the unknown name) and English parameter names. */
export interface ToolCall {
  id: string
  name: string
  arguments: Record<string, unknown>
}

/** Lengths in UTF-16 units of the tool's own text; `rest` is a path of this server that answers the whole of it, null where the
 *  session is its caller's and nothing is stored. */
export interface Truncated {
  original_length: number
  kept_length: number
  rest: string | null
}

export interface Message {
  id: string
  seq: number
  run_id: string | null
  role: Role
  content: Content
  kind: MessageKind
  created_time: string
  reasoning?: string
  tool_calls?: ToolCall[]
  tool_call_id?: string
  tool_name?: string
  truncated?: Truncated
  scope: string | null
}
