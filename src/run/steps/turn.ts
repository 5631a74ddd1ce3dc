import { codecFor } from '../../agent/codec.ts'
import { forProtocol } from '../../agent/prompt.ts'
import { endsByReply } from '../../domain/assignment.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelFailure, ModelRequest, ModelSpec, Protocol } from '../../domain/model.ts'
import type { Reservation } from '../../domain/state.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { assignmentOf, modelOf } from '../worker/assignment.ts'
import { languageFor } from '../engine.ts'
import { offeredTools } from '../worker/offer.ts'
import { scopeOf, seqsOf } from '../../log/branches.ts'
import { at, windowBudget } from '../../log/window.ts'
import type { ModelHold, MoveContext } from '../job.ts'

/** All that one call of a model needs. */
export interface Turn {
  spec: ModelSpec
  protocol: Protocol
  tools: readonly Tool[]
  request: ModelRequest
  messageId: string
  scope: string | null
  reserved: Reservation
  /** Times that it was tried again after a failure that may have been billed. */
  tries: { repeated: number }
  /** Any reply that calls nothing is the output of this line of work; else `ends_by_reply` says which is. */
  endsByReply: boolean
  /** What the output has to fit; null: anything. */
  outputSchema: JsonSchema | null
  /** A reply that says nothing is an output too. */
  mayBeEmpty: boolean
}

/** What a model with `auto` turned out to speak in this run, else as declared. */
export function protocolOf(spec: ModelSpec, { journal }: MoveContext): Protocol {
  if (spec.protocol !== 'auto') return spec.protocol
  return journal.state.run?.protocol === 'xml' ? 'xml' : 'auto'
}

/** The same of a line of work. One whose model is not there any more speaks none of its own. */
export function protocolFor(scope: string | null, context: MoveContext): Protocol {
  const choice = modelOf(context, scope)
  return choice.ok ? protocolOf(choice.spec, context) : 'auto'
}

/** The newest prompt, with the tool guide of this protocol. */
export function promptFor({ protocol, scope }: Pick<Turn, 'protocol' | 'scope'>, context: MoveContext): string | null {
  const { log, state, record } = context.journal
  const [stored] = at(log, seqsOf(state, scope).promptSeq)
  return stored
    ? forProtocol(stored.content, {
        tools: offeredTools(context, scope),
        protocol,
        finish: assignmentOf({ engine: context.engine, record, run: state.run }, scope).finish,
        language: languageFor(context.engine, record),
      })
    : null
}

/** How the output of a line of work may come in the next reply, and what it has to fit. */
export function outputOf(
  { engine, journal }: MoveContext,
  scope: string | null,
): Pick<Turn, 'endsByReply' | 'outputSchema' | 'mayBeEmpty'> {
  const { record, state } = journal
  const assignment = assignmentOf({ engine, record, run: state.run }, scope)
  const byReply = state.run !== null && endsByReply(scopeOf(state.run, scope), assignment)
  return { endsByReply: byReply, outputSchema: assignment.outputSchema, mayBeEmpty: assignment.mayBeEmpty }
}

/** Tokens that messages may take in a call of this model here, beside the prompt and the tools. */
export function messageBudget(
  { spec, protocol, scope, prompt }: Pick<Turn, 'spec' | 'protocol' | 'scope'> & { prompt: string | null },
  context: MoveContext,
): number {
  const empty = codecFor(protocol).encode({
    prompt,
    messages: [],
    tools: offeredTools(context, scope),
    language: languageFor(context.engine, context.journal.record),
  })
  return windowBudget(spec, estimateRequest(empty))
}

/** What budgets are asked for before the call is made. */
export function holdOf({ messageId, reserved, spec }: Turn): ModelHold {
  return { id: messageId, reserved, specs: [spec, ...spec.fallbacks] }
}

export function startedEvent({ spec, messageId, scope, reserved }: Turn, attempt: number): NewEvent {
  return {
    type: 'model-start',
    scope,
    message_id: messageId,
    model: spec.alias,
    attempt,
    reserved_tokens: reserved.tokens,
    reserved_cost: reserved.cost,
  }
}

/** The message that the model call under way in a scope will write; null: none is. */
export function currentMessageId({ journal }: MoveContext, scope: string | null): string | null {
  const { run } = journal.state
  return (run && scopeOf(run, scope).model?.messageId) ?? null
}

/** What a failed model call leaves in the log. */
export function failureEvents({ scope, messageId }: Turn, failure: ModelFailure): NewEvent[] {
  return [
    { type: 'model-end', scope, message_id: messageId, ok: false, failure },
    { type: 'error', scope, code: failure.code, detail: failure.detail },
  ]
}
