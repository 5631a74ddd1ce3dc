import { jsonObjectsIn } from '../../lib/json-objects.ts'
import { directRequest, plannerRequest, repairRequest, summaryRequest } from '../../agent/planner.ts'
import { routeRequest } from '../../agent/router.ts'
import { reservationFor } from '../../budget/reserve.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelCall, ModelReply, ModelRequest, ModelSpec } from '../../domain/model.ts'
import { LLM_WORKER, type PlanPurpose } from '../../domain/plan.ts'
import { newId } from '../../lib/id.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { Move } from '../../orchestrators/move.ts'
import { modelOf } from '../engine/assignment.ts'
import { refusalFor } from '../refusal.ts'
import { keptSkills, workersOf } from '../engine/workers.ts'
import { ask, askInOrder } from './ask.ts'
import type { Job, MoveContext, Outcome } from './job.ts'
import { beginEvents } from './model.ts'
import { answerOutcome } from './plan-answer.ts'
import { planBrief, plannerBrief } from './plan-brief.ts'
import { lastAnswer } from './plan-result.ts'
import { outputIn } from './reply.ts'
import { settledEvents } from './settled.ts'
import { sourcesOf } from './sources.ts'
import { currentMessageId, failureEvents, holdOf, protocolOf, type Turn } from './turn.ts'

type PlannerMove = Extract<Move, { type: 'call-planner' }>

/** A call without tools that is made of the log anew: of the planner, or of who answers at the end. */
export function plannerJob({ purpose, attempt, scope }: PlannerMove, context: MoveContext): Job {
  const { journal } = context
  const choice = modelOf(context, scope)
  if (!choice.ok) return { begin: [], end: { code: 'unknown_model' } }
  const turn = prepareTurn(choice.spec, { purpose, scope }, context)
  const code = refusalFor(context, [turn.spec, ...turn.spec.fallbacks], turn)
  if (code) return { begin: [], end: { code } }
  return {
    begin: beginEvents(turn, { scope, attempt }, context).map((event) =>
      event.type === 'model-start' ? { ...event, purpose } : event,
    ),
    call: holdOf(turn),
    isCurrent: () => currentMessageId(context, scope) === turn.messageId,
    work: async (signal) => {
      const { used, outcome } = await askInOrder(turn, context, async (spec, onTold) => {
        const one = { ...turn, spec, protocol: protocolOf(spec, context) }
        const onDelta: ModelCall['onDelta'] = (kind, delta) => {
          onTold()
          const type = kind === 'content' ? 'message-delta' : 'reasoning-delta'
          if (purpose !== 'route') journal.delta({ type, message_id: turn.messageId, delta }, scope)
        }
        return { used: one, outcome: await ask(one, context, signal, { onDelta }) }
      })
      if (!outcome.ok) return failureEvents(used, outcome.failure)
      return () => answered(used, outcome.reply, purpose, context)
    },
  }
}

type Asked = Pick<PlannerMove, 'purpose' | 'scope'>

function prepareTurn(spec: ModelSpec, asked: Asked, context: MoveContext): Turn {
  const request = requestFor(asked, spec, context)
  return {
    spec,
    protocol: protocolOf(spec, context),
    tools: [],
    request,
    messageId: newId('msg', context.journal.now()),
    scope: asked.scope,
    reserved: reservationFor([spec, ...spec.fallbacks], estimateRequest(request)),
    tries: { repeated: 0 },
    endsByReply: true,
    mayBeEmpty: true,
    outputSchema: null,
  }
}

function requestFor({ purpose, scope: owner }: Asked, spec: ModelSpec, context: MoveContext): ModelRequest {
  const brief = planBrief(context, spec, { owner, purpose })
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

function answered(turn: Turn, reply: ModelReply, purpose: PlanPurpose, context: MoveContext): Outcome {
  const text = outputIn(reply.content)
  const settled = settledEvents(turn, reply, context)
  if (purpose === 'route') return withEvents(settled, routeOutcome(text, context))
  const isPlan = purpose === 'plan' || purpose === 'repair'
  const planned = isPlan ? answerOutcome(text, turn.scope, context) : { events: [] }
  return withEvents([said(turn, reply, purpose, context), ...settled], planned)
}

function withEvents(before: NewEvent[], { events, ...kept }: Outcome): Outcome {
  return { ...kept, events: [...before, ...events] }
}

function said(turn: Turn, reply: ModelReply, purpose: PlanPurpose, { journal }: MoveContext): NewEvent {
  return journal.messageEvent({
    id: turn.messageId,
    role: 'assistant',
    kind: purpose === 'summary' ? 'summary' : 'reply',
    content: reply.content,
    scope: turn.scope,
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
