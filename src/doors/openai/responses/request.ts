import * as z from 'zod'
import { clientTools } from '../../../domain/client-tool.ts'
import type { WrittenContent } from '../../../domain/content-input.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { type NewSession, newSession } from '../../../domain/session-input.ts'
import { onDemand } from '../../../lib/shape.ts'
import { issuesOf } from '../../../lib/zod.ts'
import { effortWord, type ModelWanted } from '../config.ts'

/** What a client of Responses sends. Source: OpenAI's API reference, "Create a model response". Fields that are not named here are passed over:
 *  clients send many that say nothing to an agent. */

const text = z.string().max(LIMITS.text.contentCharsMax)
const id = z.string().min(1).max(LIMITS.door.idCharsMax)
const name = z.string().min(1).max(LIMITS.text.nameCharsMax)

const NO_FILE_IDS = 'an http(s) or data: URL: this server keeps no files by id'
const WORD_PARTS = ['input_text', 'output_text', 'text', 'summary_text'] as const

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(WORD_PARTS), text }),
  z.looseObject({ type: z.literal('refusal'), refusal: text }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: z.string({ error: NO_FILE_IDS }).min(1),
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  }),
  z
    .looseObject({
      type: z.literal('input_file'),
      file_data: z.string().min(1).nullish(),
      file_url: z.string().min(1).nullish(),
      filename: z.string().max(LIMITS.text.nameCharsMax).nullish(),
    })
    .refine(({ file_data: data, file_url: url }) => (data ?? url) != null, {
      path: ['file_data'],
      error: 'the bytes in base64 or a data: URL, or file_url: this server keeps no files by id',
    }),
])
type SaidPart = z.infer<typeof part>
const parts = z.array(part).max(LIMITS.parts.perMessageMax)
const content = z.union([text, parts])

/** One entry of `input`; which fields it has is said by its type. */
const inputItem = z
  .looseObject({
    type: z.string().max(64).nullish(),
    role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
    content: z.unknown().optional(),
    id: z.string().max(LIMITS.door.idCharsMax).nullish(),
    call_id: id.nullish(),
    name: z.string().max(200).nullish(),
    arguments: z.unknown().optional(),
    output: z.unknown().optional(),
    approval_request_id: id.optional(),
    approve: z.boolean().optional(),
    reason: z.string().max(LIMITS.text.contentCharsMax).nullish(),
  })
  .superRefine((item, context) => {
    const lacks = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    const holds = (path: string, value: unknown) => {
      const read = (Array.isArray(value) ? parts : text).safeParse(value)
      for (const issue of read.success ? [] : read.error.issues)
        context.addIssue({ code: 'custom', path: [path, ...issue.path], message: issue.message })
    }
    const type = item.type ?? 'message'
    if (type === 'message' && item.role === undefined) lacks('role', 'user, assistant, system or developer')
    if (type === 'message') holds('content', item.content)
    if (type === 'function_call' && !item.name) lacks('name', 'the name of the tool')
    if (/^function_call(_output)?$/.test(type) && !item.call_id) lacks('call_id', 'the id of the call')
    if (type === 'function_call_output') holds('output', item.output)
    if (type === 'mcp_approval_response' && item.approval_request_id === undefined)
      lacks('approval_request_id', 'the id of the item that asks')
    if (type === 'mcp_approval_response' && item.approve === undefined) lacks('approve', 'true or false')
    if (/^(?!function_call).*_call_output$/.test(type))
      lacks('type', 'function_call_output: tools of a caller are functions')
  })
export type InputItem = z.infer<typeof inputItem>

const WHY_NOT_FORCED =
  'none or auto: the agent has tools of its own and decides itself which one comes next, so that no call can be forced'

const functionTool = z.looseObject({
  type: z.literal('function', { error: 'function: other kinds of tools are those of OpenAI' }),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})

