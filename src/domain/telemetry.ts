/** W3C Trace Context, as headers and `_meta` of MCP have it. `tracestate` goes on as it came. */
export interface TraceContext {
  traceparent: string
  tracestate?: string
}

/** Where a run was asked for: its request, and the trace that it belongs to. */
export interface Origin extends Partial<TraceContext> {
  request_id: string
}

/** Of a line, from the least. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What the config says of lines. `content`: they hold results of runs and arguments of tool calls. `level`: the least that is
 *  written; absent: `info`, or all where content is asked for. */
export interface LogConfig {
  content?: boolean | undefined
  level?: LogLevel | undefined
}

/** Whether lines of a level are written. */
export function isLogged(
  level: LogLevel,
  { content = false, level: least = content ? 'debug' : 'info' }: LogConfig,
): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}

/** Something that happened, for the operator: one JSON line. Never content, unless the config asks for it. */
export interface Fact {
  level: LogLevel
  event: string
  [field: string]: unknown
}

/** What is added to a counter, or seen by a histogram (`observe`, in seconds). */
export interface Measure {
  name: string
  labels: Readonly<Record<string, string>>
  add?: number
  observe?: number
}

/** The model behind an alias, as spans tell of it. */
export interface ToldModel {
  model: string
  /** Of its service, by the GenAI conventions. */
  provider: string
  /** Null: it has no address. */
  server: { address: string; port: number } | null
  temperature: number | null
  maxTokens: number
}

/** Spans of a session hold what is said in it. */
export interface SpanContent {
  /** A text without the secrets of the server, and of the session's own config. `isCut`: it went on; what its end begins of one is out, too. */
  readonly masked: (text: string, isCut?: boolean) => string
}

/** A span before it has its ids: `of` names what it is of, `within` what that is part of. Times in Unix ms. */
export interface SpanDraft {
  trace: string
  of: string
  within: string | null
  traceparent: string | null
  name: string
  kind: 'internal' | 'client'
  startTime: number
  endTime: number
  attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>
  error: string | null
}

export const TELEMETRY_LIMITS = {
  /** Series of one tenant; what is beyond is counted under the label `other`. */
  seriesMax: 5_000,
  labelCharsMax: 100,
  /** Spans that wait to be sent, of an isolate, and those of one request; the oldest go. */
  spansMax: 2_048,
  spansPerRequestMax: 256,
  sendMsMax: 5_000,
  /** Measures of a tenant that wait to be written, and for how long, as long as what counted them lives. */
  measuresMax: 1_000,
  measuresMsMax: 1_000,
  /** Events of a run wait so long to be observed, unless it rests before. */
  observedMsMax: 1_000,
  /** Of a call's arguments in a line, where content is asked for. */
  argumentsCharsMax: 2_000,
  /** Of one text in a span, where content is asked for. */
  contentCharsMax: 8_000,
  /** Of all that one attribute holds. */
  contentAllCharsMax: 64_000,
  /** How much more than is shown is looked through: masking makes texts shorter. */
  contentReadShare: 2,
  /** Of texts that were masked lately, so that the next call of a run does not mask its history again. */
  maskedCharsKept: 250_000,
  /** Starts of calls under way that are remembered. */
  startsMax: 500,
  /** Requests of model calls under way that are remembered. */
  askedMax: 8,
} as const
