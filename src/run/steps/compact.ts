import { type CompactInput, compactRequest, saidInShort, summaryContent } from '../../agent/compact.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply, ModelSpec } from '../../domain/model.ts'
import type { MoveOf } from '../../engine/move.ts'
import type { Language } from '../../domain/language.ts'
import type { Journal } from '../../log/journal.ts'
import { type Worker, workerOf } from '../../engine/worker/worker.ts'
import { at, type Folding, foldingOf, isLong, keptTokens, leastBudget } from '../../log/window.ts'
import { modelCall, type PreparedCall, settledEvents, TOOLLESS } from './model-call.ts'
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

/** One model call that summarises what is older than the newest turns; its message takes their place in the window. Of a model that writes
 *  nothing, or calls tools that it was not offered, what was said is kept shortened: the session goes on. */
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
      heard: 'nothing',
      iterates: false,
      say: (spec) => ({
        protocol: spec.protocol,
        request: compactRequest(summaryInput(spec, 1 / 2, known, language, journal)),
      }),
      settle: ({ used }, reply) => {
        const written = afterThoughts(reply.content)
        const summary = written || saidInShort(summaryInput(used.spec, 1 / 8, known, language, journal))
        const events = summaryEvents(used, { ...reply, content: summary }, known, language, context)
        return written === '' ? [noSummary(scope), ...events] : events
      },
    },
    choice,
    context,
  )
}

/** `share`: of the window, which what is listed may take. */
function summaryInput(
  spec: ModelSpec,
  share: number,
  { folded, isCut }: Folding,
  language: Language,
  journal: Journal,
): CompactInput {
  const earlier = at(journal.log, journal.state.window.summarySeq)[0]
  return {
    messages: folded,
    isCut,
    earlier: earlier ? contentText(earlier.content, language) : null,
    language,
    budgetTokens: Math.floor((spec.contextTokens - spec.maxTokens) * share),
  }
}

function noSummary(scope: string | null): NewEvent {
  const detail = 'The model wrote no summary of the older messages; what was said in them is kept shortened.'
  return { type: 'error', scope, code: 'summary_missing', detail }
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
