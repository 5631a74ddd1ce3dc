import * as z from 'zod'
import { count, onDemand, record, type ShapeOf } from '../lib/shape.ts'
import type { ImagePart } from './content.ts'
import type { FileChange, Files } from './file.ts'
import { type Language, localized, type Localized } from './language.ts'
import type { TraceContext } from './telemetry.ts'
import type { WantedConnection } from './wanted-connection.ts'

/** The tools that only say how a run goes on, and what each language calls them. */
export const CONTROL_TOOL_NAMES = {
  rethink: { 'zh-CN': '再度思考', en: 'rethink' },
  ask: { 'zh-CN': '提问', en: 'ask' },
  finish: { 'zh-CN': '完成会话', en: 'finish' },
} as const satisfies Record<string, Localized>

/** What a tool can do to the world, mildest first. */
export const RISKS = ['read', 'network', 'write', 'destructive'] as const
export type Risk = (typeof RISKS)[number]
export const PERMISSIONS = ['allow', 'ask', 'deny'] as const
export type Permission = (typeof PERMISSIONS)[number]
/** Why a redirect is not followed: it leads to another site and untrusted text may have made up the address, or no rule allows it. */
export type RedirectBar = 'other_host' | 'not_allowed'

/** What a call reaches: absolute addresses, and files or other things that have a path. `carries`: it takes words of its own to
 *  the addresses, beside them. */
export interface Touched {
  addresses: string[]
  paths: string[]
  carries?: boolean
}

/** Where the text of a result comes from: the call itself brought it (`source`); the session's files hold it, of which the model
 *  wrote some (`workspace`); models wrote all of it, as what the memory holds (`memory`) and the answers of workers (`model`); or it is part of
 *  an earlier result, whose call the argument `call_id` names (`result`). Only a source proves that an address was not made up. */
export type Provenance = 'source' | 'workspace' | 'memory' | 'model' | 'result'

export type JsonSchema = Record<string, unknown>

/** What stays of the text of a result that is over its limits. */
export const CUT_STRATEGIES = ['head_tail', 'head_only', 'none'] as const

/** How the text of a result is cut when it is over its limits. */
export interface OutputLimits {
  charsMax: number
  linesMax: number
  strategy: (typeof CUT_STRATEGIES)[number]
}

/** Of a text: from `start` to before `end`, in UTF-16 units. */
export interface TextRange {
  start: number
  end: number
}

/** A piece of a text that is kept or left out as a whole. `context`: what before it says what it belongs to (headings, the
 *  head of its table), the nearest last. */
export interface TextUnit extends TextRange {
  context: readonly TextRange[]
}

/** How a long text falls into units, in order, each of at most about `charsMax`. */
export type UnitsOf = (text: string, charsMax: number) => TextUnit[]

/** One parameter of a tool under its English name. `names` are how the text protocol may call it. */
export interface ToolParameter {
  names: Localized
  description: Localized
  required: boolean
}

/** What a call that is under way tells. */
export type ToolNews =
  | { type: 'progress'; progress: number; total: number | null; message: string | null }
  | { type: 'log'; level: string; text: string }

/** What a tool needs to know of the call that it serves. */
export interface ToolContext {
  /** Also the idempotency key of the call. */
  callId: string
  /** Whose call it is: the same object as long as the session lives in this process. */
  home: object
  sessionId: string
  tenant: string
  /** Whom the session works for; null: nobody in particular. */
  user: string | null
  /** The account of who began the run; null: nobody did by a key or token. */
  by: string | null
  language: Language
  /** Limits of the text of its result, for tools that give pages. */
  output: OutputLimits
  signal: AbortSignal
  /** The trace that the call is part of, for services that are the operator's; strangers are not told it. */
  trace(): Promise<TraceContext | null>
  /** The text of a skill, or the names of those that there are. */
  skill(name: string): Promise<{ text: string; hasFiles: boolean } | { names: string[] }>
  /** A file of a skill that the call may read: of the named one, else of the one that the branch works by. */
  skillFile(skill: string | null, path: string): Promise<SkillFileFound>
  /** What an earlier call of this tool kept in the session under a key; null: nothing. */
  recall(key: string): string | null
  /** The whole text of a result that was cut, by the id of its call; null: there is none. */
  result(callId: string): string | null
  /** What the call asked and was answered. Null: nothing yet. */
  answer: ToolAnswer | null
  /** Tell watchers of a call that takes its time; a call that tells too much is not heard any more. */
  report(news: ToolNews): void
  /** Tools of the branch, those too that are not offered yet. */
  tools: readonly Tool[]
  /** How one of them is told of in the protocol that the model speaks. */
  describe(tool: Tool): string
  /** The session's workspace as it is; an outcome says what is to change. */
  files: Files
  /** Untrusted text is in the context, and may have dictated the call. */
  tainted: boolean
  /** The model that reads the result is shown images. */
  vision: boolean
  /** Why a call that asked for `from` must not be led on to `to`; null: it may. */
  readonly barsRedirect: (from: string, to: string) => RedirectBar | null
}

/** The bytes of a file of a skill; else the paths of those that it has, or the names of the skills that may be read. */
export type SkillFileFound = { bytes: Uint8Array } | { skill: string; paths: string[] } | { names: string[] }

/** A text that stays with the session, for later calls of the same tool; it replaces an earlier one of its key. */
export interface KeptText {
  key: string
  text: string
}

