import { codecFor } from '../../agent/codec.ts'
import { forProtocol } from '../../agent/prompt.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelFailure, ModelRequest, ModelSpec, Protocol } from '../../domain/model.ts'
import type { Journal } from '../../log/journal.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { Reservation } from '../../domain/state.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { branchOf, seqsOf } from '../../log/branches.ts'
import { at, windowBudget } from '../../log/window.ts'
import type { CallReservation, MoveContext } from '../../engine/job.ts'

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
  /** Any reply that calls nothing is the output of this branch; else `ends_by_reply` says which is. */
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

/** The newest prompt, with the tool guide of this protocol. */
export function promptFor(protocol: Protocol, worker: Worker, { log, state }: Journal): string | null {
  const [stored] = at(log, seqsOf(state, worker.scope).promptSeq)
  const { offered: tools, finish, language } = worker
  return stored ? forProtocol(contentText(stored.content, language), { tools, protocol, finish, language }) : null
}

/** Tokens that messages may take in a call of this model here, beside the prompt and the tools. */
export function messageBudget(
  { spec, protocol, prompt }: Pick<Turn, 'spec' | 'protocol'> & { prompt: string | null },
  { offered: tools, language }: Worker,
): number {
  return windowBudget(spec, estimateRequest(codecFor(protocol).encode({ prompt, messages: [], tools, language })))
}

/** What budgets are asked for before the call is made. */
export function holdOf({ messageId, reserved, spec }: Turn): CallReservation {
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
  return (run && branchOf(run, scope).model?.messageId) ?? null
}

/** What a failed model call leaves in the log. */
export function failureEvents({ scope, messageId }: Turn, failure: ModelFailure): NewEvent[] {
  return [
    { type: 'model-end', scope, message_id: messageId, ok: false, failure },
    { type: 'error', scope, code: failure.code, detail: failure.detail },
  ]
}
