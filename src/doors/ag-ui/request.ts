import * as z from 'zod'
import { clientTools } from '../../domain/client-tool.ts'
import type { SessionConfig } from '../../domain/config.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type NewSession, newSession } from '../../domain/session-input.ts'
import { bytesOf } from '../../lib/bytes.ts'
import { isId } from '../../lib/id.ts'
import { onDemand } from '../../lib/shape.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { WrittenAt } from '../kernel/written.ts'

/** What a client of AG-UI sends. Source: the AG-UI specification 1.0, "Run Input". Members that are not named here are passed over. */

const text = z.string().max(LIMITS.text.contentCharsMax)
const id = z.string().min(1).max(LIMITS.door.idCharsMax)
const name = z.string().min(1).max(LIMITS.text.nameCharsMax)

/** Where the bytes of a part are. Those of a `file` are at another provider, who alone can read them. */
const source = z.looseObject({
  type: z.enum(['data', 'url', 'file']),
  value: z.string().min(1),
  mimeType: z.string().max(LIMITS.parts.mediaTypeCharsMax).nullish(),
})

const part = z
  .looseObject({
    type: z.string().max(64),
    text: text.optional(),
    source: source.optional(),
    metadata: z.unknown().optional(),
  })
  .superRefine(({ type, text: words, source: bytes }, context) => {
    const lacks = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (type === 'text' && words === undefined) lacks('text', 'the words')
    if (/^(image|audio|video|document)$/.test(type) && !bytes) lacks('source', 'where its bytes are')
  })
type SaidPart = z.infer<typeof part>

const content = z.union([text, z.array(part).max(LIMITS.parts.perMessageMax)])
type SaidContent = z.infer<typeof content> | undefined

const toolCall = z.looseObject({ id, function: z.looseObject({ name: z.string().max(200), arguments: text }) })

const said = { id, metadata: z.unknown().optional() }
const message = z.discriminatedUnion('role', [
  z.looseObject({ ...said, role: z.enum(['system', 'developer']), content: text }),
  z.looseObject({ ...said, role: z.literal('user'), content }),
  z.looseObject({
    ...said,
    role: z.literal('assistant'),
    content: text.nullish(),
    toolCalls: z.array(toolCall).max(LIMITS.model.callsPerReplyMax).nullish(),
  }),
  z.looseObject({ ...said, role: z.literal('tool'), toolCallId: id, content, error: text.nullish() }),
  z.looseObject({ ...said, role: z.literal('reasoning'), content: text }),
  z.looseObject({ ...said, role: z.literal('activity'), content: z.unknown() }),
])
export type InputMessage = z.infer<typeof message>

const resumeEntry = z.looseObject({
  interruptId: id,
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
})
export type ResumeEntry = z.infer<typeof resumeEntry>

const forwarded = z.looseObject({
  user: name.nullish(),
  metadata: z.record(z.string().max(64), z.unknown()).nullish(),
  output_schema: z.record(z.string(), z.unknown()).nullish(),
})

export const runInput = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    threadId: id,
    runId: id,
    messages: z.array(message).max(LIMITS.http.messagesMax),
    tools: z
      .array(z.looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.unknown().optional() }))
      .max(LIMITS.clientTool.toolsMax)
      .nullish(),
    context: z.array(z.looseObject({ description: text, value: text })).nullish(),
    state: z
      .unknown()
      .refine(
        (value) => value === undefined || bytesOf(JSON.stringify(value)) <= LIMITS.door.stateBytesMax,
        `at most ${LIMITS.door.stateBytesMax} bytes of JSON`,
      )
      .optional(),
    forwardedProps: z.unknown().optional(),
    resume: z.array(resumeEntry).max(LIMITS.door.resumeMax).nullish(),
    parentRunId: id.nullish(),
    protocolVersion: z.string().max(32).nullish(),
  }),
)
export type RunInput = z.infer<ReturnType<typeof runInput>>

/** What of the application's own values means something here; anything else is passed over. */
function forwardedIn({ forwardedProps }: RunInput): z.infer<typeof forwarded> {
  return forwarded.safeParse(forwardedProps).data ?? {}
}

/** In whose name a request asks; null: in nobody's. */
export function askingUser(input: RunInput): string | null {
  return forwardedIn(input).user ?? null
}

type OfRole<R extends InputMessage['role']> = Extract<InputMessage, { role: R }>

/** A request by what it says to a thread. */
export interface RunTurn {
  /** What was said before, the last answer with it. */
  history: InputMessage[]
  /** What comes new. */
  users: OfRole<'user'>[]
  /** Results of calls that waited for them. */
  results: OfRole<'tool'>[]
  resume: ResumeEntry[]
}

const AGENTS: readonly InputMessage['role'][] = ['assistant', 'reasoning', 'activity']

/** A request taken apart. What stands behind the last that the agent said is new. */
export function runTurn({ messages, resume }: RunInput): RunTurn {
  const told = messages.filter(({ role }) => role !== 'system' && role !== 'developer')
  const cut = told.findLastIndex(({ role }) => AGENTS.includes(role)) + 1
  const fresh = told.slice(cut)
  return {
    history: told.slice(0, cut),
    users: fresh.flatMap((one) => (one.role === 'user' && !isSilent(one) ? [one] : [])),
    results: fresh.flatMap((one) => (one.role === 'tool' && isId('pnd', one.toolCallId) ? [one] : [])),
    resume: resume ?? [],
  }
}

function isSilent(one: OfRole<'user'>): boolean {
  return partsIn(one.content).every((found) => found.type === 'text' && found.text.trim() === '')
}

/** Whether a request says nothing that could be new. */
export function isEmpty({ users, results, resume }: RunTurn): boolean {
  return users.length === 0 && results.length === 0 && resume.length === 0
}

