import {
  type ModelContent,
  type ModelMessage,
  type ModelOutcome,
  type ModelPart,
  type ModelRequest,
  type ModelSpec,
  type ModelTool,
  type RawToolCall,
  textIn,
} from '../../domain/model.ts'
import { modelFailure } from '../failure.ts'
import { quirksFor } from './quirks.ts'
import type { ModelProvider, ProviderCall } from '../provider.ts'
import { readAnswer } from './answer.ts'

/** Any service that speaks the wire of OpenAI's chat completions. A redirect is answered as it is, so the key never goes
 *  anywhere else. */
export const openai: ModelProvider = {
  ask: async (asked, ports) => {
    const call = asSent(asked)
    const { spec, apiKey, request, trace, signal } = call
    const response = await ports.fetchFor(spec)(completionsUrl(spec.apiUrl), {
      method: 'POST',
      headers: { ...requestHeaders(spec, apiKey), ...trace },
      body: bodyText(spec, request),
      redirect: 'manual',
      signal,
    })
    return holdsAll(response, call) ? heldOff(response) : readAnswer(response, call, ports.now())
  },
}

/** Whether an answer to tools and a schema comes from a server that holds all to the schema: those of vLLM, SGLang and llama-cpp-python are
 *  served by uvicorn. */
function holdsAll({ ok, headers }: Response, { spec, request }: ProviderCall): boolean {
  const isTried = request.outputSchema && request.tools?.length && quirksFor(spec).structuredOutput === 'unless_held'
  return Boolean(isTried) && ok && /uvicorn/i.test(headers.get('server') ?? '')
}

/** Nothing of it is read: a reply that could call no tool is none. */
function heldOff(response: Response): ModelOutcome {
  void response.body?.cancel().catch(() => undefined)
  const detail = 'The model service holds all that is written to the schema, so that no tool could be called.'
  const { status } = response
  return { ok: false, failure: modelFailure('model_rejected', detail, { status, schemaRefused: 'beside_tools' }) }
}