const allowedTools = z.looseObject({
  type: z.literal('allowed_tools', { error: WHY_NOT_FORCED }),
  mode: z.literal('auto', { error: WHY_NOT_FORCED }),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).max(LIMITS.clientTool.toolsMax),
})

const textFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().max(64).optional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
])

export const responseRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    model: name.default('yaa'),
    input: z.union([text.min(1), z.array(inputItem).min(1).max(LIMITS.http.messagesMax)], {
      error: 'a text, or a list of items',
    }),
    instructions: text.nullish(),
    previous_response_id: id.nullish(),
    conversation: z.union([id, z.looseObject({ id })], { error: 'an id, or an object with one' }).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
    background: z.boolean().nullish(),
    store: z.boolean().nullish(),
    tools: z.array(functionTool).max(LIMITS.clientTool.toolsMax).nullish(),
    tool_choice: z
      .union([z.enum(['none', 'auto'], { error: WHY_NOT_FORCED }), allowedTools], { error: WHY_NOT_FORCED })
      .nullish(),
    text: z.looseObject({ format: textFormat.nullish(), verbosity: z.string().max(64).nullish() }).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    max_output_tokens: z.int().min(1).max(1_000_000).nullish(),
    reasoning: z.looseObject({ effort: effortWord, summary: z.string().max(64).nullish() }).nullish(),
    user: name.nullish(),
    safety_identifier: name.nullish(),
    metadata: z.record(z.string().max(64), z.unknown()).nullish(),
    top_logprobs: z.literal(0, { error: 'nothing: an answer has no log probabilities' }).nullish(),
    prompt: z.null({ error: 'nothing: templates of prompts are kept by OpenAI' }).optional(),
  }),
)
export type ResponseRequest = z.infer<ReturnType<typeof responseRequest>>

/** What does not go together. */
export function clashIn(request: ResponseRequest): Result<null> {
  if (request.previous_response_id && request.conversation)
    return invalid([{ path: 'conversation', message: 'nothing beside previous_response_id: each names the thread' }])
  if (request.background && request.store === false)
    return invalid([{ path: 'background', message: 'false where store is false: nobody could ask for the answer' }])
  return ok(null)
}

/** The words of a content. */
export function itemWords(given: unknown): string {
  const read = content.safeParse(given)
  if (!read.success) return ''
  return typeof read.data === 'string' ? read.data : read.data.flatMap(textIn).join('\n')
}

function textIn(one: SaidPart): string[] {
  if (one.type === 'input_image' || one.type === 'input_file') return []
  return [one.type === 'refusal' ? one.refusal : one.text]
}

type WrittenPart = Exclude<WrittenContent, string>[number]

/** Contents in our words: a text, or parts where they hold more. */
function contentOf(contents: readonly unknown[]): WrittenContent {
  const all = contents.flatMap(partsIn)
  return all.some(({ type }) => type !== 'text') ? all : contents.map(itemWords).join('\n\n')
}

function partsIn(given: unknown): WrittenPart[] {
  const { data = '' } = content.safeParse(given)
  return typeof data === 'string' ? [{ type: 'text', text: data }] : data.map(partOf)
}

function partOf(one: SaidPart): WrittenPart {
  if (one.type === 'input_image') {
    const { image_url: url, detail } = one
    const seen = detail && detail !== 'original' ? { detail } : {}
    return { type: 'image', image_url: { url, ...seen } }
  }
  if (one.type !== 'input_file') return { type: 'text', text: textIn(one).join('') }
  const { file_data: data, file_url: url, filename } = one
  const source = data ? (data.startsWith('data:') ? { url: data } : { data }) : { url: url ?? '' }
  return { type: 'file', ...source, ...(filename ? { name: filename } : {}) }
}

