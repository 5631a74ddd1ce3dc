import {
  type CallToolResult,
  type ElicitRequest,
  type InputRequests,
  type InputRequiredResult,
  ProtocolError,
} from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import type * as z from 'zod'
import type { ContentInput } from '../../domain/content-input.ts'
import { type AppError, fail, invalid, ok, type Result, STATUS } from '../../domain/errors.ts'
import { type Language, languageOf, languageOfWords } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SkillDefinition } from '../../domain/skill.ts'
import type { PendingAnswer } from '../../domain/session-input.ts'
import { serviceOf } from '../../http/caller.ts'
import { type AppEnv, originOf } from '../../http/context.ts'
import { languageAsked } from '../../http/language.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { isId } from '../../lib/id.ts'
import { checkedBy } from '../../lib/zod.ts'
import { sessionObject } from '../../objects/env.ts'
import { unknownSession } from '../../service/given-out.ts'
import type { WorkflowDefinition } from '../../domain/workflow.ts'
import { allowed } from '../kernel/allowed.ts'
import { addressed, serverLanguage } from '../kernel/names.ts'
import { ownerName } from '../kernel/thread.ts'
import { asWritten, type WrittenAt } from '../kernel/written.ts'
import { rpcFault } from './errors.ts'
import type { RestLine } from './lines.ts'
import { placeToken, readPlace } from './place.ts'
import type { McpView } from './project.ts'
import { formOf, isForHuman, saidIn } from './questions.ts'
import { runResult, type ResultShape, statusResult } from './result.ts'
import { type Answered, decided, followedAgain, type NewRun, ranAnew, type RunClient, runStanding } from './run.ts'
import { RUN_TASK_NAME, runTaskInput, SESSION_STATUS_NAME, sessionStatusInput } from './own-tools.ts'
import { skillOfTool, structureOf, workflowOfTool } from './tools.ts'

/** A call of a tool. */
export interface AskedCall {
  name: string
  args: Readonly<Record<string, unknown>>
  /** What came with a call that is made again: its state, and what people said, by pending item. */
  again: { state: string; responses: Readonly<Record<string, unknown>> } | null
  /** The session of the client, of revisions that have one. */
  mcpSession: string | null
  client: Omit<RunClient, 'view'> & { takesProgress: boolean }
}

/** A result of `tools/call`: of the run, a task that goes on, or what its client is asked. */
export type McpCallResult = CallToolResult | InputRequiredResult

/** How the runs of a tool are shown. */
export interface ToolShape extends ResultShape {
  view: McpView
}

export async function calledTool(c: Context<AppEnv>, call: AskedCall): Promise<McpCallResult> {
  if (call.name === SESSION_STATUS_NAME) return answerOf(c, await statusAsked(c, call))
  const language = callLanguage(c, wordsIn(call.args))
  const skill = call.name === RUN_TASK_NAME ? null : await skillOfTool(c, call.name, language)
  const workflow = skill || call.name === RUN_TASK_NAME ? null : await workflowOfTool(c, call.name, language)
  if (!skill && !workflow && call.name !== RUN_TASK_NAME)
    throw new ProtocolError(UNKNOWN_TOOL, `Unknown tool: ${call.name}`)
  const shape = shapeWith(c, skill, { after: null, language, isSilent: !call.client.takesProgress })
  const client: RunClient = { ...call.client, view: shape.view }
  if (call.again) return answeredAgain(c, call.again, client, shape)
  const run = await (skill
    ? skillRun(c, skill.name, call)
    : workflow
      ? workflowRun(c, workflow, call)
      : taskRun(c, call))
  const answered = run.ok ? await ranAnew(c, { ...run.value, language }, client) : run
  return answered.ok ? toolAnswer(c, answered.value, shape) : refusal(c, asWritten(answered.error, wordsAt(call)))
}

/** Where a call has its words, and what stands beside them. */
function wordsAt({ args: { parts } }: AskedCall): WrittenAt {
  const beside = Array.isArray(parts) ? parts.map((_, index) => `parts.${index}`) : []
  return { whole: 'task', parts: ['task', ...beside], fields: {} }
}

const UNKNOWN_TOOL = -32_602

/** How the runs of a tool are shown to a client that comes back. */
export async function shapeOfTool(c: Context<AppEnv>, tool: string, after: number): Promise<ToolShape> {
  const language = callLanguage(c, '')
  const skill = tool === RUN_TASK_NAME ? null : await skillOfTool(c, tool, language)
  return shapeWith(c, skill, { after, language })
}

