import {
  LOG_LEVEL_META_KEY,
  SdkError,
  SdkErrorCode,
  UrlElicitationRequiredError,
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
  type InputResponses,
  type Progress,
} from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool } from '../domain/mcp.ts'
import type { TraceContext } from '../domain/telemetry.ts'
import type { JsonSchema, ToolNews } from '../domain/tool.ts'
import { CallQuestions } from './call-streams.ts'
import { LOG_LEVEL, type McpConnection } from './client.ts'
import type { InputWanted } from './elicitation.ts'
import { checkOf } from './schema.ts'

export interface McpCall {
  tool: McpListedTool
  args: Record<string, unknown>
  /** Also the idempotency key of the call. */
  callId: string
  signal: AbortSignal
  /** The trace that it is part of. */
  trace: TraceContext | null
  /** Answers to what the server asked when the call was made before. */
  input: InputWanted | null
  readonly notify: (news: ToolNews) => void
}

/** What a call gives: an answer, or what the server wants to know first. */
export type McpAnswer = { answer: CallToolResult } | { wanted: Wanted }

type Wanted = Omit<InputWanted, 'rounds'>

/** Have a tool called. Rejects with the SDK's errors; a tool that failed by its own account resolves with `isError`. */
export async function callTool(connection: McpConnection, call: McpCall): Promise<McpAnswer> {
  const { calls } = connection
  const questions = new CallQuestions(call.input)
  const key = keyOf(call)
  calls.set(key, { notify: call.notify, questions })
  try {
    const given = await answerOf(connection, call)
    return questions.wanted ? { wanted: questions.wanted } : given
  } catch (error) {
    const wanted = questions.wanted ?? visitsIn(error, questions)
    if (wanted === null || call.signal.aborted) throw error
    return { wanted }
  } finally {
    calls.delete(key)
  }
}

async function answerOf(connection: McpConnection, call: McpCall): Promise<McpAnswer> {
  const { outputSchema, ...shown } = call.tool
  const result: unknown = await connection.client.callTool(paramsOf(connection, call), {
    signal: call.signal,
    timeout: LIMITS.mcp.callMs,
    toolDefinition: { ...shown, inputSchema: { ...shown.inputSchema, type: 'object' } },
    allowInputRequired: true,
    onprogress: (progress) => call.notify(progressNews(progress)),
  })
  if (isInputRequiredResult(result)) return { wanted: wantedBy(result) }
  const answer = result as CallToolResult
  checkOutput(outputSchema, answer)
  return { answer }
}

/** One that was cancelled for a question did nothing, and the server is to do something now: it is another. */
function keyOf({ callId, input }: McpCall): string {
  return input?.isCancelled ? `${callId}.${input.rounds}` : callId
}

/** Addresses that the user has to visit before the call is made again (an error of revision 2025-11-25). */
function visitsIn(error: unknown, questions: CallQuestions): Wanted | null {
  if (!UrlElicitationRequiredError.isInstance(error)) return null
  for (const { message, url } of error.elicitations) questions.answer({ mode: 'url', message, url })
  return questions.wanted
}

function paramsOf({ manner }: McpConnection, call: McpCall) {
  const { tool, args, input, trace } = call
  const isModern = manner.era === 'modern'
  const level = isModern ? { [LOG_LEVEL_META_KEY]: LOG_LEVEL } : {}
  const answers = input === null || !isModern ? {} : { inputResponses: input.responses as InputResponses }
  const state = input?.requestState === undefined ? {} : { requestState: input.requestState }
  return {
    name: tool.name,
    arguments: args,
    _meta: { 'Idempotency-Key': keyOf(call), ...trace, ...level },
    ...answers,
    ...state,
  }
}

function wantedBy({ inputRequests = {}, requestState }: InputRequiredResult): Wanted {
  const state = requestState === undefined ? {} : { requestState }
  return { requests: { ...inputRequests }, responses: {}, ...state }
}

/** What a tool that has an output schema gives must fit it. */
function checkOutput(schema: JsonSchema | undefined, { structuredContent, isError }: CallToolResult): void {
  if (schema === undefined || isError) return
  const [violation] =
    structuredContent === undefined
      ? [{ path: '', expected: 'no structured content' }]
      : checkOf(schema)(structuredContent)
  if (violation)
    throw new SdkError(SdkErrorCode.InvalidResult, `structuredContent ${violation.path}: ${violation.expected}`)
}

function progressNews({ progress, total, message }: Progress): ToolNews {
  return { type: 'progress', progress, total: total ?? null, message: message ?? null }
}
