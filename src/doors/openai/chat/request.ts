import * as z from 'zod'
import { clientTools } from '../../../domain/client-tool.ts'
import type { WrittenContent } from '../../../domain/content-input.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { type NewSession, newSession } from '../../../domain/session-input.ts'
import { onDemand } from '../../../lib/shape.ts'
import { issuesOf } from '../../../lib/zod.ts'
import { effortWord, type ModelWanted } from '../config.ts'

/** What a client of chat completions sends. Source: OpenAI's API reference, "Create chat completion". Fields that are not named here are passed
 *  over: clients send many that say nothing to an agent. */

const text = z.string().max(LIMITS.text.contentCharsMax)
const textPart = z.looseObject({ type: z.literal('text'), text })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: text })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z.string({ error: 'the bytes in base64, or a data: URL: this server keeps no files by id' }).min(1),
    filename: z.string().max(LIMITS.text.nameCharsMax).optional(),
  }),
})
const list = <T extends z.ZodType>(part: T) => z.array(part).max(LIMITS.parts.perMessageMax)

const TEXT_OR_PARTS = { error: 'a text, or a list of parts' }
const textContent = z.union([text, list(textPart)], TEXT_OR_PARTS)
const userContent = z.union([text, list(z.discriminatedUnion('type', [textPart, imagePart, filePart]))], TEXT_OR_PARTS)
const assistantContent = z.union([text, list(z.discriminatedUnion('type', [textPart, refusalPart]))], TEXT_OR_PARTS)
type SaidContent = z.infer<typeof userContent> | z.infer<typeof assistantContent> | null | undefined

const toolCall = z.looseObject({
  id: z.string().min(1).max(200),
  type: z.literal('function').optional(),
  function: z.looseObject({ name: z.string().min(1).max(200), arguments: text }),
})

const chatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content: textContent }),
  z.looseObject({ role: z.literal('user'), content: userContent }),
  z.looseObject({
    role: z.literal('assistant'),
    content: assistantContent.nullish(),
    tool_calls: z.array(toolCall).max(LIMITS.model.callsPerReplyMax).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1).max(200), content: textContent }),
])
export type SaidMessage = z.infer<typeof chatMessage>

const WHY_NOT_FORCED =
  'none or auto: the agent has tools of its own and decides itself which one comes next, so that no call can be forced'

const jsonSchemaFormat = z.looseObject({
  type: z.literal('json_schema'),
  json_schema: z.looseObject({ name: z.string().optional(), schema: z.record(z.string(), z.unknown()).optional() }),
})

export const chatRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    model: z.string().min(1).max(LIMITS.text.nameCharsMax),
    messages: z.array(chatMessage).min(1).max(LIMITS.http.messagesMax),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    tools: z
      .array(
        z.looseObject({
          type: z.literal('function', { error: 'function: other kinds of tools are those of OpenAI' }),
          function: z.looseObject({
            name: z.string(),
            description: z.string().nullish(),
            parameters: z.record(z.string(), z.unknown()).nullish(),
          }),
        }),
      )
      .max(LIMITS.clientTool.toolsMax)
      .nullish(),
    tool_choice: z.enum(['none', 'auto'], { error: WHY_NOT_FORCED }).nullish(),
    response_format: z
      .discriminatedUnion('type', [
        z.looseObject({ type: z.literal('text') }),
        z.looseObject({ type: z.literal('json_object') }),
        jsonSchemaFormat,
      ])
      .nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    max_tokens: z.int().min(1).max(1_000_000).nullish(),
    max_completion_tokens: z.int().min(1).max(1_000_000).nullish(),
    reasoning_effort: effortWord,
    stop: z
      .union([
        z.string().min(1).max(LIMITS.door.stopCharsMax),
        z.array(z.string().min(1).max(LIMITS.door.stopCharsMax)).max(LIMITS.door.stopsMax),
      ])
      .nullish(),
    n: z.literal(1, { error: '1: a run has one answer' }).nullish(),
    logprobs: z.literal(false, { error: 'false: an answer is made by several calls, so it has none' }).nullish(),
    top_logprobs: z.literal(0, { error: 'nothing: an answer has no log probabilities' }).nullish(),
    modalities: z.array(z.literal('text', { error: 'text: answers are texts' })).nullish(),
    user: z.string().max(LIMITS.text.nameCharsMax).nullish(),
    metadata: z.record(z.string().max(64), z.unknown()).nullish(),
  }),
)
export type ChatRequest = z.infer<ReturnType<typeof chatRequest>>