function shapeWith(c: Context<AppEnv>, skill: SkillDefinition | null, view: McpView): ToolShape {
  return { ...shapeFor(c, view.language), isAnswerStructure: skill !== null && structureOf(skill) !== null, view }
}

export function shapeFor(c: Context<AppEnv>, language: Language): Pick<ResultShape, 'language' | 'decideAt'> {
  return { language, decideAt: `${originOf(c)}/#/s/` }
}

/** The language of a request: as it asks, else that of its words, else the server's. */
export function callLanguage(c: Context<AppEnv>, words: string): Language {
  const asked = languageAsked(c) ?? languageOfWords(words)
  return asked === null ? serverLanguage(c.env) : languageOf(asked)
}

function wordsIn(args: AskedCall['args']): string {
  return Object.values(args)
    .filter((value) => typeof value === 'string')
    .join('\n')
}

async function taskRun(c: Context<AppEnv>, call: AskedCall): Promise<Result<NewRun>> {
  const input = read(runTaskInput, call.args)
  if (!input.ok) return input
  const { task, agent = 'yaa', session = null, user = null, parts } = input.value
  const addressee = await addressed(c.env, c.get('principal').tenant, agent)
  if (!addressee.ok) return addressee
  const content: ContentInput = parts ? [{ type: 'text', text: task }, ...parts] : task
  const { opens, model } = addressee.value
  const config = model === undefined ? {} : { config: { model } }
  const message = { content, ...config }
  return ok({
    session,
    user,
    hash: await hashOf(c, call),
    message,
    opens: { task: content, ...opens, ...config, ...(user === null ? {} : { user }) },
  })
}

async function skillRun(c: Context<AppEnv>, name: string, call: AskedCall): Promise<Result<NewRun>> {
  const { user_input: words, ...inputs } = call.args
  const input = Object.keys(inputs).length === 0 && typeof words === 'string' && words !== '' ? words : { ...call.args }
  return ok({
    session: null,
    user: null,
    hash: await hashOf(c, call),
    message: null,
    opens: null,
    runs: { name, input },
  })
}

async function workflowRun(c: Context<AppEnv>, workflow: WorkflowDefinition, call: AskedCall): Promise<Result<NewRun>> {
  const { args } = call
  const { inputs: declared, name } = workflow
  const words = declared ? undefined : args['task']
  const task = typeof words === 'string' && words !== '' ? words : JSON.stringify(args)
  const opens = { task, workflow: name, inputs: declared ? { ...args } : {} }
  return ok({ session: null, user: null, hash: await hashOf(c, call), message: { content: task }, opens })
}

function hashOf(c: Context<AppEnv>, { name, args, mcpSession }: AskedCall): Promise<string> {
  const key = c.req.header('idempotency-key')
  return sha256Hex(canonicalJson([ownerName(c.get('principal')), key === undefined ? mcpSession : { key }, name, args]))
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): Result<z.output<Schema>> {
  const checked = checkedBy(schema, value)
  return checked.ok ? ok(checked.value) : invalid(checked.issues, 'The arguments do not fit.')
}

/** A call that comes again with what its user said. */
async function answeredAgain(
  c: Context<AppEnv>,
  { state, responses }: NonNullable<AskedCall['again']>,
  client: RunClient,
  shape: ToolShape,
): Promise<McpCallResult> {
  const place = await readPlace(c, 'state', state)
  if (!place) throw new ProtocolError(UNKNOWN_TOOL, 'Invalid requestState', { reason: 'invalid_request_state' })
  const said = Object.entries(responses).flatMap(([id, response]) =>
    isId('pnd', id) ? [{ id, said: saidIn(response) }] : [],
  )
  const faults = new Map(said.flatMap(({ id, said: one }) => (one.is === 'unclear' ? [[id, one.fault]] : [])))
  const answers: PendingAnswer[] = said.flatMap(({ id, said: one }) =>
    one.is === 'decided' ? [{ pendingId: id, input: one.input }] : [],
  )
  const done = await decided(c, place.session, answers)
  if (!done.ok && !isRedone(done.error)) return refusal(c, done.error)
  if (!done.ok) for (const { pendingId } of answers) faults.set(pendingId, rpcFault(done.error).message)
  const isPutOff = faults.size === 0 && said.length > 0 && answers.length === 0
  const answered = await followedAgain(c, place, isPutOff ? { ...client, asks: null } : client)
  return answered.ok ? toolAnswer(c, answered.value, shape, faults) : refusal(c, answered.error)
}

