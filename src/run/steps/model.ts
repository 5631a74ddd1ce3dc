import type { NamedCall } from '../../agent/answer-stream.ts'
import { codecFor } from '../../agent/codec.ts'
import type { Decoded } from '../../agent/codec-shapes.ts'
import type { NewEvent, Problem } from '../../domain/event.ts'
import type { ModelReply, ModelRequest, Protocol } from '../../domain/model.ts'
import type { Move } from '../../engine/move.ts'
import { unseenCalls } from '../provenance/taint.ts'
import { seqsOf } from '../../log/branches.ts'
import { branchWindowOf, windowOf } from '../../log/window.ts'
import type { Job, MoveContext } from '../../engine/job.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { type Heard, modelCall } from './model-call.ts'
import { isOutput, readReply } from './reply.ts'
import { settledEvents } from './settled.ts'
import { messageBudget, promptFor, protocolOf, type Turn } from './turn.ts'

type ModelMove = Extract<Move, { type: 'call-model' }>

/** The next turn of a branch, from the window that its model sees to the reply that it gave. */
export function modelJob({ scope, attempt }: ModelMove, worker: Worker, context: MoveContext): Job {
  const { offered: tools, endsByReply, outputSchema, mayBeEmpty } = worker
  return modelCall(
    {
      scope,
      attempt,
      tools,
      endsByReply,
      outputSchema,
      mayBeEmpty,
      heard: 'answer',
      iterates: true,
      say: (spec, protocol = protocolOf(spec, context)) => ({
        protocol,
        request: requestFor({ spec, protocol }, worker, context),
      }),
      settle: (heard, reply) => replyEvents(heard, reply, worker, context),
    },
    worker.choice,
    context,
  )
}

function requestFor(
  { spec, protocol }: Pick<Turn, 'spec' | 'protocol'>,
  worker: Worker,
  { journal }: MoveContext,
): ModelRequest {
  const { log, state } = journal
  const { scope, offered: tools, language, endsByReply, outputSchema } = worker
  const prompt = promptFor(protocol, worker, journal)
  const budget = messageBudget({ spec, protocol, prompt }, worker)
  const messages =
    scope === null ? windowOf(log, state, budget) : branchWindowOf(log, scope, seqsOf(state, scope).taskSeq, budget)
  const encoded = codecFor(protocol).encode({ prompt, messages, tools, language })
  return endsByReply && outputSchema ? { ...encoded, outputSchema } : encoded
}

function replyEvents(
  { used: turn, answer }: Heard,
  reply: ModelReply,
  { language }: Worker,
  context: MoveContext,
): NewEvent[] {
  const { journal, engine } = context
  const decoded = readReply(turn, reply, language, context)
  const calls: readonly NamedCall[] = answer.settle(decoded.calls)
  const unseen = unseenCalls(calls, journal, engine)
  return [
    journal.messageEvent(
      {
        id: turn.messageId,
        role: 'assistant',
        kind: 'reply',
        content: decoded.content,
        scope: turn.scope,
        ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
        ...(calls.length > 0
          ? { tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })) }
          : {}),
      },
      isOutput(decoded) ? { is_output: true } : {},
    ),
    ...settledEvents(turn, reply, context, {
      protocol: spokenProtocol(turn, decoded),
      problem: decoded.problem,
      call_problems: Object.fromEntries(
        calls.flatMap((call): [string, Problem][] => (call.problem ? [[call.id, call.problem]] : [])),
      ),
      dropped_calls: decoded.dropped,
      ...(unseen.length > 0 ? { unseen_calls: unseen } : {}),
    }),
  ]
}

/** A model that was given `tools` and wrote its call as text is spoken to in text from here on. */
function spokenProtocol(turn: Turn, decoded: Decoded): Protocol {
  return turn.protocol === 'auto' && decoded.form === 'text' ? 'xml' : turn.protocol
}