/** The words of a content. */
export function chatWords(content: SaidContent): string {
  if (typeof content === 'string') return content
  return (content ?? [])
    .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'refusal' ? [part.refusal] : []))
    .join('\n')
}

/** What of a content is no words. */
export function bytesIn(content: SaidContent): object[] {
  return typeof content === 'string'
    ? []
    : (content ?? []).filter(({ type }) => type === 'image_url' || type === 'file')
}

/** A content in our words: a text, or parts where it holds more. */
function contentOf(contents: readonly SaidContent[]): WrittenContent {
  if (contents.every((one) => bytesIn(one).length === 0)) return contents.map(chatWords).join('\n\n')
  return contents.flatMap((one) => (typeof one === 'string' ? [{ type: 'text', text: one } as const] : partsOf(one)))
}

type WrittenPart = Exclude<WrittenContent, string>[number]

function partsOf(content: Exclude<SaidContent, string>): WrittenPart[] {
  return (content ?? []).map((part): WrittenPart => {
    if (part.type === 'image_url') {
      const { url, detail } = part.image_url
      return { type: 'image', image_url: { url, ...(detail ? { detail } : {}) } }
    }
    if (part.type === 'refusal') return { type: 'text', text: part.refusal }
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { file_data: data, filename } = part.file
    const source = data.startsWith('data:') ? { url: data } : { data }
    return { type: 'file', ...source, ...(filename ? { name: filename } : {}) }
  })
}

/** A request by what it says to a thread. */
export interface ChatTurn {
  /** What was said before, the last answer with it. */
  history: SaidMessage[]
  /** What comes new: results of tools, and words. */
  results: { callId: string; text: string }[]
  /** Null: nothing but results. */
  content: WrittenContent | null
  words: string
  /** The last words of the user. */
  heard: string
}

/** A request taken apart. What stands behind the last answer is new. */
export function turnOf(messages: readonly SaidMessage[]): Result<ChatTurn> {
  const said = messages.filter(({ role }) => role !== 'system' && role !== 'developer')
  const cut = said.findLastIndex(({ role }) => role === 'assistant') + 1
  const fresh = said.slice(cut)
  const results = fresh.flatMap((one) =>
    one.role === 'tool' ? [{ callId: one.tool_call_id, text: chatWords(one.content) }] : [],
  )
  const spoken = fresh.flatMap((one) => (one.role === 'user' ? [one.content] : []))
  const words = spoken.map(chatWords).join('\n\n')
  const isSilent = words.trim() === '' && spoken.every((one) => bytesIn(one).length === 0)
  if (results.length === 0 && isSilent) return fail(NOTHING_NEW)
  const history = said.slice(0, cut)
  const heard = words.trim() === '' ? chatWords(history.findLast(({ role }) => role === 'user')?.content) : words
  return ok({ history, results, words, heard, content: isSilent ? null : contentOf(spoken) })
}

/** Why a request that names no session cannot be run; null: it can. */
export function chatRefusal({ messages }: ChatRequest, task: unknown): AppError | null {
  return orphanIn(messages) ?? (task === undefined ? NO_TASK : null)
}

const NO_TASK = invalid([{ path: 'messages', message: 'a message of the user, to which the calls are' }]).error