/** A request by what it says to a thread. */
export interface ResponseTurn {
  /** What was said before, the last answer with it. */
  history: InputItem[]
  /** What comes new: results of tools, decisions, and words. */
  fresh: InputItem[]
  /** Null: nothing but results and decisions. */
  content: WrittenContent | null
  words: string
  /** The last words of the user. */
  heard: string
  /** The first result that shows more than words; null: none does. */
  shows: string | null
  /** What stands beside `instructions`. */
  instructions: string
}

/** Items that tell what the agent said or did. */
export const isAgents = ({ type, role }: Pick<InputItem, 'type' | 'role'>): boolean =>
  role === 'assistant' ||
  /^(function_call|reasoning|mcp_call|mcp_list_tools|mcp_approval_request|item_reference)$/.test(type ?? '')

/** Rules stand beside `instructions`, wherever they come. */
export const isRule = ({ role }: Pick<InputItem, 'role'>): boolean => role === 'system' || role === 'developer'

/** A request taken apart. What stands behind the last that the agent said is new. */
export function responseTurn({ input, instructions }: ResponseRequest): Result<ResponseTurn> {
  const all: InputItem[] = typeof input === 'string' ? [inputItem.parse({ role: 'user', content: input })] : input
  const said = all.filter((item) => !isRule(item))
  const cut = said.findLastIndex(isAgents) + 1
  const fresh = said.slice(cut)
  const spoken = fresh.flatMap((item) => (item.role === 'user' ? [item.content] : []))
  const written = contentOf(fresh.flatMap(newContent))
  const showing = all.findIndex((item) => fresh.includes(item) && shownIn(item).length > 0)
  const isSilent = typeof written === 'string' && written.trim() === ''
  const rules = [instructions ?? '', ...all.filter(isRule).map((item) => itemWords(item.content))]
  const isAnswer = fresh.some(({ type }) => type === 'function_call_output' || type === 'mcp_approval_response')
  if (!isAnswer && isSilent) return fail(NOTHING_NEW)
  const history = said.slice(0, cut)
  const words = spoken.map(itemWords).join('\n\n')
  const asked = history.findLast(({ role }) => role === 'user')
  return ok({
    history,
    fresh,
    content: isSilent ? null : written,
    words,
    shows: showing < 0 ? null : `input.${showing}.output`,
    heard: words.trim() === '' ? itemWords(asked?.content) : words,
    instructions: rules.filter((rule) => rule !== '').join('\n\n'),
  })
}

/** What an item says that is new: the words of the user, and what results show, which is a message behind them. */
function newContent(item: InputItem): unknown[] {
  if (item.role === 'user') return [item.content]
  const shown = shownIn(item)
  return shown.length > 0 ? [shown] : []
}

/** What a result shows beside its words: its images and files. */
export function shownIn({ type, output }: Pick<InputItem, 'type' | 'output'>): SaidPart[] {
  const read = type === 'function_call_output' && Array.isArray(output) ? parts.safeParse(output) : null
  return (read?.data ?? []).filter((one) => one.type === 'input_image' || one.type === 'input_file')
}

const NOTHING_NEW: AppError = {
  code: 'invalid_input',
  detail: 'The last item has to be of the user, the result of a tool, or a decision.',
  issues: [
    { path: 'input', message: 'a message of the user, function_call_output or mcp_approval_response at the end' },
  ],
}

/** How a request wants its model asked. */
export function responseModelWanted(request: ResponseRequest, { instructions }: ResponseTurn): ModelWanted {
  const { temperature, max_output_tokens: maxTokens, reasoning } = request
  return { instructions, temperature, maxTokens, effort: reasoning?.effort }
}

/** What one turn of a request asks beside its words. */
export function turnExtras(request: ResponseRequest): Result<Pick<NewSession, 'output_schema' | 'client_tools'>> {
  const tools = offered(request).map(({ name: called, description, parameters }) => ({
    name: called,
    description: description ?? '',
    ...(parameters ? { parameters } : {}),
  }))
  const read = tools.length === 0 ? null : clientTools.safeParse(tools)
  if (read && !read.success) return invalid(issuesOf(read.error, 'tools'))
  const format = request.text?.format
  const schema =
    format?.type === 'json_schema' ? format.schema : format?.type === 'json_object' ? { type: 'object' } : null
  return ok({
    ...(read ? { client_tools: read.data } : {}),
    ...(schema ? { output_schema: schema } : {}),
  })
}

