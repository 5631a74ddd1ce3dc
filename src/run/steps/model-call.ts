import { withThoughtsBegun } from '../../agent/thinking.ts'
import { addModelCall, costOf } from '../../budget/usage.ts'
import type { NewEvent } from '../../domain/event.ts'
import type {
  ModelCallEnd,
  ModelFailure,
  ModelReply,
  ModelRequest,
  ModelSpec,
  Protocol,
  EncodedRequest,
  ModelChoice,
  Silence,
} from '../../domain/model.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { AnswerStream } from '../../agent/answer-stream.ts'
import type { CallPurpose } from '../../domain/plan.ts'
import type { Reservation } from '../../domain/state.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { LIMITS } from '../../domain/limits.ts'
import { cutReply } from '../../engine/closing.ts'
import { newId } from '../../lib/id.ts'
import { sleep } from '../../lib/wait.ts'
import { finish } from '../../tools/control.ts'
import { branchOf } from '../../log/branches.ts'
import type { Job, Outcome } from '../../engine/job.ts'
import { traceOf } from './request.ts'
import { CallBudgets } from './reservation.ts'

/** What one call of a model is for: all in which a turn of the agent, a planner's answer, a role's choice and a summary differ. */
export interface ModelCallFor extends Pick<
  PreparedCall,
  'scope' | 'tools' | 'endsByReply' | 'outputSchema' | 'mayBeEmpty'
> {
  attempt: number
  /** What is said to a model; in its own protocol, or in the one given. */
  say(spec: ModelSpec, protocol?: Protocol): Pick<PreparedCall, 'protocol' | 'request'>
  /** What watchers hear while the reply is written: its text and the answer in it, its text, or nothing. */
  heard: 'answer' | 'text' | 'nothing'
  /** Whether it counts as an iteration of the run. */
  iterates: boolean
  purpose?: CallPurpose
  /** What the reply changes. A function is asked at the moment in which its outcome is written. */
  settle(heard: Heard, reply: ModelReply): NewEvent[] | Outcome | (() => Outcome) | Promise<NewEvent[]>
}

/** A call of a model, ready to be made. */
export interface PreparedCall {
  spec: ModelSpec
  protocol: Protocol
  tools: readonly Tool[]
  request: ModelRequest
  messageId: string
  scope: string | null
  /** Any reply that calls nothing is the output of this branch; else `ends_by_reply` says which is. */
  endsByReply: boolean
  /** What the output has to fit; null: anything. */
  outputSchema: JsonSchema | null
  /** A reply that says nothing is an output too. */
  mayBeEmpty: boolean
  /** What the service called its answer; absent: nothing, or there is none yet. */
  responseId?: string
  /** It was answered without its images, which the service refused. */
  imagesRefused?: true
}

/** Of a call that offers no tools: whatever it says is its output. */
export const TOOLLESS = { tools: [], endsByReply: true, outputSchema: null, mayBeEmpty: true } as const

/** The call as a model answered it, and the answer in its reply as watchers heard it. */
export interface Heard {
  used: PreparedCall
  answer: AnswerStream
}

/** One call of the model of a branch: prepared and reserved, performed with all tries that it takes, and settled. */
export function modelCall(call: ModelCallFor, choice: ModelChoice, context: MoveContext): Job {
  if (!choice.ok)
    return { begin: [], end: { code: 'unknown_model', detail: choice.issues.map((issue) => issue.message).join('; ') } }
  const prepared = prepare(choice.spec, call, context)
  const isCurrent = () => currentMessageId(context, call.scope) === prepared.messageId
  const budget = new CallBudgets(prepared, isCurrent, context)
  if (budget.refusal) return { begin: [], end: { code: budget.refusal } }
  return {
    begin: beginEvents(prepared, budget.reserved, call, context),
    reservation: budget.reservation,
    isCurrent,
    work: async (signal) => {
      const answered = await context.engine.models.call({
        spec: prepared.spec,
        tenant: context.journal.record.tenant,
        said: hearing(prepared, call, context),
        say: (spec, protocol) => hearing({ ...prepared, spec, ...call.say(spec, protocol) }, call, context),
        attempt: call.attempt,
        silence: silenceIn(call),
        trace: await traceOf(prepared.messageId, context),
        budget,
        signal,
      })
      return settle(answered, call, signal, context)
    },
  }
}

/** What nothing at all is: the model is warned where its next turn can be asked for. */
function silenceIn({ mayBeEmpty, heard }: ModelCallFor): Silence {
  if (mayBeEmpty) return 'output'
  return heard === 'answer' ? 'reply' : 'failure'
}

function prepare(spec: ModelSpec, call: ModelCallFor, { journal }: MoveContext): PreparedCall {
  const { scope, tools, endsByReply, outputSchema, mayBeEmpty } = call
  const messageId = newId('msg', journal.now())
  return { spec, ...call.say(spec), tools, scope, endsByReply, outputSchema, mayBeEmpty, messageId }
}

/** The message that the model call under way in a scope will write; null: none is. */
function currentMessageId({ journal }: MoveContext, scope: string | null): string | null {
  const { run } = journal.state
  return (run && branchOf(run, scope).model?.messageId) ?? null
}

