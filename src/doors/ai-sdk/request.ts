import * as z from 'zod'
import { clientTools } from '../../domain/client-tool.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import type { SessionConfig } from '../../domain/config.ts'
import { invalid, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isPathPart } from '../../domain/path-name.ts'
import { type NewSession, newSession } from '../../domain/session-input.ts'
import { isObject } from '../../lib/json.ts'
import { onDemand } from '../../lib/shape.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { WrittenAt } from '../kernel/written.ts'
import type { HeldParts } from './chunks.ts'

/** What `useChat` and its transport send. Source: AI SDK, "Transport" and `UIMessage`. Fields that are not named here are passed over. */

const text = z.string().max(LIMITS.text.contentCharsMax)
const id = z.string().max(LIMITS.door.idCharsMax)
const name = z.string().min(1).max(LIMITS.text.nameCharsMax)

/** Of a chat. URLs leave out segments of dots, so one of such a name could neither be resumed nor stopped. */
export const chatId = id.min(1).refine(isPathPart, 'a name that an address can hold')

/** A part of a message; which fields it has is said by its type. */
const uiPart = z.looseObject({
  type: z.string().min(1).max(200),
  text: text.optional(),
  url: z.string().optional(),
  mediaType: z.string().max(LIMITS.parts.mediaTypeCharsMax).optional(),
  filename: z.string().max(LIMITS.text.nameCharsMax).optional(),
  data: z.unknown().optional(),
  toolCallId: id.optional(),
  toolName: z.string().max(200).optional(),
  state: z.string().max(64).optional(),
  providerExecuted: z.boolean().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  approval: z.looseObject({ id, approved: z.boolean().optional(), reason: z.string().nullish() }).optional(),
})
export type UiPart = z.infer<typeof uiPart>

const uiMessage = z.looseObject({
  id: id.optional(),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(uiPart).max(LIMITS.door.saidPartsMax),
})
export type UiMessage = z.infer<typeof uiMessage>

export const uiRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    id: chatId.nullish(),
    messages: z.array(uiMessage).min(1).max(LIMITS.http.messagesMax).nullish(),
    message: uiMessage.nullish(),
    trigger: z.enum(['submit-message', 'regenerate-message']).nullish(),
    messageId: id.nullish(),
    model: name.nullish(),
    tools: z
      .record(
        z.string(),
        z.looseObject({
          description: z.string().nullish(),
          inputSchema: z.record(z.string(), z.unknown()).nullish(),
        }),
      )
      .nullish(),
    editedInputs: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
    user: name.nullish(),
    metadata: z.record(z.string().max(64), z.unknown()).nullish(),
  }),
)
export type UiRequest = z.infer<ReturnType<typeof uiRequest>>

/** What a message of the agent says of what waits. */
export type SaidAnswer =
  | { approval: string; approved: boolean; reason: string | null }
  | { call: string; result: { output: unknown } | { error: string } }

/** A request by what it says to a thread. */
export interface UiTurn {
  /** What was said before. */
  history: UiMessage[]
  /** The new message of the user; null: decisions and results alone. */
  said: UiMessage | null
  content: WrittenContent | null
  words: string
  /** The message of the agent with what is said of what waits; null: there is none. */
  answered: UiMessage | null
  answers: SaidAnswer[]
  instructions: string
  /** What stands behind the message is to be no more. */
  isAnew: boolean
}