/** Why the results that come new are of no call in the message before them; null: they are. */
function orphanIn(messages: readonly SaidMessage[]): AppError | null {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const called = messages[last]
  const ids = new Set(called?.role === 'assistant' ? called.tool_calls?.map(({ id }) => id) : [])
  const isOrphan = (one: SaidMessage, at: number) => at > last && one.role === 'tool' && !ids.has(one.tool_call_id)
  const index = messages.findIndex(isOrphan)
  if (index < 0) return null
  return invalid([{ path: `messages.${index}.tool_call_id`, message: 'the id of a call in the message before it' }])
    .error
}

const NOTHING_NEW: AppError = {
  code: 'invalid_input',
  detail: 'The last message has to be of the user, or the result of a tool.',
  issues: [{ path: 'messages', message: 'a message of role user or tool at the end, with words' }],
}

/** How a request wants its model asked. */
export function chatModelWanted(request: ChatRequest): ModelWanted {
  const { messages, temperature, max_tokens: most, max_completion_tokens: wanted, reasoning_effort: effort } = request
  const instructions = messages
    .flatMap((one) => (one.role === 'system' || one.role === 'developer' ? [chatWords(one.content)] : []))
    .join('\n\n')
  return { instructions, temperature, maxTokens: wanted ?? most, effort }
}

/** What one turn of a request asks beside its words. */
export function askedBy(request: ChatRequest): Result<Pick<NewSession, 'output_schema' | 'client_tools'>> {
  const offered = request.tool_choice === 'none' ? [] : (request.tools ?? [])
  const tools = clientTools.safeParse(
    offered.map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? '',
      ...(parameters ? { parameters } : {}),
    })),
  )
  if (!tools.success) return invalid(issuesOf(tools.error, 'tools'))
  const schema = schemaOf(request.response_format)
  return ok({
    ...(tools.data.length > 0 ? { client_tools: tools.data } : {}),
    ...(schema ? { output_schema: schema } : {}),
  })
}

function schemaOf(format: ChatRequest['response_format']): Record<string, unknown> | null {
  if (format?.type === 'json_object') return { type: 'object' }
  return format?.type === 'json_schema' ? (format.json_schema.schema ?? { type: 'object' }) : null
}

/** A session that holds what was said before, as the caller says it was. */
export function opening(
  request: ChatRequest,
  { history, content, results }: ChatTurn,
  rest: Pick<NewSession, 'config' | 'orchestrator' | 'skill' | 'team' | 'workflow' | 'output_schema' | 'client_tools'>,
): Result<NewSession> {
  const answered = results.map(({ callId, text: said }) =>
    asGiven({ role: 'tool', tool_call_id: callId, content: said }),
  )
  const asked = history.findLast(({ role }) => role === 'user')
  const task = content ?? contentOf([asked?.content])
  const { session_id: _, ...metadata } = request.metadata ?? {}
  const messages = [...history.flatMap(asGiven), ...answered.flat()]
  const input = newSession.safeParse({
    ...(task === '' ? {} : { task }),
    ...rest,
    ...(request.user ? { user: request.user } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(messages.length > 0 ? { messages } : {}),
  })
  return input.success ? ok(input.data) : invalid(issuesOf(input.error))
}

type Given = NonNullable<z.input<typeof newSession>['messages']>[number]

/** A message of theirs as one that was given. */
function asGiven(message: SaidMessage): Given[] {
  const content = contentOf([message.content])
  if (message.role === 'assistant') {
    const calls = (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: objectIn(call.function.arguments),
    }))
    return [{ role: 'assistant', content, given: true, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
  }
  if (message.role === 'tool') return [{ role: 'tool', content, tool_call_id: message.tool_call_id, given: true }]
  return message.role === 'user' ? [{ role: 'user', content, given: true }] : []
}

/** Arguments that are no JSON object are none. */
function objectIn(json: string): Record<string, unknown> {
  try {
    const parsed = z.record(z.string(), z.unknown()).safeParse(JSON.parse(json))
    return parsed.success ? parsed.data : {}
  } catch {
    return {}
  }
}
