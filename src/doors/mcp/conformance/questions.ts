import type {
  CreateMessageRequest,
  ElicitRequest,
  InputRequests,
  InputRequiredResult,
  ListRootsRequest,
} from '@modelcontextprotocol/server'

/** A form with one field of text (or `boolean`) in it. */
type FieldType = 'string' | 'boolean'

export function form(message: string, field: string, type: FieldType = 'string'): ElicitRequest {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: {
        type: 'object',
        properties: { [field]: type === 'boolean' ? { type } : { type } },
        required: [field],
      },
    },
  }
}

/** What a model of the client is asked. */
export function sampling(words: string, maxTokens = 100): CreateMessageRequest {
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens },
  }
}

export const ROOTS: ListRootsRequest = { method: 'roots/list', params: {} }

/** The result of a request that asks for more, each by its key: the message and the field of its form. */
export function asks(
  forms: Readonly<Record<string, readonly [message: string, field: string, type?: FieldType]>>,
): InputRequiredResult {
  const entries = Object.entries(forms).map(
    ([key, [message, field, type]]) => [key, form(message, field, type)] as const,
  )
  return inputAsked(Object.fromEntries(entries))
}

export function inputAsked(inputRequests: InputRequests, requestState?: string): InputRequiredResult {
  return { resultType: 'input_required', inputRequests, ...(requestState === undefined ? {} : { requestState }) }
}
