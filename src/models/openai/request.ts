import type { ModelRequest, ModelSpec, Quirks, WireMessage } from '../../domain/model.ts'

/** The body of a chat completion: the request as it is given but for the model's quirks. `max_tokens` is always in it. */
export function requestBody(spec: ModelSpec, request: ModelRequest): Record<string, unknown> {
  const { quirks } = spec
  return {
    model: spec.model,
    messages: request.messages.map((message) => wireMessage(message, quirks)),
    [quirks.maxTokensField]: spec.maxTokens,
    ...(spec.temperature !== null && quirks.temperature && { temperature: spec.temperature }),
    stream: spec.stream,
    ...(spec.stream && quirks.streamUsage && { stream_options: { include_usage: true } }),
    ...(request.tools?.length && { tools: request.tools }),
    ...(request.outputSchema && quirks.structuredOutput && { response_format: responseFormat(request.outputSchema) }),
  }
}

/** Source: OpenAI, "Structured model outputs". Not `strict`, which takes a part of JSON Schema only: the reply is checked anyway. */
function responseFormat(schema: Record<string, unknown>): Record<string, unknown> {
  return { type: 'json_schema', json_schema: { name: 'answer', schema } }
}

function wireMessage(message: WireMessage, quirks: Quirks): Record<string, unknown> {
  if (message.role !== 'assistant') return message
  const { reasoning_content: reasoning, tool_calls: calls, ...rest } = message
  const called = calls !== undefined && calls.length > 0
  const echoed = quirks.echoReasoning === 'always' || (quirks.echoReasoning === 'with_tool_calls' && called)
  return {
    ...rest,
    ...(called && !rest.content && { content: quirks.emptyContent === 'null' ? null : '' }),
    ...(reasoning !== undefined && echoed && { reasoning_content: reasoning }),
    ...(called && { tool_calls: calls.map((call) => ({ ...quirks.toolCallExtra, ...call })) }),
  }
}
