import type { FinishReason } from '../domain/session.ts'
import { MAIN, newScope, type OpenCall } from '../domain/state.ts'
import type { Move, RunView, ScopeView } from './move.ts'
import { goesInCircles } from './repeats.ts'

/** The agent's loop: prompt, model, tools, until the model finishes (formats.md 1–3). */
export function decideAgent(view: RunView): Move[] {
  if (view.run.phase !== 'active') return []
  return decideScope({ ...view, scopeId: null, scope: view.run.scopes[MAIN] ?? newScope() })
}

function decideScope(view: ScopeView): Move[] {
  const { run, scope, scopeId, limits } = view
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failedBy('deadline')]
  if (run.failure && !(run.overflowed && view.mustCompact())) return [failedBy('failed', run.failure.code)]
  if (scope.calls.length > 0) return movesForCalls(view)
  if (scope.finishedBy !== null) return [{ type: 'end', status: 'completed', finishReason: 'completed', code: null }]
  if (scope.problem) return [{ type: 'warn', scope: scopeId, problem: scope.problem }]
  if (run.errorsInARow >= limits.errorsInARowMax) return [failedBy('stuck')]
  if (scope.droppedCalls > 0) return [{ type: 'note-dropped', scope: scopeId, count: scope.droppedCalls }]
  if (scope.last?.role === 'tool' && goesInCircles(scope.trail, limits.repeatsMax)) {
    const told = scope.toldOfCircles
    return [
      told
        ? failedBy('stuck', 'going_in_circles')
        : { type: 'warn', scope: scopeId, problem: { code: 'going_in_circles' } },
    ]
  }
  if (scope.last?.role === 'user' && scope.last.kind === 'task') return [{ type: 'prompt', scope: scopeId }]
  if (scope.last?.role === 'assistant') return [{ type: 'warn', scope: scopeId, problem: { code: 'no_tool_called' } }]
  return modelCall(view)
}

function modelCall(view: ScopeView): Move[] {
  const { run, scope, scopeId, limits, inFlight } = view
  const key = `model:${scopeId ?? MAIN}`
  if (inFlight.has(key)) return []
  const attempt = (scope.model?.attempt ?? 0) + 1
  if (attempt > limits.attemptsMax) return [failedBy('failed', 'attempts_exhausted')]
  if (scope.last?.kind !== 'summary' && view.mustCompact()) return [{ type: 'compact', scope: scopeId, key, attempt }]
  const repeated = scope.model !== null
  if (!repeated && run.iterations >= limits.maxIterationsTotal) return [failedBy('iteration_limit')]
  if (!repeated && run.mode === 'request' && run.batchIterations >= limits.maxIterations) return [{ type: 'rest' }]
  return [{ type: 'call-model', scope: scopeId, key, attempt }]
}

/** What every call of the last reply needs now; when all that is left waits for a human, so does the run. */
function movesForCalls(view: ScopeView): Move[] {
  const moves = view.scope.calls.flatMap((call) => moveForCall(call, view))
  const underWay = view.scope.calls.some((call) => view.inFlight.has(toolKey(call)))
  return moves.length === 0 && !underWay ? [{ type: 'wait' }] : moves
}

function moveForCall(call: OpenCall, view: ScopeView): Move[] {
  const { scopeId: scope } = view
  const refuse = (refusal: Extract<Move, { type: 'refuse-call' }>['refusal']): Move[] => [
    { type: 'refuse-call', scope, callId: call.id, refusal },
  ]
  if (call.problem) return refuse({ code: 'problem', problem: call.problem })
  if (call.status === 'asked' || view.inFlight.has(toolKey(call))) return []
  if (call.status === 'refused') return refuse({ code: call.expired ? 'expired' : 'refused' })
  if (call.status === 'answered') return [{ type: 'answer-call', scope, callId: call.id }]
  if (call.status === 'started') return repeatCall(call, view)
  const permission = view.permission(call)
  if (permission === 'deny') return refuse({ code: 'denied' })
  const asks = call.status === 'open' && (permission === 'ask' || view.isQuestion(call))
  return asks ? [{ type: 'ask', scope, callId: call.id }] : [start(call, scope)]
}

/** The crash rule: a call that was cut is made again only if that is harmless. */
function repeatCall(call: OpenCall, view: ScopeView): Move[] {
  if (!view.isIdempotent(call)) {
    return [{ type: 'refuse-call', scope: view.scopeId, callId: call.id, refusal: { code: 'interrupted' } }]
  }
  if (call.attempt >= view.limits.attemptsMax) return [failedBy('failed', 'attempts_exhausted')]
  return [start(call, view.scopeId)]
}

function start(call: OpenCall, scope: string | null): Move {
  return { type: 'call-tool', scope, key: toolKey(call), callId: call.id, attempt: call.attempt + 1 }
}

function toolKey(call: OpenCall): string {
  return `tool:${call.id}`
}

function failedBy(finishReason: FinishReason, code: string = finishReason): Move {
  return { type: 'end', status: 'failed', finishReason, code }
}