/** A message as OpenAI-compatible services take it. Source: OpenAI, "Chat Completions". */
export type WireMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | WirePart[] }
  | { role: 'assistant'; content: string | null; reasoning_content?: string; tool_calls?: WireToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

type WirePart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

interface WireToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** The base with `/chat/completions` added to its path; a query stays. */
export function completionsUrl(apiUrl: string): string {
  if (lastUrl?.base === apiUrl) return lastUrl.completions
  const url = new URL(apiUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  lastUrl = { base: apiUrl, completions: url.href }
  return url.href
}

/** The last one is kept: most calls of a server ask one service. */
let lastUrl: { base: string; completions: string } | undefined

function requestHeaders(spec: ModelSpec, apiKey: string | null): Record<string, string> {
  return {
    ...spec.extraHeaders,
    'content-type': 'application/json',
    accept: spec.stream ? 'text/event-stream, application/json' : 'application/json',
    ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
  }
}

/** A call as its service is put it: it is told of no schema where its replies are not to be held to one. */
export function asSent(call: ProviderCall): ProviderCall {
  const { outputSchema, ...request } = call.request
  const { structuredOutput: rule } = quirksFor(call.spec)
  const isSent = rule === 'without_tools' ? !request.tools?.length : rule !== 'never'
  return isSent || !outputSchema ? call : { ...call, request }
}

/** The body of a call as it is sent, by the quirks of its service. A bound on the reply's tokens is always in it. What differs between two
 *  sessions comes last: caches keep the beginning. */
export function requestBody(spec: ModelSpec, request: ModelRequest): Record<string, unknown> {
  const quirks = { ...quirksFor(spec), ...request.fields }
  const isStreamed = spec.stream && request.fields?.stream !== false
  return {
    ...spec.extraBody,
    model: spec.model,
    [quirks.maxTokensField]: spec.maxTokens,
    ...(spec.temperature !== null && quirks.temperature && { temperature: spec.temperature }),
    ...(spec.reasoningEffort !== null && { reasoning_effort: spec.reasoningEffort }),
    stream: isStreamed,
    ...(isStreamed && quirks.streamUsage && { stream_options: { include_usage: true } }),
    ...(request.tools?.length && { tools: wireTools(request.tools) }),
    ...(request.outputSchema && { response_format: responseFormat(request.outputSchema) }),
    messages: wireMessages(spec, request.messages),
  }
}

/** The same as JSON. Tools are most of it, and the same for each call of a run: their text is made once. */
export function bodyText(spec: ModelSpec, request: ModelRequest): string {
  const { tools } = request
  if (!tools?.length) return JSON.stringify(requestBody(spec, request))
  const body = requestBody(spec, { ...request, tools: [] })
  const { tools: _, response_format: format, messages, ...head } = body
  const formatText = format === undefined ? '' : `,"response_format":${JSON.stringify(format)}`
  return `${JSON.stringify(head).slice(0, -1)},"tools":${toolsText(tools)}${formatText},"messages":${JSON.stringify(messages)}}`
}

const TOOLS_TEXT = new WeakMap<readonly ModelTool[], string>()

function toolsText(tools: readonly ModelTool[]): string {
  const text = TOOLS_TEXT.get(tools) ?? JSON.stringify(wireTools(tools))
  TOOLS_TEXT.set(tools, text)
  return text
}

const wireTools = (tools: readonly ModelTool[]) => tools.map((tool) => ({ type: 'function', function: tool }))

/** Source: OpenAI, "Structured model outputs". Not `strict`, which takes a part of JSON Schema only: the reply is checked anyway. */
function responseFormat(schema: Record<string, unknown>): Record<string, unknown> {
  return { type: 'json_schema', json_schema: { name: 'answer', schema } }
}

export function wireMessages(spec: ModelSpec, messages: readonly ModelMessage[]): WireMessage[] {
  const wire: WireMessage[] = []
  const pictures: ModelPart[] = []
  for (const message of messages) {
    if (message.role !== 'tool') wire.push(...shownBehind(pictures.splice(0)))
    if (message.role === 'tool') pictures.push(...picturesIn(message))
    wire.push(wireMessage(message, spec))
  }
  return [...wire, ...shownBehind(pictures)]
}

function wireMessage(message: ModelMessage, spec: ModelSpec): WireMessage {
  switch (message.role) {
    case 'system':
      return message
    case 'user':
      return { role: 'user', content: wireContent(message.content) }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: textIn(message.content) }
    case 'assistant':
      return wireReply(message, spec)
  }
}

/** A result is text on this wire: its images follow the results of the reply in a message of their own. Source: OpenAI, "Chat Completions",
 *  tool message. */
function shownBehind(pictures: readonly ModelPart[]): WireMessage[] {
  return pictures.length === 0 ? [] : [{ role: 'user', content: wireContent(pictures) }]
}

function picturesIn({ callId, content }: Extract<ModelMessage, { role: 'tool' }>): ModelPart[] {
  const images = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image')
  return images.length === 0 ? [] : [{ type: 'text', text: `[${callId}]` }, ...images]
}

function wireReply(
  { content, reasoning, toolCalls: calls = [] }: Extract<ModelMessage, { role: 'assistant' }>,
  spec: ModelSpec,
): WireMessage {
  const quirks = quirksFor(spec)
  const called = calls.length > 0
  const echoed = quirks.echoReasoning === 'always' || (quirks.echoReasoning === 'with_tool_calls' && called)
  return {
    role: 'assistant',
    content: called && content === '' && quirks.emptyContent === 'null' ? null : content,
    ...(reasoning !== undefined && echoed && { reasoning_content: reasoning }),
    ...(called && { tool_calls: calls.map((call) => ({ ...quirks.toolCallExtra, ...wireCall(call) })) }),
  }
}

function wireCall({ id, name, arguments: args }: RawToolCall): WireToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}

function wireContent(content: ModelContent): string | WirePart[] {
  if (typeof content === 'string') return content
  return content.map((part) =>
    part.type === 'text'
      ? part
      : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.base64}` } },
  )
}
