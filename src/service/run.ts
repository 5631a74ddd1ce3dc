import type { Scope } from '../domain/access.ts'
import type { AuditFact } from '../domain/audit.ts'
import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  type ContinueInput,
  isCallAnswer,
  type NewMessageInput,
  type NewSession,
  type PendingAnswer,
} from '../domain/session-input.ts'
import { type Jurisdiction, jurisdictionOf, type Place } from '../domain/place.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import { canonicalJson, sha256Hex } from '../lib/hash.ts'
import type { CallOptions, RunAnswer, SessionText, Superseded } from '../session/call.ts'
import type { WhenBusy } from '../domain/run.ts'
import type { NamedRun } from '../session/commands/skill.ts'
import { type Act, type AuditRecord, doneFact, type Note, recorded } from './audit.ts'
import { accountOfCaller, answererOf, type Caller, deciderOf, exceedsLink, lacks } from './caller.ts'
import { unknownSession } from './given-out.ts'
import { type IdempotencyKey, type SessionKey, sessionKey } from './idempotency.ts'
import { leased, withinQuota } from './limits.ts'
import { SessionIds } from './session-ids.ts'
import type { ServicePorts } from './ports.ts'

/** What can be asked of a session. `language`: in which the request asks to be answered. `whenBusy`: what becomes of a task while a run of the session is going; by default it is refused. */
export type Command =
  | { type: 'create'; input: NewSession; whenBusy?: WhenBusy }
  /** Make a session that runs a skill. */
  | { type: 'run_skill'; input: NamedRun }
  /** Make a session from an exported document. */
  | { type: 'import'; document: ReadableStream<Uint8Array>; keepConfig: boolean }
  /** Make a session with the log of another up to a seq; null: all of it. */
  | { type: 'fork'; from: string; atSeq: number | null }
  /** `answers`: what is said of what waits before it; all of it holds, or none. */
  | {
      type: 'message'
      input: NewMessageInput
      answers?: readonly PendingAnswer[]
      whenBusy?: WhenBusy | undefined
      language?: string | undefined
    }
  | { type: 'continue'; input: ContinueInput }
  /** A human's decision, or the result of a call that the caller makes. `also`: what is said of other items at once; all of it holds, or none. */
  | ({ type: 'decide'; also?: readonly PendingAnswer[] } & PendingAnswer)
  | { type: 'cancel' }
  | { type: 'team_message'; input: TeamMessageInput; language?: string | undefined }
  | { type: 'cancel_task'; task: string }
  | { type: 'retry_task'; task: string }
  | { type: 'retry_step'; step: string }

export type CommandType = Command['type']
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>

interface Rules {
  scope: Scope
  /** Another that is enough for some of what the command can be; which one it needs is known when it was read. */
  or?: Scope
  /** For the audit. */
  action: string
  /** Takes a place among the sessions in progress that the key may have. */
  runs?: true
  /** Makes a session. */
  makes?: true
}

/** What each command asks of its caller. */
export const COMMANDS: Readonly<Record<CommandType, Rules>> = {
  create: { scope: 'run', action: 'session.create', makes: true, runs: true },
  run_skill: { scope: 'run', action: 'skill.run', makes: true, runs: true },
  import: { scope: 'run', action: 'session.import', makes: true },
  fork: { scope: 'run', action: 'session.fork', makes: true },
  message: { scope: 'run', action: 'session.message', runs: true },
  continue: { scope: 'run', action: 'session.continue', runs: true },
  decide: { scope: 'decide', or: 'run', action: 'session.decide' },
  cancel: { scope: 'run', action: 'session.cancel' },
  team_message: { scope: 'run', action: 'team.message', runs: true },
  cancel_task: { scope: 'run', action: 'task.cancel' },
  retry_task: { scope: 'run', action: 'task.retry', runs: true },
  retry_step: { scope: 'run', action: 'step.retry', runs: true },
}

