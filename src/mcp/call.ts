import {
  LOG_LEVEL_META_KEY,
  SdkError,
  SdkErrorCode,
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
  type InputResponses,
  type Progress,
} from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool } from '../domain/mcp.ts'
import type { JsonSchema, ToolNews } from '../domain/tool.ts'
import { LOG_LEVEL, type Connection } from './client.ts'
import type { InputWanted } from './elicitation.ts'
import { checkOf } from './schema.ts'

export interface McpCall {
  tool: McpListedTool
  args: Record<string, unknown>
  /** Also the idempotency key of the call. */
  callId: string
  signal: AbortSignal
  /** Answers to what the server asked when the call was made before. */
  input: InputWanted | null
  readonly tell: (news: ToolNews) => void
}

/** What a call gives: an answer, or what the server wants to know first. */
export type McpAnswer = { answer: CallToolResult } | { wanted: Pick<InputWanted, 'requests' | 'requestState'> }

/** Have a tool called. Rejects with the SDK's errors; a tool that failed by its own account resolves with `isError`. */
export async function callTool(connection: Connection, call: McpCall): Promise<McpAnswer> {
  const { client, listeners } = connection
  const { outputSchema, ...shown } = call.tool
  listeners.add(call.tell)
  try {
    const result: unknown = await client.callTool(paramsOf(connection, call), {
      signal: call.signal,
      timeout: LIMITS.mcp.callMs,
      toolDefinition: { ...shown, inputSchema: { ...shown.inputSchema, type: 'object' } },
      allowInputRequired: true,
      onprogress: (progress) => call.tell(progressNews(progress)),
    })
    if (isInputRequiredResult(result)) return { wanted: wantedBy(result) }
    const answer = result as CallToolResult
    checkOutput(outputSchema, answer)
    return { answer }
  } finally {
    listeners.delete(call.tell)
  }
}

function paramsOf({ manner }: Connection, { tool, args, callId, input }: McpCall) {
  const level = manner.era === 'modern' ? { [LOG_LEVEL_META_KEY]: LOG_LEVEL } : {}
  const answers = input === null ? {} : { inputResponses: input.responses as InputResponses }
  const state = input?.requestState === undefined ? {} : { requestState: input.requestState }
  return { name: tool.name, arguments: args, _meta: { 'Idempotency-Key': callId, ...level }, ...answers, ...state }
}

function wantedBy({
  inputRequests = {},
  requestState,
}: InputRequiredResult): Pick<InputWanted, 'requests' | 'requestState'> {
  return { requests: { ...inputRequests }, ...(requestState === undefined ? {} : { requestState }) }
}

/** What a tool that has an output schema gives must fit it. */
function checkOutput(schema: JsonSchema | undefined, { structuredContent, isError }: CallToolResult): void {
  if (schema === undefined || isError) return
  const [misfit] =
    structuredContent === undefined
      ? [{ path: '', expected: 'no structured content' }]
      : checkOf(schema)(structuredContent)
  if (misfit) throw new SdkError(SdkErrorCode.InvalidResult, `structuredContent ${misfit.path}: ${misfit.expected}`)
}

function progressNews({ progress, total, message }: Progress): ToolNews {
  return { type: 'progress', progress, total: total ?? null, message: message ?? null }
}
