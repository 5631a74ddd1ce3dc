import { jsonObjectsIn } from '../../lib/json.ts'
import { directRequest, plannerRequest, repairRequest, summaryRequest } from '../../agent/planner.ts'
import { routeRequest } from '../../agent/router.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply, ModelRequest, ModelSpec } from '../../domain/model.ts'
import { LLM_WORKER, type PlanPurpose, type PlanTask } from '../../domain/plan.ts'
import type { Move } from '../../engine/move.ts'
import { keptSkills, workersOf } from '../../engine/worker/workers.ts'
import { modelCall, type PreparedCall, TOOLLESS } from './model-call.ts'
import type { Job, MoveContext, Outcome } from '../../engine/job.ts'
import { settledEvents } from './settled.ts'
import { answerOutcome } from './plan-answer.ts'
import { planBrief, plannerBrief } from './plan-brief.ts'
import { lastAnswer } from './plan-result.ts'
import { outputIn } from './reply.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { protocolOf } from './request.ts'
import { failureText } from '../../agent/texts.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { languageFor, toolOf } from '../../engine/engine.ts'

type PlannerMove = Extract<Move, { type: 'call-planner' }>

/** A call without tools that is made of the log anew: of the planner, or of who answers at the end. */
export function plannerJob({ purpose, attempt, scope }: PlannerMove, worker: Worker, context: MoveContext): Job {
  return modelCall(
    {
      ...TOOLLESS,
      scope,
      attempt,
      purpose,
      heard: purpose === 'route' ? 'nothing' : 'text',
      iterates: true,
      say: (spec) => ({
        protocol: protocolOf(spec, context),
        request: requestFor({ purpose, scope }, spec, worker, context),
      }),
      settle:
        ({ used }, reply) =>
        () =>
          answered(used, reply, purpose, context),
    },
    worker.choice,
    context,
  )
}

type Asked = Pick<PlannerMove, 'purpose' | 'scope'>

function requestFor(
  { purpose, scope: owner }: Asked,
  spec: ModelSpec,
  worker: Worker,
  context: MoveContext,
): ModelRequest {
  const brief = planBrief(context, spec, worker, purpose)
  const workers = workersOf(context, owner)
  switch (purpose) {
    case 'plan':
      return plannerRequest(plannerBrief(brief, { workers, owner }, context))
    case 'repair':
      return repairRequest(plannerBrief(brief, { workers, owner }, context), lastAnswer(context, owner))
    case 'direct':
      return directRequest(brief)
    case 'summary':
      return summaryRequest(brief, sourcesOf(brief.done, context))
    case 'route':
      return routeRequest(brief, workers)
  }
}

function answered(used: PreparedCall, reply: ModelReply, purpose: PlanPurpose, context: MoveContext): Outcome {
  const text = outputIn(reply.content)
  const settled = settledEvents(used, reply, context)
  if (purpose === 'route') return withEvents(settled, routeOutcome(text, context))
  const isPlan = purpose === 'plan' || purpose === 'repair'
  const planned = isPlan ? answerOutcome(text, used.scope, context) : { events: [] }
  return withEvents([said(used, reply, purpose, context), ...settled], planned)
}

function withEvents(before: NewEvent[], { events, ...kept }: Outcome): Outcome {
  return { ...kept, events: [...before, ...events] }
}

function said(used: PreparedCall, reply: ModelReply, purpose: PlanPurpose, { journal }: MoveContext): NewEvent {
  return journal.messageEvent({
    id: used.messageId,
    role: 'assistant',
    kind: purpose === 'summary' ? 'summary' : 'reply',
    content: reply.content,
    scope: used.scope,
    ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
  })
}

/** The worker that an answer names, as JSON or in plain words; the model alone, where it names none that there is. */
function routeOutcome(text: string, context: MoveContext): Outcome {
  const workers = workersOf(context, null)
  const named = jsonObjectsIn(text).flatMap((json) =>
    typeof json === 'object' && json !== null && 'worker' in json ? [String(json.worker)] : [],
  )
  const wanted = named.at(-1) ?? text.trim()
  const known = workers.find(({ name }) => name === wanted)
  const unknown: NewEvent = {
    type: 'error',
    code: 'unknown_worker',
    detail: `There is no worker "${wanted.slice(0, 100)}"; ${LLM_WORKER} does the task.`,
  }
  const worker = known?.name ?? LLM_WORKER
  return { events: [...(known ? [] : [unknown]), { type: 'route', worker }], ...keptSkills([{ worker }], context) }
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
    .flatMap(({ id, name, arguments: args }) => {
      const tool = toolOf(context.engine, name)
      const result = results.get(id)
      if (!tool || !result || tool.riskOf(args) !== 'network') return []
      const language = languageFor(context.engine, context.journal.record)
      const failed = failureText(tool.names[language], '', language)
      return contentText(result.content, null).startsWith(failed) ? [] : tool.effects(args).addresses
    })
}
