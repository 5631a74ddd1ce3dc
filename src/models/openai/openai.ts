import type { ModelCall, ModelSpec } from '../../domain/model.ts'
import type { Fetch } from '../../domain/ports.ts'
import { requestBody } from './request.ts'

/** Ask an OpenAI-compatible service. A redirect is answered as it is, so the key never goes anywhere else. */
export function sendToOpenAi(
  fetch: Fetch,
  { spec, request, traceparent }: Pick<ModelCall, 'spec' | 'request' | 'traceparent'>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(completionsUrl(spec.apiUrl), {
    method: 'POST',
    headers: { ...headersFor(spec), ...(traceparent ? { traceparent } : {}) },
    body: JSON.stringify(requestBody(spec, request)),
    redirect: 'manual',
    signal,
  })
}

/** The base with `/chat/completions` added to its path; a query stays. */
export function completionsUrl(apiUrl: string): string {
  const url = new URL(apiUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return url.href
}

function headersFor(spec: ModelSpec): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: spec.stream ? 'text/event-stream, application/json' : 'application/json',
    ...(spec.apiKey !== null && { authorization: `Bearer ${spec.apiKey}` }),
  }
}
