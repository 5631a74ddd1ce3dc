import { contentText } from '../../domain/content.ts'
import { withPictures } from '../../agent/pictures.ts'
import { toolFailureText } from '../../agent/texts.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Message, toolIdOf } from '../../domain/message.ts'
import type { ModelReply, ModelRequest, ModelSpec } from '../../domain/model.ts'
import type { PlanTask } from '../../domain/plan.ts'
import type { MoveContext, Step } from '../../engine/engine.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import type { EndedCall, Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { type Worker, workerOf } from '../../engine/worker/worker.ts'
import { orderedIn } from '../../log/window.ts'
import { finish } from '../../tools/control.ts'
import { memberOf, parseJson } from '../../lib/json.ts'
import { answerOutcome, emptyOutcome } from './answer.ts'
import { fitted, planBrief, plannerBrief, quotedAnswer } from './brief.ts'
import { planIn } from './parse.ts'
import { lastAnswer } from './view.ts'
import { directRequest, plannerRequest, repairRequest, summaryRequest } from './requests.ts'
import { workersOf } from './workers.ts'

type PlannerMove = MoveOf<'call-planner'>

/** A call without tools that is made of the log anew: of the planner, or of who answers at the end. */
export const plannerStep: Step<PlannerMove> = {
  prepare: ({ purpose, attempt, scope }, context) => {
    const worker = workerOf(context, scope)
    return context.modelCall(
      {
        scope,
        attempt,
        purpose,
        isHeard: true,
        request: (spec) => {
          const asked = fitted(spec, (share) => requestFor({ purpose, scope, share }, spec, worker, context))
          return seen(asked, scope, spec, context)
        },
        settle: (reply, call) => () => answered({ purpose, scope }, reply, call, context),
      },
      worker.choice,
    )
  },
}

/** A model that sees is shown the images of the task, and of what steered the run. */
function seen(request: ModelRequest, scope: string | null, spec: ModelSpec, { journal }: MoveContext): ModelRequest {
  return spec.vision ? withPictures(request, orderedIn(journal, scope), spec, journal) : request
}

type Asked = Pick<PlannerMove, 'scope' | 'purpose'>

function requestFor(
  { purpose, scope: owner, share }: Asked & { share: number },
  spec: ModelSpec,
  worker: Worker,
  context: MoveContext,
): ModelRequest {
  const brief = planBrief(context, spec, worker, { purpose, share })
  const workers = workersOf(context, owner)
  switch (purpose) {
    case 'plan':
      return plannerRequest(plannerBrief(brief, { workers, owner }, context))
    case 'repair':
      return repairRequest(
        plannerBrief(brief, { workers, owner }, context),
        quotedAnswer(lastAnswer(context, owner), share),
      )
    case 'direct':
      return directRequest(brief)
    case 'summary':
      return summaryRequest(brief, sourcesOf(brief.done, context))
  }
}

function answered(
  { purpose, scope }: Asked,
  reply: ModelReply,
  { messageId, ended, failed }: EndedCall,
  context: MoveContext,
): Outcome {
  const isPlan = purpose === 'plan' || purpose === 'repair'
  const content = saidIn(reply, isPlan)
  const words = afterThoughts(content)
  if (!isPlan && words === '') return { events: failed('The model wrote no answer of what there is.') }
  const said = context.journal.messageEvent({
    id: messageId,
    role: 'assistant',
    kind: purpose === 'summary' ? 'summary' : 'reply',
    content,
    scope,
    ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
  })
  const { events, ...kept } = isPlan ? planned(words, { purpose, scope }, context) : { events: [] }
  return { ...kept, events: [said, ...ended(), ...events] }
}

/** What a planner's answer leaves. Of one that says nothing though it was asked twice there is no text that could be the answer. */
function planned(words: string, { purpose, scope }: Asked, context: MoveContext): Outcome {
  return words === '' && purpose === 'repair' ? emptyOutcome(scope, context) : answerOutcome(words, scope, context)
}

/** What a reply says: its text, else what it gives to a function, though it was offered none: its answer, or a plan. */
function saidIn({ content, toolCalls }: ModelReply, isPlan: boolean): string {
  const [call] = toolCalls
  if (call === undefined || afterThoughts(content) !== '') return content
  if (isPlan && planIn(call.arguments) !== null) return call.arguments
  const reason = call.name === finish.id ? memberOf(parseJson(call.arguments), 'reason') : null
  return typeof reason === 'string' ? reason : content
}

/** Addresses that sub-tasks read, each once, in the order of the tasks: what a summary can name as its sources. Bounded. */
function sourcesOf(tasks: readonly PlanTask[], context: MoveContext): string[] {
  const { sourcesMax, sourceMessagesMax } = LIMITS.plan
  const read = new Set<string>()
  for (const { id } of tasks) {
    const newest = context.journal.log.messages({ scope: id, limit: sourceMessagesMax, newestFirst: true })
    for (const address of addressesIn(newest.toReversed(), context)) read.add(address)
    if (read.size >= sourcesMax) break
  }
  return [...read].slice(0, sourcesMax)
}

/** What calls of these messages read, where their result is no failure. */
function addressesIn(messages: readonly Message[], context: MoveContext): string[] {
  const results = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  )
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .flatMap((call) => {
      const { id, arguments: args } = call
      const tool = toolOf(context.engine, toolIdOf(call))
      const result = results.get(id)
      if (!tool || !result || tool.riskOf(args) !== 'network') return []
      const language = languageFor(context.engine, context.journal.record)
      const failed = toolFailureText(tool.names[language], '', language)
      return contentText(result.content, null).startsWith(failed) ? [] : tool.effects(args).addresses
    })
}