/** Whether the people who decided are to be asked once more. What was decided meanwhile is not asked any more. */
function isRedone({ code }: AppError): boolean {
  return code === 'invalid_input' || code === 'stale_decision'
}

async function toolAnswer(
  c: Context<AppEnv>,
  answered: Answered,
  shape: ToolShape,
  faults: ReadonlyMap<string, string> = new Map(),
): Promise<McpCallResult> {
  const { place } = answered
  if (answered.is === 'rests') return runResult(answered.rest, place, shape)
  if (answered.is === 'task') return newTask(c, answered, shape)
  return {
    resultType: 'input_required',
    inputRequests: inputRequests(answered.rest, shape.language, faults),
    requestState: await placeToken(c, 'state', place),
  }
}

/** What waits for people, as requests to the client by pending item. */
export function inputRequests(
  { pending }: Pick<RestLine, 'pending'>,
  language: Language,
  faults: ReadonlyMap<string, string> = new Map(),
): InputRequests {
  return Object.fromEntries(
    pending.filter(isForHuman).map((one) => [one.id, elicitation(one, language, faults.get(one.id) ?? null)]),
  )
}

export function elicitation(
  pending: RestLine['pending'][number],
  language: Language,
  fault: string | null = null,
): ElicitRequest {
  return { method: 'elicitation/create', params: { mode: 'form', ...formOf(pending, language, fault) } }
}

async function newTask(
  c: Context<AppEnv>,
  { place, begunTime }: Extract<Answered, { is: 'task' }>,
  { isAnswerStructure }: ToolShape,
): Promise<CallToolResult> {
  const { pollMs, taskMs } = LIMITS.mcpDoor
  return {
    resultType: 'task',
    content: [],
    taskId: await placeToken(c, isAnswerStructure ? 'json' : 'task', place),
    status: 'working',
    createdAt: begunTime,
    lastUpdatedAt: begunTime,
    ttlMs: taskMs,
    pollIntervalMs: pollMs,
  }
}

async function statusAsked(c: Context<AppEnv>, { args }: AskedCall): Promise<Result<McpCallResult>> {
  const input = read(sessionStatusInput, args)
  if (!input.ok) return input
  const { session } = input.value
  const { tenant } = c.get('principal')
  return allowed(c, { scope: 'read', target: session }, async () => {
    const unknown = await unknownSession(serviceOf(c), tenant, session)
    if (unknown) return fail(unknown)
    const object = sessionObject(c.env, tenant, session)
    const [head, newest] = await Promise.all([object.head(), object.newestPart()])
    if (!head.ok) return head
    if (!newest.ok) return newest
    const language = callLanguage(c, head.value.title)
    const place = newest.value && { session, run: newest.value.runId, seq: newest.value.fromSeq ?? 0 }
    const standing = place && (await runStanding(c, place, { after: null, language, isSilent: true }))
    const files = standing?.ok ? (standing.value.rest?.files ?? []) : []
    c.header('x-yaa-session', session)
    if (place) c.header('x-yaa-run', place.run)
    return ok(statusResult(head.value, { run: place?.run ?? null, files }, shapeFor(c, language)))
  })
}

function answerOf(c: Context<AppEnv>, answer: Result<McpCallResult>): McpCallResult {
  return answer.ok ? answer.value : refusal(c, answer.error)
}

/** What the model that called can mend is said to it; anything else is an error of the request. */
function refusal(c: Context<AppEnv>, error: AppError): McpCallResult {
  const status = STATUS[error.code]
  if (status !== 400 && status !== 404 && status !== 409 && status !== 422) throw faultOf(c, error)
  return {
    content: [{ type: 'text', text: rpcFault(error).message }],
    isError: true,
    _meta: { 'yaa/code': error.code },
  }
}

/** An error as the SDK throws it. What a scope is lacking for is noted, because it has a status and a challenge of its own in HTTP. */
export function faultOf(c: Context<AppEnv>, error: AppError): ProtocolError {
  if (error.code === 'forbidden' && error.scope !== undefined) c.set('lacking', error)
  const { code, message, data } = rpcFault(error)
  return new ProtocolError(code, message, data)
}
