import type { Language, Localized } from './language.ts'

/** What a tool can do to the world, mildest first. */
export type Risk = 'read' | 'network' | 'write' | 'destructive'
export type Permission = 'allow' | 'ask' | 'deny'

export type JsonSchema = Record<string, unknown>

/** How the text of a result is cut when it is over its limits. */
export interface OutputLimits {
  charsMax: number
  linesMax: number
  strategy: 'head_tail' | 'head_only' | 'none'
}

/** One parameter of a tool under its English name. `names` are how the text protocol may call it. */
export interface ToolParameter {
  names: Localized
  description: Localized
  required: boolean
}

/** What a tool needs to know of the call that it serves. */
export interface ToolContext {
  /** Also the idempotency key of the call. */
  callId: string
  sessionId: string
  tenant: string
  /** Whom the session works for; null: nobody in particular. */
  user: string | null
  language: Language
  /** The words of the user that started the run, for tools that choose by relevance. */
  task: string
  signal: AbortSignal
  /** What an earlier call of this tool kept in the session under a key; null: nothing. */
  recall(key: string): string | null
  /** The whole text of a result that was cut, by the id of its call; null: there is none. */
  result(callId: string): string | null
}

/** A text that stays with the session, for later calls of the same tool; it replaces an earlier one of its key. */
export interface KeptText {
  key: string
  text: string
}

/** `content` null: an act without content. `untrusted`: the text comes from outside and is marked as such by the tool.
 *  `essence`: what makes two results the same, where `content` has a time or a mark of its own. */
export type ToolOutcome =
  | { ok: true; content: string | null; untrusted?: boolean; essence?: string; keep?: KeptText[] }
  | { ok: false; reason: string }

export type ParsedArguments =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; errors: { path: string; expected: string }[] }

/** A tool as the loop sees it, wherever it comes from. Names on the wire and in storage are `id` and English parameters. */
export interface Tool {
  id: string
  names: Localized
  description: Localized
  parameters: Readonly<Record<string, ToolParameter>>
  risk: Risk
  /** True: a call that was cut may be made again under the same call id. */
  idempotent: boolean
  /** Control tools (`finish`, `rethink`, `ask`) steer the run, never need an approval and cannot be switched off. */
  control: boolean
  /** What a session must have for the tool to be of use: a user, or a result that was cut. */
  needs: 'user' | 'cut_result' | null
  timeoutMs: number
  output: OutputLimits
  inputSchema(): JsonSchema
  parse(args: Record<string, unknown>): ParsedArguments
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolOutcome>
}