export const NOTHING_NEW: AppError = {
  code: 'invalid_input',
  detail: 'This thread has no run to follow: its first request brings a message of the user.',
  issues: [{ path: 'messages', message: 'a message of role user at the end, with words or parts' }],
}

type WrittenPart = Exclude<WrittenContent, string>[number]

/** The words of a content. */
export function spokenWords(given: SaidContent): string {
  return partsIn(given)
    .flatMap((one) => (one.type === 'text' ? [one.text] : []))
    .join('\n')
}

/** Contents in our words: a text, or parts where they hold more. */
export function contentOf(contents: readonly SaidContent[]): WrittenContent {
  const all = contents.flatMap(partsIn)
  return all.some(({ type }) => type !== 'text') ? all : contents.map(spokenWords).join('\n\n')
}

function partsIn(given: SaidContent): WrittenPart[] {
  if (typeof given === 'string') return [{ type: 'text', text: given }]
  return (given ?? []).flatMap(partOf)
}

/** What cannot be used is left out: kinds that are not known, and files that only another provider can read. */
function partOf({ type, text: words, source: bytes, metadata }: SaidPart): WrittenPart[] {
  if (type === 'text') return [{ type, text: words ?? '' }]
  if (!bytes || bytes.type === 'file' || !/^(image|audio|video|document)$/.test(type)) return []
  const { value, mimeType } = bytes
  const filename = z.looseObject({ filename: name }).safeParse(metadata).data?.filename
  const about = {
    ...(filename ? { name: filename } : {}),
    ...(mimeType ? { media_type: mimeType } : {}),
  }
  const where = bytes.type === 'url' || value.startsWith('data:') ? { url: value } : { data: value }
  return [{ type: type === 'image' ? 'image' : 'file', ...where, ...about }]
}

/** Where the client wrote what is said: the message, and the part where all of it was understood. */
export function usersAt({ messages }: RunInput, { users }: RunTurn): WrittenAt {
  const [one, ...more] = users
  if (!one || more.length > 0) return { whole: 'messages', fields: {} }
  const whole = `messages.${messages.indexOf(one)}.content`
  const said = typeof one.content === 'string' ? [] : one.content
  const isWhole = partsIn(said).length === said.length
  return { whole, parts: isWhole ? said.map((_, index) => `${whole}.${index}`) : [], fields: {} }
}

/** What of a request is the session's config: instructions, what the application tells of itself, and the model. */
export function threadConfig({ messages, context }: RunInput, model: string | undefined): SessionConfig {
  const rules = messages.flatMap((one) => (one.role === 'system' || one.role === 'developer' ? [one.content] : []))
  const told = (context ?? []).map(({ description, value }) => `${description}:\n${value}`)
  const instructions = [...rules, ...told].filter((one) => one.trim() !== '').join('\n\n')
  return { ...(instructions === '' ? {} : { instructions }), ...(model === undefined ? {} : { model }) }
}

/** What one run is asked beside its words. */
export function runExtras(input: RunInput): Result<Pick<NewSession, 'output_schema' | 'client_tools'>> {
  const tools = clientTools.safeParse(
    (input.tools ?? []).map(({ name: called, description, parameters }) => {
      const schema = z.record(z.string(), z.unknown()).safeParse(parameters)
      return { name: called, description: description ?? '', ...(schema.success ? { parameters: schema.data } : {}) }
    }),
  )
  if (!tools.success) return invalid(issuesOf(tools.error, 'tools'))
  const { output_schema: schema } = forwardedIn(input)
  return ok({
    ...(tools.data.length > 0 ? { client_tools: tools.data } : {}),
    ...(schema ? { output_schema: schema } : {}),
  })
}

type Given = NonNullable<z.input<typeof newSession>['messages']>[number]

/** A session that holds what was said before, as the caller says it was. */
export function threadOpening(
  input: RunInput,
  { history, users, results }: RunTurn,
  rest: Pick<NewSession, 'config' | 'orchestrator' | 'skill' | 'team' | 'workflow' | 'output_schema' | 'client_tools'>,
): Result<NewSession> {
  const { user, metadata } = forwardedIn(input)
  const asked = history.findLast(({ role }) => role === 'user')
  const again = asked?.role === 'user' ? [asked] : []
  const messages = [...history, ...results].flatMap(asGiven)
  const read = newSession.safeParse({
    task: contentOf((users.length > 0 ? users : again).map((one) => one.content)),
    ...rest,
    ...(user ? { user } : {}),
    ...(metadata ? { metadata } : {}),
    ...(messages.length > 0 ? { messages } : {}),
  })
  if (read.success) return ok(read.data)
  const issues = issuesOf(read.error)
  return users.length + history.length === 0 ? fail(NOTHING_NEW) : invalid(issues)
}

/** A message of theirs as one that was given, under the name that they have for it. */
function asGiven(one: InputMessage): Given[] {
  const about = { given: true as const, client_id: one.id }
  if (one.role === 'user') return [{ role: 'user', content: contentOf([one.content]), ...about }]
  if (one.role === 'tool')
    return [{ role: 'tool', tool_call_id: one.toolCallId.slice(0, 200), content: resultText(one), ...about }]
  if (one.role !== 'assistant') return []
  const calls = (one.toolCalls ?? []).map((call) => ({
    id: call.id.slice(0, 200),
    name: call.function.name,
    arguments: objectIn(call.function.arguments),
  }))
  const words = one.content ?? ''
  return [{ role: 'assistant', content: words, ...about, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
}

function resultText({ content: told, error }: OfRole<'tool'>): string {
  return [spokenWords(told), error ?? ''].filter((one) => one !== '').join('\n')
}

/** Arguments that are no JSON object are none. */
function objectIn(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(json)).data ?? {}
  } catch {
    return {}
  }
}
