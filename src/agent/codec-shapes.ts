import type { Problem } from '../domain/event.ts'
import type { Language } from '../domain/language.ts'
import type { Message } from '../domain/message.ts'
import type { ModelReply, ModelRequest } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'

export interface EncodeInput {
  /** The newest generated prompt: the only system message, sent first. Null: none is sent. */
  prompt: string | null
  /** The window of the history, oldest first; prompts in it are not sent. */
  messages: readonly Message[]
  /** Tools that may be called in the reply. */
  tools: readonly Tool[]
  language: Language
}

export interface DecodedCall {
  /** The tool's id, or the name that no tool has. */
  name: string
  toolId: string | null
  /** By English names; `{}` if they were no JSON object. They fit the tool if `problem` is null. */
  arguments: Record<string, unknown>
  problem: Problem | null
}

export interface Decoded {
  /** The reply as it was written. */
  content: string
  form: 'native' | 'text' | 'none'
  /** Calls to run, or to answer with their problem (native form only); at most one in the text form. */
  calls: DecodedCall[]
  /** What is wrong with the reply as a whole; null when `calls` is not empty. */
  problem: Problem | null
  /** Further complete calls of known tools in a text reply, and native ones over the limit, that are not run. */
  dropped: number
}

/** How a history is written for a model, and how its reply is read. */
export interface Codec {
  encode(input: EncodeInput): ModelRequest
  decode(reply: ModelReply, tools: readonly Tool[], language: Language): Decoded
}