/** What a door asks for. */
export interface Order<T extends CommandType> {
  type: T
  /** The session that it is for; of a command that makes one, null: it gets an id here. */
  sessionId: string | null
  /** What is acted upon, for the audit; absent: the session. */
  target?: string | null
  idempotency: IdempotencyKey | null
  /** Read when the caller may, and its key is taken. */
  read: () => Promise<Result<CommandOf<T>>>
  form: CallOptions['form']
  /** Of a stream. */
  view?: CallOptions['view']
  /** Of a trigger. */
  triggered?: CallOptions['triggered']
  /** Of a door whose threads are sessions. */
  thread?: CallOptions['thread']
  /** The status that a good answer has, for the audit: of what is done, and of what is begun; null: none, as of a frame. Absent: the door tells
   *  the audit. */
  status?: { good: number; begun: number } | null
}

/** What was done. */
export interface CommandOutcome<T extends CommandType = CommandType> {
  command: CommandOf<T>
  /** The session that it was for, or that was made. */
  sessionId: string
  answer: RunAnswer | SessionText
  replayed: boolean
}

/** Does what a door asks for a caller. Every rule stands here, in its order: scope, the session, idempotency, the input, lease; and on
 *  record. */
export async function run<T extends CommandType>(
  ports: ServicePorts,
  caller: Caller,
  order: Order<T>,
): Promise<Result<CommandOutcome<T>>> {
  const { principal } = caller
  const { scope, or, action, makes } = COMMANDS[order.type]
  const about = { action, target: order.target ?? (makes ? null : order.sessionId) }
  const record: AuditRecord<CommandOutcome<T>> = order.status === undefined ? { at: 'never' } : { at: 'session' }
  return recorded(ports, caller, about, record, async (note) => {
    const lacking = lacks(principal, scope)
    // Who may do one thing of two asks for that one, or for nothing.
    const asked = lacking && or !== undefined && !lacks(principal, or) ? await order.read() : null
    if (lacking && (!asked?.ok || lacks(principal, scopeOf(asked.value)))) return fail(lacking)
    const unknown = makes ? null : await unknownSession(ports, principal.tenant, order.sessionId ?? '')
    if (unknown) return fail(unknown)
    const key = await sessionKey(caller, order.idempotency)
    if (!key.ok) return key
    const read = asked ?? (await order.read())
    if (!read.ok) return (await isReused(ports, caller, order, key.value)) ? REUSED : read
    const unfit = lacks(principal, scopeOf(read.value))
    if (unfit) return fail(unfit)
    return done(ports, caller, { order, key: key.value, note }, read.value)
  })
}

/** What a command asks of its caller, whatever else it could be. */
function scopeOf(command: Command): Scope {
  const { scope, or = scope } = COMMANDS[command.type]
  const isDecision = answersIn(command).some(({ input }) => !isCallAnswer(input))
  if (command.type === 'message') return isDecision ? COMMANDS.decide.scope : scope
  return command.type === 'decide' && !isDecision ? or : scope
}

function answersIn(command: Command): readonly PendingAnswer[] {
  if (command.type === 'message') return command.answers ?? []
  if (command.type !== 'decide') return []
  const { pendingId, input, also = [] } = command
  return [{ pendingId, input }, ...also]
}

/** What `run` knows of an order when it has its command. */
interface Accepted<T extends CommandType> {
  order: Order<T>
  key: SessionKey
  note: Note
}

