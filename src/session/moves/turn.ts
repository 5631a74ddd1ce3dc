import { codecFor } from '../../agent/codec.ts'
import { forProtocol } from '../../agent/prompt.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelFailure, ModelRequest, ModelSpec, Protocol } from '../../domain/model.ts'
import type { Reservation } from '../../domain/state.ts'
import type { Tool } from '../../domain/tool.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { languageFor } from '../engine.ts'
import { offeredTools } from '../offer.ts'
import { scopeOf } from '../state.ts'
import { windowBudget } from '../window.ts'
import type { MoveContext } from './job.ts'

/** All that one call of a model needs. */
export interface Turn {
  spec: ModelSpec
  protocol: Protocol
  tools: readonly Tool[]
  request: ModelRequest
  messageId: string
  scope: string | null
  reserved: Reservation
}

/** What a model with `auto` turned out to speak in this run, else as declared. */
export function protocolOf(spec: ModelSpec, { journal }: MoveContext): Protocol {
  if (spec.protocol !== 'auto') return spec.protocol
  return journal.state.run?.protocol === 'xml' ? 'xml' : 'auto'
}

/** The newest prompt, with the tool guide of this protocol. */
export function promptFor({ protocol, scope }: Pick<Turn, 'protocol' | 'scope'>, context: MoveContext): string | null {
  const { log, state, record } = context.journal
  if (state.promptSeq === 0) return null
  const stored = log.messages({ after: state.promptSeq - 1, before: state.promptSeq + 1, limit: 1 })[0]
  return stored
    ? forProtocol(stored.content, {
        tools: offeredTools(context, scope),
        protocol,
        language: languageFor(context.engine, record),
      })
    : null
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
