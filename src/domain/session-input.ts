import * as z from 'zod'
import { bytesOf } from '../lib/bytes.ts'
import { clientTools } from './client-tool.ts'
import { orchestratorName, type Status, STATUSES } from './run.ts'
import { sessionConfig } from './config.ts'
import { storedFiles } from './file.ts'
import { LIMITS } from './limits.ts'
import { messageInput } from './message.ts'
import { DECISION_WORDS } from './pending.ts'
import { place } from './place.ts'
import { teamInput } from './team.ts'
import { money } from './usage.ts'
import { userName } from './path-name.ts'
import { contentInput, partsInput } from './content-input.ts'

const name = z.string().min(1).max(LIMITS.text.nameCharsMax)
/** What a client keeps with its session. */
export const metadataInput = z
  .record(z.string().max(64), z.unknown())
  .refine(
    (value) => Object.keys(value).length <= LIMITS.text.metadataKeysMax,
    `at most ${LIMITS.text.metadataKeysMax} keys`,
  )
  .refine(
    (value) => bytesOf(JSON.stringify(value)) <= LIMITS.text.metadataBytesMax,
    `at most ${LIMITS.text.metadataBytesMax} bytes of JSON in all`,
  )

const messages = z.array(messageInput).max(LIMITS.http.messagesMax)

/** What an answer has to fit; null: anything. Whether it can be used is checked where it is taken. */
const outputSchema = z
  .record(z.string(), z.unknown())
  .describe('JSON Schema (2020-12). The answer is JSON that fits it; null: any text.')
  .nullable()
  .optional()

/** The name of a workflow, and what its run is given. */
export const workflowRef = z.string().min(1).max(64)
export const workflowInputs = z.record(z.string(), z.unknown())

export const newSession = z.strictObject({
  task: contentInput.optional(),
  character: name.optional(),
  title: z.string().max(LIMITS.text.titleCharsMax).optional(),
  orchestrator: orchestratorName.optional(),
  skill: name.optional(),
  team: teamInput.optional(),
  /** The name of a workflow, and what it is given. */
  workflow: workflowRef.optional(),
  inputs: workflowInputs.optional(),
  user: userName.optional(),
  metadata: metadataInput.optional(),
  config: sessionConfig.optional(),
  messages: messages.optional(),
  output_schema: outputSchema,
  /** Of the run of its task. */
  client_tools: clientTools.optional(),
  /** Where it is kept, for its life; default: the server's. */
  place: place.optional(),
})
/** The same as clients send it. */
export const newSessionInput = newSession.refine(
  ({ task, client_tools: tools }) => task !== undefined || tools === undefined,
  { path: ['client_tools'], error: 'nothing without a task: they are of a run. A message may bring them' },
)
export type NewSession = z.infer<typeof newSession>
/** As it is written, before it is read: what words and numbers it takes is said by what they are read as. */
export type WrittenSession = Written<typeof newSession, 'task' | 'client_tools'>
type Written<T extends z.ZodType, K extends keyof z.input<T>> = Omit<z.infer<T>, K> & Pick<z.input<T>, K>

const skillInputs = z.record(z.string().max(64), z.unknown())
/** Body of POST /v1/skills/{name}/run. */
export const skillRun = newSession.pick({ user: true, config: true, metadata: true, client_tools: true }).extend({
  input: z.union([z.string().min(1).max(LIMITS.text.contentCharsMax), partsInput, skillInputs], {
    error: 'a text, parts, or an object of the inputs that the skill declares',
  }),
})
export type SkillRun = z.infer<typeof skillRun>
export type WrittenSkillRun = z.input<typeof skillRun>

/** Body of POST /v1/workflows/{name}/run. */
export const workflowRun = newSession.pick({ user: true, config: true, metadata: true, title: true }).extend({
  inputs: workflowInputs.optional(),
  /** What steps know as `task`. */
  task: z.string().min(1).max(LIMITS.text.contentCharsMax).optional(),
})
export type WorkflowRun = z.infer<typeof workflowRun>
export type WrittenWorkflowRun = z.input<typeof workflowRun>

export const newMessage = z.strictObject({
  content: contentInput,
  /** Of the run that it begins, of a session that goes by a workflow. */
  inputs: workflowInputs.optional(),
  config: sessionConfig.optional(),
  output_schema: outputSchema,
  client_tools: clientTools.optional(),
})
/** A message as a session takes it. */
export type NewMessageInput = z.infer<typeof newMessage>
export type WrittenTask = Written<typeof newMessage, 'content' | 'client_tools'>

export const continueInput = z.strictObject({
  config: sessionConfig.optional(),
  n_round: z.int().min(1).max(1_000).optional(),
  investment: money.optional(),
})
export type ContinueInput = z.infer<typeof continueInput>

const decisionFields = {
  arguments: z.record(z.string(), z.unknown()).optional(),
  arguments_hash: z.string().max(128).optional(),
  feedback: z.string().max(LIMITS.text.feedbackCharsMax).optional(),
  answer: z.string().min(1).max(LIMITS.text.contentCharsMax).optional(),
  remember: z.literal('session').optional(),
}
type Decided = Partial<Record<'decision' | keyof typeof decisionFields, unknown>>

const needsAnswer = {
  holds: (input: Decided) => input.decision !== 'answer' || input.answer !== undefined,
  else: { path: ['answer'], error: 'an answer is needed with decision answer' },
}
const approvesMore = {
  holds: (input: Decided) =>
    input.decision === 'approve' || (input.arguments === undefined && input.remember === undefined),
  else: { path: ['decision'], error: 'arguments and remember go with decision approve only' },
}

