import type { ModelRequest, ModelSpec } from '../../domain/model.ts'
import { abortable } from '../../lib/wait.ts'
import { requestBody } from '../openai/request.ts'

/** What is used of the Workers AI binding: an object, or a stream of server-sent events when `stream` is asked for. */
export interface WorkersAi {
  run(model: string, input: unknown, options?: { signal?: AbortSignal }): Promise<unknown>
}

/** HTTP statuses of the binding's own error codes. Source: developers.cloudflare.com/workers-ai/platform/errors. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  3003: 400,
  3006: 413,
  3007: 408,
  3008: 408,
  3023: 403,
  3036: 429,
  3039: 400,
  3040: 429,
  3041: 403,
  3042: 404,
  5004: 400,
  5005: 405,
  5007: 400,
  5016: 403,
  5018: 403,
  5019: 405,
}
const UNKNOWN_STATUS = 502

/** Ask the Workers AI binding; its answers and errors come as the HTTP response that they would have been. */
export async function sendToWorkersAi(
  binding: WorkersAi,
  spec: ModelSpec,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { model, ...input } = requestBody(spec, request)
  try {
    return responseOf(await abortable(binding.run(String(model), input, { signal }), signal))
  } catch (error) {
    signal.throwIfAborted()
    return errorResponse(error)
  }
}

function responseOf(answer: unknown): Response {
  if (answer instanceof Response) return answer
  if (answer instanceof ReadableStream)
    return new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
  return new Response(JSON.stringify(answer) ?? '', { headers: { 'content-type': 'application/json' } })
}

function errorResponse(error: unknown): Response {
  const message = error instanceof Error ? error.message : String(error)
  const code = /\b([35]0\d\d)\b/.exec(message)?.[1] ?? ''
  return Response.json({ error: { message } }, { status: STATUS_OF_CODE[code] ?? UNKNOWN_STATUS })
}