function beginEvents(
  { spec, messageId, scope }: PreparedCall,
  reserved: Reservation,
  { attempt, iterates, purpose }: ModelCallFor,
  { journal }: MoveContext,
): NewEvent[] {
  const { run } = journal.state
  const started: NewEvent = {
    type: 'model-start',
    scope,
    message_id: messageId,
    model: spec.alias,
    attempt,
    reserved_tokens: reserved.tokens,
    reserved_cost: reserved.cost,
    ...(purpose ? { purpose } : {}),
  }
  if (!run || !iterates || attempt > 1) return [started]
  const open = branchOf(run, scope).iterationOpen
  const ended: NewEvent[] = open > 0 ? [{ type: 'iteration-end', iteration: open, scope }] : []
  return [...ended, { type: 'iteration-start', iteration: run.iterations + 1, model: spec.alias, scope }, started]
}

/** What is said to one model, and whoever watches: they hear the reply, and the answer in it, as they are written. */
function hearing(used: PreparedCall, { heard }: ModelCallFor, { journal }: MoveContext): EncodedRequest & Heard {
  const { messageId: message_id, protocol, request, scope } = used
  journal.tellRequest(message_id, request)
  const answer = new AnswerStream({
    tools: heard === 'answer' ? callable(used) : [],
    tool: finish,
    parameter: 'reason',
    protocol,
    newCallId: () => newId('call', journal.now()),
    emit: (call_id, delta) => journal.delta({ type: 'answer-delta', message_id, call_id, delta }, scope),
  })
  return {
    used,
    answer,
    protocol,
    request,
    observer: {
      onDelta: (kind, delta) => {
        if (heard === 'nothing') return false
        journal.delta({ type: kind === 'content' ? 'message-delta' : 'reasoning-delta', message_id, delta }, scope)
        if (kind === 'content') answer.content(delta)
        return true
      },
      onArguments: (piece) => heard === 'answer' && answer.arguments(piece),
    },
  }
}

/** Tools that a reply may call: those offered, and `finish` wherever the reply may be the output. */
export function callable({ tools, endsByReply }: Pick<PreparedCall, 'tools' | 'endsByReply'>): readonly Tool[] {
  return !endsByReply || tools.includes(finish) ? tools : [...tools, finish]
}

async function settle(
  { said, outcome, againMs }: ModelCallEnd<EncodedRequest & Heard>,
  call: ModelCallFor,
  signal: AbortSignal,
  { journal }: MoveContext,
): Promise<NewEvent[] | Outcome | (() => Outcome)> {
  if (signal.aborted) return []
  if (outcome.ok) {
    const { reply } = outcome
    return call.settle(answeredAs(said, outcome.id), { ...reply, content: withThoughtsBegun(reply.content) })
  }
  const { failure } = outcome
  if (againMs === null) return [...cutReply(journal, call.scope), ...failureEvents(said.used, failure)]
  await sleep(againMs, signal).catch(() => {})
  // The call stays open in the log, as one that a crash cut does: it is made again, under another message id.
  return [{ type: 'error', scope: call.scope, code: failure.code, detail: failure.detail }]
}

/** The call with what the service called its answer. */
function answeredAs({ used, answer, imagesRefused }: EncodedRequest & Heard, responseId: string | undefined): Heard {
  const more = {
    ...(responseId === undefined ? {} : { responseId }),
    ...(imagesRefused ? { imagesRefused } : {}),
  }
  return { used: { ...used, ...more }, answer }
}

/** What a failed model call leaves in the log. */
export function failureEvents({ scope, messageId }: PreparedCall, failure: ModelFailure): NewEvent[] {
  return [
    { type: 'model-end', scope, message_id: messageId, ok: false, failure },
    { type: 'error', scope, code: failure.code, detail: failure.detail },
  ]
}

type EndEvent = Extract<NewEvent, { type: 'model-end'; ok: true }>
type About = Pick<EndEvent, 'protocol' | 'problem' | 'call_problems' | 'dropped_calls' | 'unseen_calls'>

/** What an answered call leaves in the log beside its message: that it ended, by whom, and what was spent. `about`: what there is
 *  to be said of its reply; nothing of one that holds no calls. */
export function settledEvents(
  { spec, scope, messageId, protocol, responseId, imagesRefused }: PreparedCall,
  reply: ModelReply,
  { journal: { state } }: MoveContext,
  about: Partial<About> = {},
): NewEvent[] {
  const { alias, price } = spec
  const cost = price && costOf(reply.usage, price)
  const usage = addModelCall(state.run?.usage ?? state.usage, reply.usage, cost, alias)
  return [
    {
      type: 'model-end',
      scope,
      message_id: messageId,
      ok: true,
      model: alias,
      cost,
      spent: reply.usage,
      protocol,
      problem: null,
      call_problems: {},
      dropped_calls: 0,
      ...(responseId === undefined ? {} : { response_id: responseId }),
      ...(reply.stopReason === null ? {} : { finish_reason: reply.stopReason.slice(0, LIMITS.model.responseIdChars) }),
      ...(imagesRefused ? { images_refused: true as const } : {}),
      ...about,
    },
    ...(imagesRefused ? [imagesError(spec, scope)] : []),
    { type: 'usage', usage, scope },
  ]
}

/** Said once: the model is not shown these images again. */
function imagesError({ alias }: ModelSpec, scope: string | null): NewEvent {
  const detail = `The service of the model ${alias} refused the images, or one of them. It is told their names, types and sizes instead.`
  return { type: 'error', scope, code: 'images_refused', detail }
}
