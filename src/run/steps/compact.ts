import { compactRequest, summaryContent } from '../../agent/compact.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply, ModelRequest, ModelSpec } from '../../domain/model.ts'
import { modelFailure } from '../../models/failure.ts'
import type { MoveOf } from '../../engine/move.ts'
import type { Language } from '../../domain/language.ts'
import type { Journal } from '../../log/journal.ts'
import { type Worker, workerOf } from '../../engine/worker/worker.ts'
import { at, type Folding, foldingOf, isLong, keptTokens, leastBudget } from '../../log/window.ts'
import { failureEvents, modelCall, type PreparedCall, settledEvents, TOOLLESS } from './model-call.ts'
import type { Job } from '../../engine/job.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { messageBudget, promptFor, protocolOf } from './request.ts'

/** Whether the window is over what the model takes, or was said to be, and something of it can be folded away. */
export function mustCompact(context: MoveContext): boolean {
  const { journal } = context
  const { run, window } = journal.state
  const worker = workerOf(context, null)
  const { choice } = worker
  if (!run || !choice.ok) return false
  const mustFold = run.overflowed || isLong(journal.log, journal.state)
  if (!mustFold && window.tokens <= leastBudget(choice.spec)) return false
  const budget = budgetOf(choice.spec, worker, context)
  return (mustFold || window.tokens > budget) && foldingOf(journal.log, journal.state, budget).folded.length > 0
}

function budgetOf(spec: ModelSpec, worker: Worker, context: MoveContext): number {
  const protocol = protocolOf(spec, context)
  return messageBudget({ spec, protocol, prompt: promptFor(protocol, worker, context.journal) }, worker)
}

/** One model call that summarises what is older than the newest turns; its message takes their place in the window. */
export function compactJob({ scope, attempt }: MoveOf<'compact'>, worker: Worker, context: MoveContext): Job {
  const { journal } = context
  const { choice, language } = worker
  const budget = choice.ok ? budgetOf(choice.spec, worker, context) : 0
  const known = foldingOf(journal.log, journal.state, budget)
  return modelCall(
    {
      ...TOOLLESS,
      scope,
      attempt,
      mayBeEmpty: false,
      heard: 'nothing',
      iterates: false,
      say: (spec) => ({ protocol: spec.protocol, request: summaryRequest(spec, known, language, journal) }),
      settle: ({ used }, reply) => {
        const summary = afterThoughts(reply.content)
        return summary === ''
          ? failureEvents(used, modelFailure('model_bad_answer', 'The model wrote no summary of the older messages.'))
          : summaryEvents(used, { ...reply, content: summary }, known, language, context)
      },
    },
    choice,
    context,
  )
}

function summaryRequest(
  spec: ModelSpec,
  { folded, isCut }: Folding,
  language: Language,
  journal: Journal,
): ModelRequest {
  return compactRequest({
    messages: folded,
    isCut,
    earlier:
      at(journal.log, journal.state.window.summarySeq).map(({ content }) => contentText(content, language))[0] ?? null,
    language,
    budgetTokens: Math.floor((spec.contextTokens - spec.maxTokens) / 2),
  })
}

function summaryEvents(
  used: PreparedCall,
  reply: ModelReply,
  { folded }: Folding,
  language: Language,
  context: MoveContext,
): NewEvent[] {
  const { journal } = context
  const { state } = journal
  const seq = folded.at(-1)?.seq ?? 0
  const covers = { seq, kept_tokens: keptTokens(journal.log, state, seq) }
  const content = summaryContent(reply.content, language)
  return [
    journal.messageEvent({ id: used.messageId, role: 'system', kind: 'summary', content, scope: null }, { covers }),
    ...settledEvents(used, reply, context, { protocol: state.run?.protocol ?? used.spec.protocol }),
  ]
}
