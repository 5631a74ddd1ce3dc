import * as z from 'zod'
import { clientTools } from '../../domain/client-tool.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import { IMAGE_TYPES } from '../../domain/content.ts'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  newMessage,
  newSession,
  type NewSession,
  type PendingAnswer,
  pendingInput,
} from '../../domain/session-input.ts'
import { isObject } from '../../lib/json.ts'
import { onDemand } from '../../lib/shape.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { WrittenAt } from '../kernel/written.ts'
import { decisionWord } from '../kernel/approval-word.ts'
import { takes } from './reader.ts'
import { TASK_STATES } from './shapes.ts'

/** What clients of A2A 1.0 ask. Source: a2a.proto of the A2A specification 1.0. Fields that are not named here are passed over; an empty text is
 *  none, as in Protocol Buffers. */

const id = z.string().max(LIMITS.door.idCharsMax)
const some = id.min(1)
const name = z.string().min(1).max(LIMITS.text.nameCharsMax)
const metadata = z.record(z.string(), z.unknown()).nullish()
const tenant = id.nullish()
const historyLength = z.coerce.number().int().min(0).nullish()

const PART_FIELDS = ['text', 'raw', 'url', 'data'] as const

const part = z
  .looseObject({
    text: z.string().max(LIMITS.text.contentCharsMax).optional(),
    raw: z.string().optional(),
    url: z.string().optional(),
    data: z.unknown().optional(),
    filename: z.string().max(LIMITS.text.nameCharsMax).nullish(),
    mediaType: z.string().max(LIMITS.parts.mediaTypeCharsMax).nullish(),
  })
  .refine((given) => PART_FIELDS.filter((field) => given[field] !== undefined).length === 1, {
    error: `one of ${PART_FIELDS.join(', ')}`,
  })
type GivenPart = z.infer<typeof part>

/** What of the metadata of a request or message is for us; other members are the client's own. */
const asked = z.looseObject({
  model: name.optional(),
  skill: name.optional(),
  user: name.optional(),
  session_id: id.optional(),
  client_tools: clientTools.optional(),
  output_schema: newMessage.shape.output_schema,
})

const message = z.looseObject({
  messageId: some,
  contextId: id.nullish(),
  taskId: id.nullish(),
  role: z.union([z.literal('ROLE_USER'), z.literal(1)], { error: 'ROLE_USER: what the agent said is kept here' }),
  parts: z.array(part).min(1).max(LIMITS.parts.perMessageMax),
  metadata,
})

export const pushConfig = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    tenant,
    id: id.nullish(),
    taskId: id.nullish(),
    url: z.string().min(1).max(LIMITS.web.urlCharsMax),
    token: z.string().max(LIMITS.push.tokenCharsMax).nullish(),
    authentication: z
      .looseObject({
        scheme: z
          .string()
          .max(64)
          .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/, 'the name of a scheme, such as Bearer')
          .nullish(),
        credentials: z
          .string()
          .max(LIMITS.push.tokenCharsMax)
          .regex(/^[\x20-\x7e]*$/, 'printable ASCII: it goes into a header')
          .nullish(),
      })
      .nullish(),
  }),
)
export type PushConfigInput = z.infer<ReturnType<typeof pushConfig>>

export const sendRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    tenant,
    message,
    configuration: z
      .looseObject({
        acceptedOutputModes: z
          .array(z.string().max(LIMITS.parts.mediaTypeCharsMax))
          .max(LIMITS.door.modesMax)
          .nullish(),
        taskPushNotificationConfig: pushConfig().nullish(),
        historyLength,
        returnImmediately: z.boolean().nullish(),
      })
      .nullish(),
    metadata,
  }),
)
export type SendRequest = z.infer<ReturnType<typeof sendRequest>>

export const taskRequest = /* @__PURE__ */ onDemand(() => z.looseObject({ tenant, id: some, historyLength, metadata }))
export const configRequest = /* @__PURE__ */ onDemand(() => z.looseObject({ tenant, taskId: some, id: some }))
export const configsRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({ tenant, taskId: some, pageSize: z.coerce.number().int().min(0).nullish(), pageToken: id.nullish() }),
)
export const cardRequest = /* @__PURE__ */ onDemand(() => z.looseObject({ tenant }))
export const listRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    tenant,
    contextId: id.nullish(),
    status: z
      .union([
        z.enum(TASK_STATES),
        z
          .int()
          .min(0)
          .max(TASK_STATES.length - 1),
      ])
      .nullish(),
    pageSize: z.coerce.number().int().min(1).max(LIMITS.door.tasksMax).nullish(),
    pageToken: id.nullish(),
    historyLength,
    statusTimestampAfter: z.iso.datetime({ offset: true }).or(z.literal('')).nullish(),
    includeArtifacts: z.union([z.boolean(), z.stringbool()]).nullish(),
  }),
)
export type ListRequest = z.infer<ReturnType<typeof listRequest>>

