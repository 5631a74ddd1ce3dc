import { abortable } from '../../lib/wait.ts'
import { readAnswer } from '../openai/answer.ts'
import { asSent, requestBody } from '../openai/openai.ts'
import type { ModelProvider, ProviderCall, WorkersAi } from '../provider.ts'

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

/** Multilingual, calls tools, 131,072 tokens of context. Source: developers.cloudflare.com/workers-ai/models. */
const PRESET = { provider: 'workers-ai', model: '@cf/zai-org/glm-4.7-flash', context_tokens: 131_072 } as const

const NO_BINDING =
  'There is no Workers AI binding: a deployed Worker has one where wrangler.toml says [ai], a server on a machine of your own has none.'

/** The Workers AI binding. Its models take the bodies of chat completions; its answers and errors are read as the HTTP
 *  responses that they would have been. */
export const workersAi: ModelProvider = {
  preset: PRESET,
  ask: async (asked, ports) => {
    const call = asSent(asked)
    const { workersAi: binding } = ports
    const response = binding ? await run(binding, call) : errorResponse(NO_BINDING, 404)
    return readAnswer(response, call, ports.now())
  },
}

async function run(binding: WorkersAi, { spec, request, signal }: ProviderCall): Promise<Response> {
  const { model, ...input } = requestBody(spec, request)
  try {
    return responseOf(await abortable(binding.run(String(model), input, { signal }), signal))
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    const code = /\b([35]0\d\d)\b/.exec(message)?.[1] ?? ''
    return errorResponse(message, STATUS_OF_CODE[code] ?? UNKNOWN_STATUS)
  }
}

function responseOf(answer: unknown): Response {
  if (answer instanceof Response) return answer
  if (answer instanceof ReadableStream)
    return new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
  return new Response(JSON.stringify(answer) ?? '', { headers: { 'content-type': 'application/json' } })
}

function errorResponse(message: string, status: number): Response {
  return Response.json({ error: { message } }, { status })
}
