import type { ModelProvider } from '../provider.ts'
import { readAnswer } from './answer.ts'
import { completionsUrl, requestBody, requestHeaders } from './request.ts'

/** Any service that speaks the wire of OpenAI's chat completions. A redirect is answered as it is, so the key never goes
 *  anywhere else. */
export const openai: ModelProvider = {
  ask: async (call, ports) => {
    const { spec, apiKey, request, traceparent, signal } = call
    const response = await ports.fetchFor(spec)(completionsUrl(spec.apiUrl), {
      method: 'POST',
      headers: { ...requestHeaders(spec, apiKey), ...(traceparent ? { traceparent } : {}) },
      body: JSON.stringify(requestBody(spec, request)),
      redirect: 'manual',
      signal,
    })
    return readAnswer(response, call, ports.now())
  },
}