/** A human's word on one pending item. */
export const decisionInput = z
  .strictObject({ decision: z.enum(DECISION_WORDS), ...decisionFields })
  .refine(needsAnswer.holds, needsAnswer.else)
  .refine(approvesMore.holds, approvesMore.else)
export type DecisionInput = z.infer<typeof decisionInput>

const { resultBytesMax, errorCharsMax } = LIMITS.clientTool

/** What is said of one pending item: the word of a human, or, of a call that the caller makes, its result or why it failed. */
export const pendingInput = z
  .strictObject({
    decision: z.enum(DECISION_WORDS).optional(),
    ...decisionFields,
    result: z
      .unknown()
      .refine(
        (value) => value === undefined || bytesOf(JSON.stringify(value)) <= resultBytesMax,
        `at most ${resultBytesMax} bytes of JSON`,
      )
      .optional(),
    error: z.string().min(1).max(errorCharsMax).optional(),
  })
  .refine((input) => SAYS.filter((name) => Object.hasOwn(input, name)).length === 1, {
    path: ['decision'],
    error: 'one of decision, result (of a tool_call) and error (of a tool_call)',
  })
  .refine((input) => input.decision !== undefined || Object.keys(input).every((name) => OF_RESULTS.has(name)), {
    path: ['decision'],
    error: 'what goes with a result is arguments_hash only',
  })
  .refine(needsAnswer.holds, needsAnswer.else)
  .refine((input) => input.decision === undefined || approvesMore.holds(input), approvesMore.else)
export type PendingInput = z.infer<typeof pendingInput>

/** What is said of one of several items. */
export interface PendingAnswer {
  pendingId: string
  input: PendingInput
}

const SAYS = ['decision', 'result', 'error'] as const
const OF_RESULTS: ReadonlySet<string> = new Set(['result', 'error', 'arguments_hash'])

/** The caller's end of a call that it makes: what its tool gave, or why it failed. */
export type CallAnswer = Pick<PendingInput, 'arguments_hash'> & ({ result: unknown } | { error: string })

/** Whether it ends a call that the caller makes; else a human decides. */
export function isCallAnswer(input: PendingInput | DecisionInput): input is CallAnswer {
  return input.decision === undefined
}

/** The word of who holds a link: on the item that it is for, and no further. `pending_id`: where it is for a session. */
export const linkDecision = decisionInput.safeExtend({
  pending_id: z.string().min(1).max(100).optional(),
  remember: z.never({ error: 'a link decides one item only' }).optional(),
})

export const sessionPatch = z.strictObject({
  title: z.string().max(LIMITS.text.titleCharsMax).optional(),
  metadata: z.record(z.string().max(64), z.unknown()).nullable().optional(),
  /** Merged member by member (RFC 7396); the result is what has to fit. */
  config: z.record(z.string(), z.unknown()).nullable().optional(),
})
export type SessionPatch = z.infer<typeof sessionPatch>

const STATUS_SPELLINGS: Record<string, Status> = {
  idle: 'idle',
  inprogress: 'in_progress',
  interrupted: 'interrupted',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  空闲: 'idle',
  进行中: 'in_progress',
  已中断: 'interrupted',
  中断: 'interrupted',
  已完成: 'completed',
  完成: 'completed',
  失败: 'failed',
  已失败: 'failed',
  已取消: 'cancelled',
  取消: 'cancelled',
}

/** A status in any spelling: `InProgress`, `in-progress`, `进行中`. */
export const statusInput = z
  .string()
  .transform((text) => STATUS_SPELLINGS[text.replaceAll(/[-_\s]/g, '').toLowerCase()])
  .pipe(
    z.enum(STATUSES, {
      error: 'a status such as in_progress',
    }),
  )

/** SessionData or AgentResponseData as it came, with at least one user message: the stateless call takes all of their fields. */
export const statelessInput = z.preprocess(
  renamed,
  z.strictObject({
    id: z.string().max(200).optional(),
    object: z.string().optional(),
    title: z
      .string()
      .max(LIMITS.text.titleCharsMax * 10)
      .nullish(),
    start_time: z.string().max(64).nullish(),
    updated_time: z.string().max(64).nullish(),
    character: z.string().max(LIMITS.text.nameCharsMax).nullish(),
    status: statusInput.optional(),
    finish_reason: z.string().max(64).nullish(),
    orchestrator: orchestratorName.nullish(),
    skill: z.string().nullish(),
    user: z.string().nullish(),
    metadata: metadataInput.nullish(),
    config: sessionConfig.optional(),
    messages,
    pending: z.array(z.unknown()).optional(),
    usage: z.unknown().optional(),
    plan: z.unknown().optional(),
    team: z.unknown().optional(),
    last_seq: z.number().optional(),
    etag: z.string().optional(),
    run_id: z.string().nullish(),
    result: z.string().nullish(),
    error: z.unknown().optional(),
    ended_by: z.string().nullish(),
    loop: z.boolean().nullish(),
    skill_result: z.unknown().optional(),
    output_schema: outputSchema,
    client_tools: clientTools.nullish(),
    files: storedFiles().optional(),
  }),
)
export type StatelessInput = z.infer<typeof statelessInput>

const OTHER_NAMES: Record<string, string> = {
  startTime: 'start_time',
  updatedTime: 'updated_time',
  finishReason: 'finish_reason',
  runId: 'run_id',
  lastSeq: 'last_seq',
}

function renamed(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [OTHER_NAMES[key] ?? key, value]))
}