/** A request taken apart. Of a thread that is known its last message counts. */
export function uiTurn(request: UiRequest): Result<UiTurn> {
  const all = request.messages ?? (request.message ? [request.message] : [])
  const instructions = all.flatMap((one) => (one.role === 'system' ? [uiWords(one)] : [])).join('\n\n')
  const spoken = all.filter(({ role }) => role !== 'system')
  const last = spoken.at(-1)
  if (!last) return NOTHING_NEW
  const said = last.role === 'user' ? last : null
  const answered = spoken.findLast(({ role }) => role === 'assistant') ?? null
  const isNext = answered !== null && spoken.indexOf(answered) >= spoken.length - 2
  const answers = isNext ? answersIn(answered) : []
  const content = said && contentOf(said)
  const isSilent = typeof content === 'string' && content.trim() === ''
  if (isSilent || (said === null && answers.length === 0)) return NOTHING_NEW
  const isEdited = said?.id !== undefined && request.messageId === said.id
  const isAnew = said !== null && (request.trigger === 'regenerate-message' || isEdited)
  const rest = { words: said ? uiWords(said) : '', answered: isNext ? answered : null, instructions, isAnew }
  return ok({ history: spoken.slice(0, -1), said, content, answers: isAnew ? [] : answers, ...rest })
}

const NOTHING_NEW = invalid(
  [
    {
      path: 'messages',
      message: 'a message of the user with words or files at the end, or one of the agent with answers',
    },
  ],
  'The last message has to be of the user, or hold the result of a tool or the answer to an approval.',
)

function uiWords({ parts }: UiMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n\n')
}

type WrittenPart = Exclude<WrittenContent, string>[number]

/** A message in our words: a text, or parts where it holds more. */
function contentOf(message: UiMessage): WrittenContent {
  const parts = message.parts.flatMap(partOf)
  return parts.some(({ type }) => type !== 'text') ? parts : uiWords(message)
}

function partOf({ type, text: words = '', url = '', mediaType = '', filename, data }: UiPart): WrittenPart[] {
  if (type === 'text') return words === '' ? [] : [{ type: 'text', text: words }]
  if (type.startsWith('data-')) return [{ type: 'data', data: { [type.slice('data-'.length)]: data ?? null } }]
  if (type !== 'file') return []
  const named = filename ? { name: filename } : {}
  if (/^image(\/|$)/i.test(mediaType)) return [{ type: 'image', url, ...named }]
  return [{ type: 'file', url, ...named, ...(mediaType.includes('/') ? { media_type: mediaType } : {}) }]
}

/** What a message of the agent says of what waits, new or not. */
function answersIn({ parts }: UiMessage): SaidAnswer[] {
  return parts.flatMap((part): SaidAnswer[] => {
    const { state, approval, toolCallId: call, output, errorText, providerExecuted } = part
    if (state === 'approval-responded' && approval?.approved !== undefined)
      return [{ approval: approval.id, approved: approval.approved, reason: approval.reason ?? null }]
    if (call === undefined || providerExecuted || toolOf(part) === null) return []
    if (state === 'output-available') return [{ call, result: { output: output ?? null } }]
    return state === 'output-error' ? [{ call, result: { error: errorText || 'failed' } }] : []
  })
}

/** The tool that a part is a call of; null: it is none. */
function toolOf({ type, toolName = '' }: UiPart): string | null {
  if (type === 'dynamic-tool') return toolName
  return type.startsWith('tool-') ? type.slice('tool-'.length) : null
}

/** What of a message its client has: calls and approvals by their ids. */
export function heldParts({ parts }: UiMessage): HeldParts {
  return {
    calls: parts.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId])),
    approvals: parts.flatMap(({ approval, toolCallId: callId }) =>
      approval && callId !== undefined ? [{ id: approval.id, callId }] : [],
    ),
  }
}

/** What of a request is the session's config. */
export function uiConfig({ instructions }: UiTurn, model: string | undefined): SessionConfig {
  return { ...(instructions === '' ? {} : { instructions }), ...(model === undefined ? {} : { model }) }
}

/** The tools that the caller runs. */
export function uiTools({ tools }: UiRequest): Result<Pick<NewSession, 'client_tools'>> {
  const named = Object.entries(tools ?? {})
  const read = clientTools.safeParse(
    named.map(([called, { description, inputSchema }]) => ({
      name: called,
      description: description ?? '',
      ...(inputSchema ? { parameters: withoutDialect(inputSchema) } : {}),
    })),
  )
  // Its client knows a tool by its name.
  const asWritten = (path: string) => path.replace(/^\d+/, (index) => named[Number(index)]?.[0] ?? index)
  if (!read.success)
    return invalid(issuesOf(read.error).map(({ path, message }) => ({ path: `tools.${asWritten(path)}`, message })))
  return ok(read.data.length > 0 ? { client_tools: read.data } : {})
}