/** Gives a command that was read to its session: of one that makes a session, to the one that its key makes by now. */
async function done<T extends CommandType>(
  ports: ServicePorts,
  caller: Caller,
  { order, key, note }: Accepted<T>,
  given: CommandOf<T>,
): Promise<Result<CommandOutcome<T>>> {
  const { tenant } = caller.principal
  const { command, within, locationHint } = placed(ports, given)
  const elsewhere = command.type === 'fork' ? await unknownSession(ports, tenant, command.from) : null
  if (elsewhere) return fail(elsewhere)
  const exceeding = exceededBy(caller, answersIn(command))
  const ids = new SessionIds(ports, tenant, order, { key, within })
  let generation = command.type === 'import' || command.type === 'fork' ? await ids.latest() : 0
  for (;;) {
    const id = await ids.of(generation)
    const target = order.target ?? id
    const details = order.status === undefined ? {} : await detailsOf(command, order, id)
    note({ target, details })
    if (exceeding) return fail(exceeding)
    const act =
      order.status === undefined
        ? {}
        : { act: factOf(caller, { action: COMMANDS[order.type].action, target, details }, command, order) }
    const options = { ...optionsOf(caller, order), ...key, ...act, ...(ids.areKeyed ? { generation } : {}) }
    const make = () => perform(ports, { tenant, id, locationHint }, command, options)
    const isKnown = async () => key.key !== undefined && (await ports.session(tenant, id).keyStand(key)) !== 'free'
    const work = () => (COMMANDS[order.type].makes ? withinQuota(ports, tenant, id, { isKnown, make }) : make())
    const answered = startsRun(command) ? await leased(ports, caller.principal, id, work) : await work()
    if (!answered.ok) return answered
    const answer = answered.value
    if (!('generation' in answer)) {
      if (generation > 1) await ids.note(generation)
      return ok({ command: given, sessionId: id, answer, replayed: answer.replayed === true })
    }
    generation = answer.generation
  }
}

function exceededBy(caller: Caller, answers: readonly PendingAnswer[]): AppError | null {
  for (const answer of answers) {
    const exceeding = exceedsLink(caller, answer)
    if (exceeding) return exceeding
  }
  return null
}

const REUSED = fail({ code: 'idempotency_key_reused' })

/** Whether its key was given to another request: that is said before what is wrong with this one. */
async function isReused(
  ports: ServicePorts,
  { principal: { tenant } }: Caller,
  order: Pick<Order<CommandType>, 'sessionId'>,
  key: SessionKey,
): Promise<boolean> {
  if (key.key === undefined || key.fingerprint === undefined) return false
  const ids = new SessionIds(ports, tenant, order, { key, within: ports.place?.jurisdiction })
  const id = await ids.of(await ids.latest())
  return (await ports.session(tenant, id).keyStand(key)) === 'other'
}

/** A command with where its session is. One that is made in a jurisdiction of its own has it in its id, whatever the server's is; a fork
 *  stays where its origin is. */
function placed({ place }: Pick<ServicePorts, 'place'>, command: Command): Placed {
  const within = place?.jurisdiction
  if (command.type === 'fork') return { command, within: place ? jurisdictionOf(command.from) : null }
  if (command.type !== 'create') return { command, within }
  const { place: asked, ...input } = command.input
  if (place === null) return { command: { ...command, input }, within }
  const whole = { ...place, ...asked }
  const { jurisdiction, location_hint: locationHint } = whole
  return { command: { ...command, input: { ...input, place: whole } }, within: jurisdiction, locationHint }
}

interface Placed {
  command: Command
  within: Jurisdiction | null | undefined
  locationHint?: Place['location_hint']
}

/** How a session is to answer, and for whom. */
function optionsOf(
  { principal, payer, origin }: Caller,
  { form, view, triggered, thread }: Pick<Order<CommandType>, 'form' | 'view' | 'triggered' | 'thread'>,
): CallOptions {
  const decider = deciderOf(principal)
  const answerer = answererOf(principal)
  return {
    form,
    view,
    ...(payer === undefined ? {} : { payer }),
    ...(origin ? { origin } : {}),
    ...(principal.kind === 'key' || principal.kind === 'jwt' ? { by: accountOfCaller(principal) } : {}),
    ...(decider ? { decider } : {}),
    ...(answerer ? { answerer } : {}),
    ...(triggered ? { triggered } : {}),
    ...(thread ? { thread } : {}),
  }
}

/** A fork is copied within the server, secrets of its config included; it may be larger than what clients send. */
const FORK_BYTES_MAX = 4 * LIMITS.http.importBytesMax

