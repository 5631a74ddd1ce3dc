import type { ModelCall } from '../../domain/model.ts'
import type { Fetch } from '../../domain/ports.ts'
import { completionsUrl, requestBody, requestHeaders } from './request.ts'

/** Ask an OpenAI-compatible service. A redirect is answered as it is, so the key never goes anywhere else. */
export function sendToOpenAi(
  fetch: Fetch,
  { spec, request, traceparent }: Pick<ModelCall, 'spec' | 'request' | 'traceparent'>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(completionsUrl(spec.apiUrl), {
    method: 'POST',
    headers: { ...requestHeaders(spec, spec.apiKey), ...(traceparent ? { traceparent } : {}) },
    body: JSON.stringify(requestBody(spec, request)),
    redirect: 'manual',
    signal,
  })
}