/** The tools that may be called. */
function offered({ tools, tool_choice: choice }: ResponseRequest) {
  if (choice === 'none') return []
  if (typeof choice !== 'object' || choice === null) return tools ?? []
  const allowed = new Set(choice.tools.map((tool) => tool.name))
  return (tools ?? []).filter((tool) => allowed.has(tool.name))
}

/** In whose name a request asks. */
export function userOf({ user, safety_identifier: identifier }: ResponseRequest): string | null {
  return user ?? identifier ?? null
}

/** A session that holds what was said before, as the caller says it was. */
export function sessionInputOf(
  request: ResponseRequest,
  { history, fresh, content: task }: ResponseTurn,
  rest: Pick<NewSession, 'config' | 'orchestrator' | 'skill' | 'team' | 'workflow' | 'output_schema' | 'client_tools'>,
): Result<NewSession> {
  const asked = history.findLast(({ role }) => role === 'user')
  const user = userOf(request)
  const { session_id: _, ...metadata } = request.metadata ?? {}
  const messages = toldTurns([...history, ...fresh.filter(isResult)]).flatMap(asGiven)
  const words = task ?? contentOf([asked?.content])
  const input = newSession.safeParse({
    ...(words === '' ? {} : { task: words }),
    ...rest,
    ...(user === null ? {} : { user }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(messages.length > 0 ? { messages } : {}),
  })
  return input.success ? ok(input.data) : invalid(issuesOf(input.error))
}

type Given = NonNullable<z.input<typeof newSession>['messages']>[number]

/** The result of a call that the caller made. */
export const isResult = ({ type }: Pick<InputItem, 'type'>): boolean => type === 'function_call_output'
const isCall = ({ type }: Pick<InputItem, 'type'>): boolean => type === 'function_call'

/** What items tell a new session, a message each: calls that stand together are of one reply, and of the words before them. What else an agent did
 *  says nothing to another run. */
export function toldTurns<Item extends Pick<InputItem, 'type' | 'role'>>(items: readonly Item[]): Item[][] {
  const turns: Item[][] = []
  for (const item of items) {
    const last = turns.at(-1)
    const isOfAgent = last?.some((one) => isCall(one) || one.role === 'assistant')
    if (isCall(item) && isOfAgent) last?.push(item)
    else if (isCall(item) || isResult(item) || item.role === 'user' || item.role === 'assistant') turns.push([item])
  }
  return turns
}

function asGiven(turn: readonly InputItem[]): Given[] {
  const [first] = turn
  if (!first) return []
  const { type, role, content: said, output } = first
  if (isResult({ type })) return [{ role: 'tool', tool_call_id: idOf(first), content: itemWords(output), given: true }]
  const calls = turn.filter(isCall).map((call) => ({
    id: idOf(call),
    name: call.name ?? '',
    arguments: objectIn(call.arguments),
  }))
  const content = isCall(first) ? '' : contentOf([said])
  const made = calls.length > 0 ? { tool_calls: calls } : {}
  return [{ role: role === 'user' ? 'user' : 'assistant', content, given: true, ...made }]
}

const idOf = ({ call_id: id }: InputItem): string => (id ?? '').slice(0, 200)

/** Arguments that are no JSON object are none. */
export function objectIn(json: unknown): Record<string, unknown> {
  const read = z.record(z.string(), z.unknown())
  try {
    const parsed = read.safeParse(typeof json === 'string' ? JSON.parse(json) : json)
    return parsed.success ? parsed.data : {}
  } catch {
    return {}
  }
}