/** What its session is to keep of a command, with its effect. */
function factOf(
  { principal, requestId }: Caller,
  about: Pick<Act, 'action' | 'target' | 'details'>,
  command: Command,
  { form, status }: Pick<Order<CommandType>, 'form' | 'status'>,
): AuditFact {
  const mayBegin = startsRun(command) || command.type === 'decide' || command.type === 'cancel_task'
  const answered = form === 'background' && mayBegin ? status?.begun : status?.good
  return doneFact(principal, { ...about, requestId }, answered ?? null)
}

/** Whether a command starts a run: a new session does if it has a task. */
function startsRun(command: Command): boolean {
  return COMMANDS[command.type].runs === true && (command.type !== 'create' || command.input.task !== undefined)
}

/** What the audit is told of a command beside what it acts upon: the id of what is made out of that; hashes stand for arguments and words. */
async function detailsOf(
  command: Command,
  { target }: Pick<Order<CommandType>, 'target'>,
  sessionId: string,
): Promise<Record<string, unknown>> {
  if (COMMANDS[command.type].makes && target !== undefined) return { made: sessionId }
  if (command.type === 'cancel_task' || command.type === 'retry_task') return { task: command.task }
  if (command.type === 'retry_step') return { step: command.step }
  if (command.type !== 'decide') return {}
  const { also } = command
  const others = also && also.length > 0 ? { also: also.map(({ pendingId }) => pendingId) } : {}
  if (isCallAnswer(command.input))
    return { pending_id: command.pendingId, answered: 'error' in command.input ? 'error' : 'result', ...others }
  const { decision, arguments: edited, remember } = command.input
  const editedHash = edited && (await sha256Hex(canonicalJson(edited)))
  return {
    pending_id: command.pendingId,
    decision,
    ...(editedHash ? { edited_arguments_hash: editedHash } : {}),
    ...(remember ? { remember } : {}),
    ...others,
  }
}

/** Gives a command to its session. */
async function perform(
  ports: Pick<ServicePorts, 'session'>,
  { tenant, id, locationHint }: { tenant: string; id: string; locationHint: Place['location_hint'] | undefined },
  command: Command,
  options: CallOptions,
): Promise<Result<RunAnswer | SessionText | Superseded>> {
  const session = ports.session(tenant, id, locationHint)
  const { key, fingerprint, generation, act } = options
  const named = { key, fingerprint, act }
  switch (command.type) {
    case 'create':
      return session.create(id, tenant, command.input, { ...options, whenBusy: command.whenBusy ?? 'reject' })
    case 'run_skill':
      return session.runSkill(id, tenant, command.input, options)
    case 'import':
      return session.import(id, tenant, command.document, {
        ...named,
        generation,
        bytesMax: LIMITS.http.importBytesMax,
        keepConfig: command.keepConfig,
      })
    case 'fork': {
      const exported = await ports.session(tenant, command.from).export(command.atSeq, true)
      if (!exported.ok) return exported
      return session.import(id, tenant, exported.value, {
        ...named,
        generation,
        bytesMax: FORK_BYTES_MAX,
        keepConfig: true,
      })
    }
    case 'message':
      return command.answers && command.answers.length > 0
        ? session.answerAndSay(command.answers, command.input, options)
        : session.addMessage(command.input, {
            ...options,
            whenBusy: command.whenBusy ?? 'reject',
            language: command.language,
          })
    case 'continue':
      return session.continue(command.input, options)
    case 'decide':
      return command.also && command.also.length > 0
        ? session.decideAll(answersIn(command), options)
        : session.decide(command.pendingId, command.input, options)
    case 'cancel':
      return session.cancel(named)
    case 'team_message':
      return session.sendTeamMessage(command.input, { ...options, language: command.language })
    case 'cancel_task':
      return session.task(command.task, 'cancel', options)
    case 'retry_task':
      return session.task(command.task, 'retry', options)
    case 'retry_step':
      return session.retryStep(command.step, options)
  }
}
