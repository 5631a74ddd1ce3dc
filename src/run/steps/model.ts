import type { NamedCall } from '../../agent/answer-stream.ts'
import { saidInReply } from '../../agent/text-calls.ts'
import type { Decoded } from '../../agent/decode.ts'
import type { NewEvent, Problem } from '../../domain/event.ts'
import type { ToolCall } from '../../domain/message.ts'
import type { ModelReply, Protocol } from '../../domain/model.ts'
import type { MoveOf } from '../../engine/move.ts'
import { unseenCalls } from '../provenance/taint.ts'
import type { Job } from '../../engine/job.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { type Heard, modelCall, type PreparedCall, settledEvents } from './model-call.ts'
import { promptMisfit } from './prompt-fit.ts'
import { finish } from '../../tools/control.ts'
import { decodeWeakReply, fitsOutput, isOutput, readReply } from './reply.ts'
import { protocolOf, requestFor } from './request.ts'

type ModelMove = MoveOf<'call-model'>

/** The next turn of a branch, from the window that its model sees to the reply that it gave. */
export function modelJob({ scope, attempt }: ModelMove, worker: Worker, context: MoveContext): Job {
  const misfit = promptMisfit(worker, context)
  if (misfit) return { begin: [], end: misfit }
  const { known: tools, endsByReply, outputSchema, mayBeEmpty } = worker
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
      settle: async (heard, reply) => {
        const decoded = await decodeWeakReply(heard.used, reply, worker.language, context)
        return replyEvents(heard, reply, decoded, context)
      },
    },
    worker.choice,
    context,
  )
}

async function replyEvents(
  { used, answer }: Heard,
  reply: ModelReply,
  found: Decoded,
  context: MoveContext,
): Promise<NewEvent[]> {
  const { journal } = context
  const decoded = readReply(used, found, context)
  const calls: readonly NamedCall[] = answer.settle(decoded.calls)
  const unseen = (await unseenCalls(calls, context)) ?? []
  return [
    journal.messageEvent(
      {
        id: used.messageId,
        role: 'assistant',
        kind: 'reply',
        content: decoded.content,
        scope: used.scope,
        ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
        ...(calls.length > 0 ? { tool_calls: calls.map((call) => storedCall(call, used)) } : {}),
        ...(isRejected(decoded) ? { rejected: true } : {}),
      },
      isOutput(decoded) ? { is_output: true } : wordsOf(decoded, used),
    ),
    ...settledEvents(used, reply, context, {
      protocol: spokenProtocol(used, decoded),
      problem: decoded.problem,
      call_problems: Object.fromEntries(
        calls.flatMap((call): [string, Problem][] => (call.problem ? [[call.id, call.problem]] : [])),
      ),
      dropped_calls: decoded.dropped,
      ...(unseen.length > 0 ? { unseen_calls: unseen } : {}),
    }),
  ]
}

/** A call as the log has it: of a tool of the caller under the caller's name. */
function storedCall({ id, name, arguments: args }: NamedCall, { tools }: PreparedCall): ToolCall {
  const own = tools.find((tool) => tool.id === name)?.client
  if (own === undefined) return { id, name, arguments: args }
  return { id, name: own, arguments: args, client: true, ...(own === name ? {} : { offered_as: name }) }
}

/** Whether what watchers heard of a reply as an answer is none: its text, or what it gave to `finish`. */
function isRejected({ content, calls, problem }: Decoded): boolean {
  if (calls.length === 0) return problem !== null && content.trim() !== ''
  return calls.some((call) => call.toolId === finish.id && call.problem !== null)
}

/** The words of a reply that is not the output, where they could be. */
function wordsOf({ problem, content, calls }: Decoded, { outputSchema }: PreparedCall): { words?: 'reply' | 'beside' } {
  const words = saidInReply(content, calls, [finish])
  if (words === '' || !fitsOutput(words, outputSchema)) return {}
  return { words: problem?.code === 'no_tool_called' ? 'reply' : 'beside' }
}

/** A model that was given `tools` and wrote its call as text is spoken to in text from here on. */
function spokenProtocol(used: PreparedCall, decoded: Decoded): Protocol {
  return used.protocol === 'auto' && decoded.form === 'text' ? 'xml' : used.protocol
}