/** `state`: what the call gave along with its question. `delivered`: what came from outside in the place of an answer; `said` is empty then.
 *  `declined`: whoever was asked said no, or nothing in time. */
export interface ToolAnswer {
  state: string
  said: string
  delivered?: unknown
  /** The session that it comes from, as this server knows it. */
  from?: string
  declined?: 'decline' | 'cancel'
}

/** What a call has to know of the user before it can go on; it is made again with the answer. `state`: the tool's own. */
export interface ToolQuestion {
  question: string
  options: string[] | null
  state: string
  /** JSON Schema that the answer fits, as JSON; and the answer where there is none in time. */
  form?: JsonSchema
  default?: unknown
  /** No human is asked: a delivery of webhooks with this key is waited for, the end of the run of this session, or the time alone. */
  wait?: { webhookKey?: string; session?: string; reason?: string }
  /** What the call needs first: with that it is made again, without an answer. */
  connection?: WantedConnection
  /** When nobody is waited for any longer (Unix ms); absent: after `approval_ttl_ms`. */
  until?: number
}

/** `content` null: an act without content. `untrusted`: the text comes from outside and is marked as such by the tool.
 *  `files`: changes of the workspace, made with the end of the call or not at all. `images`: of the workspace, or of
 *  `files`, for a model that is shown them. `asks`: it is no failure, but waits for the user. `foundTools`: ids of tools that are offered from now on. `essence`: what makes two results the same, where `content` has a time or a mark of its own. */
export type ToolOutcome =
  | {
      ok: true
      content: string | null
      untrusted?: boolean
      essence?: string
      keep?: KeptText[]
      files?: FileChange[]
      images?: ImagePart[]
      foundTools?: string[]
    }
  | { ok: false; reason: string; untrusted?: boolean; asks?: ToolQuestion }

/** What a program takes of a result. `status`: what a service answered, where that says that it failed. */
export type ResultValue = { ok: true; value: unknown } | { ok: false; status: number }

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
  /** The risk of one call, where it depends on the arguments. */
  riskOf(args: Record<string, unknown>): Risk
  effects(args: Record<string, unknown>): Touched
  provenance: Provenance
  /** Its only way out is our own guard, which lets no private address and no credentials through. */
  guarded: boolean
  /** A call that config allows asks all the same, unless it says that the tool is trusted. */
  alwaysAsks: boolean
  /** The MCP server, or the API, that it comes from; null: it is ours. */
  server: string | null
  /** `SERVER__TOOL` in the words of the server, where its id cannot hold them. */
  written?: string
  /** The origin that an administrator named for it: that a call goes there tells nobody anything. */
  origin?: string
  /** The caller has it and runs it; this is its own name for it, which is another than the id where a tool of ours has that. */
  client?: string
  /** True: a call that was cut may be made again under the same call id. */
  idempotent: boolean
  /** The same of one call, where it depends on the arguments. */
  isIdempotent(args: Record<string, unknown>): boolean
  /** Calls of one reply are made one after the other, each on what the one before it left. */
  sequential: boolean
  /** It does nothing, or reads what the session holds, and may say its outcome without a wait: then its call begins and ends in one transaction. */
  synchronous: boolean
  /** Control tools (`finish`, `rethink`, `ask`) steer the run, never need an approval and cannot be switched off. */
  control: boolean
  /** It is offered only where the config names it as enabled, or a skill or role names it: a prompt has not room for all. A text: the id of
   *  the tool that it comes along with. */
  optIn?: true | string
  /** Its calls are moves of an orchestrator, so that `run` is never called; it is offered to the run itself, and not to its parts. */
  isMove?: true
  /** What a session must have for the tool to be of use: a user, a result that was cut, more tools than are offered at once, a
   *  skill with files, a log that the server keeps. */
  needs: 'user' | 'cut_result' | 'many_tools' | 'files' | 'skill_files' | 'lasting' | null
  timeoutMs: number
  /** What it says of itself, where that may change while a session goes on. */
  definition?: string
  output: OutputLimits
  /** What of a text over the limits speaks of the task is kept, by these units. Null: it is cut by strategy. */
  units: (() => Promise<UnitsOf>) | null
  /** The tool keeps to the limits itself, so that nothing is cut of its results. */
  paginates: boolean
  inputSchema(): JsonSchema
  parse(args: Record<string, unknown>): ParsedArguments
  /** The same as the text of a result, for a program; absent: the text, or the JSON that it is. */
  resultValue?: (text: string) => ResultValue
  run(args: Record<string, unknown>, context: ToolContext): ToolOutcome | Promise<ToolOutcome>
}

/** A tool as clients see it. */
export const tool = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('tool'),
    names: localized(),
    description: z.union([localized(), z.string()]),
    parameters: z.record(z.string(), z.object({ names: localized(), required: z.boolean() })),
    input_schema: record(),
    server: z.string().exactOptional(),
    risk: z.enum(RISKS),
    idempotent: z.boolean(),
    enabled: z.boolean(),
    permission: z.enum(PERMISSIONS),
    auto_approve: z.boolean(),
    timeout_ms: z.number(),
    output: z.object({ chars_max: count(), lines_max: count(), strategy: z.enum(CUT_STRATEGIES) }),
  }),
)
export type ToolInfo = ShapeOf<typeof tool>