/** Without what libraries that make schemas say of their dialect. */
function withoutDialect(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'))
}

/** A session that holds what was said before, as the caller says it was. */
export function uiSession(
  request: UiRequest,
  { history, content }: UiTurn,
  rest: Pick<NewSession, 'config' | 'orchestrator' | 'skill' | 'team' | 'workflow' | 'client_tools'>,
): Result<NewSession> {
  const { session_id: _, ...metadata } = request.metadata ?? {}
  const messages = history.flatMap(asGiven)
  const input = newSession.safeParse({
    ...(content === null ? {} : { task: content }),
    ...rest,
    ...(request.user ? { user: request.user } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(messages.length > 0 ? { messages } : {}),
  })
  return input.success ? ok(input.data) : invalid(issuesOf(input.error))
}

/** Where the client wrote what is said. Parts that are nothing to the model are none of ours. */
export function uiMessageAt({ messages }: UiRequest, { said, content }: UiTurn): WrittenAt {
  const whole = said ? `${messages ? `messages.${messages.indexOf(said)}` : 'message'}.parts` : 'messages'
  const told = typeof content === 'string' ? [] : (said?.parts ?? [])
  const parts = told.flatMap((part, index) => partOf(part).map(() => `${whole}.${index}`))
  return { whole, parts, fields: { name: 'filename', media_type: 'mediaType' } }
}

type Given = NonNullable<z.input<typeof newSession>['messages']>[number]

/** A message of theirs as messages that were given: each call of the agent stands with what was said before it, and with its result. */
function asGiven(message: UiMessage): Given[] {
  const about = { given: true as const, ...(message.id ? { client_id: message.id } : {}) }
  if (message.role === 'user') return [{ role: 'user', content: contentOf(message), ...about }]
  const replies: { words: string[]; calls: GivenCall[] }[] = [{ words: [], calls: [] }]
  for (const part of message.parts) {
    const reply = replies.at(-1)
    const call = callOf(part)
    const words = part.type === 'text' && part.text ? [part.text] : []
    if (!reply || (!call && words.length === 0)) continue
    const isNext = reply.calls.length > 0 && (words.length > 0 || reply.calls.length === LIMITS.model.callsPerReplyMax)
    const at = isNext ? { words: [], calls: [] } : reply
    if (isNext) replies.push(at)
    at.words.push(...words)
    if (call) at.calls.push(call)
  }
  return replies.flatMap(({ words, calls }): Given[] => [
    {
      role: 'assistant',
      content: words.join('\n\n'),
      ...about,
      ...(calls.length > 0 ? { tool_calls: calls.map(({ call }) => call) } : {}),
    },
    ...calls.map(({ result }) => result),
  ])
}

interface GivenCall {
  call: NonNullable<Given['tool_calls']>[number]
  result: Given
}

/** A call that was made, with its result, or why it has none; null: the part is no such call. */
function callOf(part: UiPart): GivenCall | null {
  const { toolCallId, state, output, errorText, approval, input } = part
  const name = toolOf(part)
  const isDenied = state === 'output-denied'
  const result = state === 'output-available' ? (output ?? null) : isDenied ? (approval?.reason ?? 'denied') : errorText
  if (!name || toolCallId === undefined || result === undefined) return null
  const id = toolCallId.slice(0, 200)
  const content = (typeof result === 'string' ? result : JSON.stringify(result)).slice(0, LIMITS.text.contentCharsMax)
  const failed = state === 'output-available' ? {} : { rejected: true as const }
  const isStatic = part.type !== 'dynamic-tool'
  return {
    call: { id, name, arguments: isObject(input) ? input : {}, ...(isStatic ? { client: true } : {}) },
    result: { role: 'tool', tool_call_id: id, content, given: true, ...failed },
  }
}