/** A message taken apart. */
export interface SentTurn {
  messageId: string
  contextId: string | null
  taskId: string | null
  /** Decisions, answers and results of calls, which are no words. */
  answers: PendingAnswer[]
  /** Null: nothing but those. */
  content: WrittenContent | null
  /** The parts of the message that the content is made of. */
  places: number[]
  words: string
  accepts: string[]
  asked: z.infer<typeof asked>
}

/** In which media types answers can be given. */
const GIVEN = ['text/plain', 'application/json'] as const

export function sentTurn({ message: given, metadata: more, configuration }: SendRequest): Result<SentTurn> {
  const about = asked.safeParse({ ...more, ...given.metadata })
  if (!about.success) return invalid(issuesOf(about.error, 'metadata'))
  const accepts = configuration?.acceptedOutputModes ?? []
  if (!GIVEN.some((type) => takes(accepts, type))) return fail({ code: 'not_acceptable', there: GIVEN })
  const answers: PendingAnswer[] = []
  const rest: GivenPart[] = []
  const places: number[] = []
  for (const [index, one] of given.parts.entries()) {
    const answer = answerIn(one)
    if (answer && !answer.ok) return invalid(issuesOf(answer.error, `message.parts.${index}.data`))
    if (answer) answers.push(answer.value)
    if (answer) continue
    rest.push(one)
    places.push(index)
  }
  const words = rest.flatMap(({ text }) => text ?? []).join('\n\n')
  const word = rest.every(({ text }) => text !== undefined) ? decisionWord(words) : null
  const isSilent = rest.length === 0 || (rest.every(({ text }) => text !== undefined) && words.trim() === '')
  if (isSilent && answers.length === 0) return invalid([{ path: 'message.parts', message: 'words, a file or data' }])
  return ok({
    messageId: given.messageId,
    contextId: given.contextId || null,
    taskId: given.taskId || null,
    answers: word ? [...answers, word] : answers,
    content: isSilent || word ? null : contentOf(rest),
    places,
    words,
    accepts,
    asked: about.data,
  })
}

type Answer = { ok: true; value: PendingAnswer } | { ok: false; error: z.ZodError }

const SAYS = ['decision', 'result', 'error'] as const

/** Data that names something that waits and says how it ends; null: it is data like any other. */
function answerIn({ data }: GivenPart): Answer | null {
  if (!isObject(data) || typeof data['pending_id'] !== 'string') return null
  if (!SAYS.some((word) => Object.hasOwn(data, word))) return null
  const { pending_id: pendingId, ...said } = data
  const input = pendingInput.safeParse(said)
  return input.success ? { ok: true, value: { pendingId, input: input.data } } : { ok: false, error: input.error }
}

function contentOf(parts: readonly GivenPart[]): WrittenContent {
  return parts.every(({ text }) => text !== undefined)
    ? parts.map(({ text = '' }) => text).join('\n\n')
    : parts.map(partOf)
}

function partOf({ text, raw, url, data, filename, mediaType }: GivenPart): Exclude<WrittenContent, string>[number] {
  if (text !== undefined) return { type: 'text', text }
  if (raw === undefined && url === undefined) return { type: 'data', data }
  const type = IMAGE_TYPES.has(mediaType ?? '') ? 'image' : 'file'
  return {
    type,
    ...(raw === undefined ? { url: url ?? '' } : { data: standardBase64(raw) }),
    ...(filename ? { name: filename } : {}),
    ...(mediaType ? { media_type: mediaType } : {}),
  }
}

/** Where the client wrote what is said. */
export function sentAt({ content, places }: SentTurn): WrittenAt {
  const parts = typeof content === 'string' ? [] : places.map((index) => `message.parts.${index}`)
  return { whole: 'message.parts', parts, fields: { data: 'raw', name: 'filename', media_type: 'mediaType' } }
}

/** Protocol Buffers take base64 in both alphabets, with padding or without. */
function standardBase64(text: string): string {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return standard + '='.repeat((4 - (standard.length % 4)) % 4)
}

/** What a turn asks beside its words. A client that takes JSON and no text is given JSON. */
export function extrasOf({ asked: { client_tools: tools, output_schema: schema }, accepts }: SentTurn) {
  const isJson = schema === undefined && !takes(accepts, 'text/plain')
  return {
    ...(tools ? { client_tools: tools } : {}),
    ...(schema === undefined ? {} : { output_schema: schema }),
    ...(isJson ? { output_schema: { type: 'object' } } : {}),
  }
}

/** A session that begins with this turn. */
export function openingOf(
  { content, asked: { user } }: SentTurn,
  rest: Pick<NewSession, 'config' | 'orchestrator' | 'skill' | 'team' | 'workflow' | 'output_schema' | 'client_tools'>,
): Result<NewSession> {
  const input = newSession.safeParse({
    ...(content === null ? {} : { task: content }),
    ...rest,
    ...(user === undefined ? {} : { user }),
  })
  return input.success ? ok(input.data) : invalid(issuesOf(input.error))
}
