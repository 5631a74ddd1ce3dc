import { endsByReply } from '../../domain/assignment.ts'
import { MAIN, newBranch, type OpenCall, unheardSteers } from '../../domain/state.ts'
import type { BranchView, Move, MoveOf, RunView } from '../../engine/move.ts'
import type { Orchestrator, MoveContext } from '../../engine/engine.ts'
import type { BranchOutcome } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import { failed, branchFailure, dueMoves, isLoop } from '../decide.ts'
import { contentText } from '../../domain/content.ts'
import { toolIdOf } from '../../domain/message.ts'
import { answerText, findTextCalls, saidInReply } from '../../agent/text-calls.ts'
import { failureMessage } from '../../engine/failures/failure-text.ts'
import { finishReason } from '../../engine/open.ts'
import { assignmentOf } from '../../engine/worker/assignment.ts'
import { textOf } from '../../lib/text.ts'
import { branchOf } from '../../log/branches.ts'
import { at } from '../../log/window.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'

/** One model with tools, turn by turn. Its moves are those that all have, in src/run/steps. */
export const agent: Orchestrator = {
  name: 'agent',
  description: {
    'zh-CN': '一个模型带着工具，一轮一轮地完成任务。',
    en: 'One model with tools does the task, turn by turn.',
  },
  hasPrompt: true,
  isStateless: true,
  fitsSchema: true,
  decide: decideAgent,
  movesIn: agentWithin,
  outcome: agentOutcome,
}

const COMPLETED: Move = { type: 'end', status: 'completed', finishReason: 'completed', code: null }
const LOOP: Move = { ...COMPLETED, loop: true }

/** The agent's loop: prompt, model, tools, until the model finishes. */
export function decideAgent(view: RunView): Move[] {
  if (view.run.phase !== 'active') return []
  const own = decideBranch({ ...view, scopeId: null, scope: view.run.scopes[MAIN] ?? newBranch() })
  const beside = view.beside()
  return beside ? together(own, beside, view) : own
}

/** The loop, and what goes on beside it: that ends before the run has its good end, and a bound that it meets ends the run. */
function together(own: Move[], { moves, atEnd }: NonNullable<ReturnType<RunView['beside']>>, view: RunView): Move[] {
  const end = own.find(({ type }) => type === 'end')
  if (end) return 'status' in end && end.status === 'completed' && atEnd.length > 0 ? atEnd : own
  const bound = moves.find(({ type }) => type === 'end')
  return bound ? [bound] : dueMoves([...own, ...moves], view)
}

/** The same in a branch that another orchestrator gives it. */
function agentWithin(branch: string, view: RunView): Move[] {
  const scope = view.run.scopes[branch] ?? newBranch()
  const failure = branchFailure(scope)
  return failure ? [failure] : decideBranch({ ...view, scopeId: branch, scope })
}

/** What one branch needs now. */
function decideBranch(view: BranchView): Move[] {
  const { run, scope, scopeId, limits } = view
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  if (run.failure && !(run.overflowed && view.mustCompact())) return [failed('failed', run.failure.code)]
  if (scope.calls.length > 0) return movesForCalls(view)
  // Whatever it ended with: it is told first what was said meanwhile.
  const isSteered = unheardSteers(scope) > 0
  if (scope.finishedBy !== null && !isSteered) return [COMPLETED]
  if (scope.misfits > limits.answerRetriesMax) return [failed('failed', 'output_invalid')]
  const isRepeated = isSameReply(scope.faults ?? [], limits.repeatsMax)
  if (isRepeated && scope.toldOfCircles && scope.last?.role !== 'system' && !isSteered)
    return [scope.words ? LOOP : failed('stuck', 'loop')]
  if (scope.problem) return [{ type: 'warn', scope: scopeId, problem: scope.problem }]
  if (scope.errorsInARow >= limits.errorsInARowMax) return [failed('stuck')]
  if (scope.droppedCalls > 0) return [{ type: 'note-dropped', scope: scopeId, count: scope.droppedCalls }]
  if (isRepeated && !scope.toldOfCircles) return [{ type: 'warn', scope: scopeId, problem: { code: 'repeated_reply' } }]
  if (scope.last?.role === 'tool' && isLoop(scope.trail, limits.repeatsMax)) {
    if (!scope.toldOfCircles) return [{ type: 'warn', scope: scopeId, problem: { code: 'going_in_circles' } }]
    return [scope.lastWords ? LOOP : failed('stuck', 'loop')]
  }
  if (scope.last?.role === 'user' && scope.last.kind === 'task') return prompt(view)
  if (scope.last?.role === 'assistant' && !isSteered && !scope.isAsking) return withoutCall(view)
  return modelCall(view)
}

/** Whether the newest replies that cannot be followed are one and the same, `timesMax` times. `timesMax` 0: never. */
function isSameReply(faults: readonly string[], timesMax: number): boolean {
  const newest = faults.slice(-timesMax)
  return timesMax > 0 && newest.length === timesMax && newest.every((fault) => fault === newest[0])
}

function prompt(view: BranchView): Move[] {
  const { scopeId, inFlight } = view
  const key = `prompt:${scopeId ?? MAIN}`
  if (inFlight.has(key)) return []
  return [{ type: 'prompt', scope: scopeId, ...(view.promptTakesTime(scopeId) ? { key } : {}) }]
}

/** A reply that calls nothing is the output, or the model is warned: its event says which. Older events do not say; there the setting
 *  of the branch decides. */
function withoutCall(view: BranchView): Move[] {
  const { scope, scopeId } = view
  const ends = scope.isOutput ?? endsByReply(scope, view.assignment(scopeId))
  return [ends ? COMPLETED : { type: 'warn', scope: scopeId, problem: { code: 'no_tool_called' } }]
}

function modelCall(view: BranchView): Move[] {
  const { run, scope, scopeId, limits, inFlight } = view
  const key = `model:${scopeId ?? MAIN}`
  if (inFlight.has(key)) return []
  const attempt = (scope.model?.attempt ?? 0) + 1
  if (attempt > limits.attemptsMax) return [failed('failed', 'attempts_exhausted')]
  if (scopeId === null && scope.last?.kind !== 'summary' && view.mustCompact())
    return [{ type: 'compact', scope: scopeId, key, attempt }]
  const repeated = scope.model !== null
  if (!repeated && run.iterations >= limits.maxIterationsTotal) return [failed('iteration_limit')]
  if (!repeated && run.mode === 'request' && run.batchIterations >= limits.maxIterations) return [{ type: 'rest' }]
  return [{ type: 'call-model', scope: scopeId, key, attempt }]
}

/** What every call of the last reply needs now; when all that is left waits for somebody, so does the run. */
function movesForCalls(view: BranchView): Move[] {
  const { calls } = view.scope
  const inFlight = calls.filter((call) => view.inFlight.has(toolKey(call)))
  const over = overLimit(view)
  const moves = inTurn(
    calls.flatMap((call) => moveForCall(call, view, over.has(call.id))),
    new Set(calls.filter((call) => view.sequential(call)).map(({ id }) => id)),
    inFlight.some((call) => view.sequential(call)),
  )
  const underWay = inFlight.length > 0
  return moves.length === 0 && !underWay ? [{ type: 'wait' }] : moves
}

/** Ids of calls that its branch may not make any more; to finish is always allowed. */
function overLimit(view: BranchView): ReadonlySet<string> {
  const { scope, scopeId } = view
  const { toolCallsMax } = view.assignment(scopeId)
  if (toolCallsMax === null) return new Set()
  const unmade = scope.calls.filter(({ attempt, problem, tool }) => attempt === 0 && !problem && tool !== 'finish')
  return new Set(unmade.slice(Math.max(0, toolCallsMax - scope.toolCalls)).map(({ id }) => id))
}

/** Of calls that take turns only the first is made, and none while one is under way. */
function inTurn(moves: readonly Move[], takingTurns: ReadonlySet<string>, isTaken: boolean): Move[] {
  let taken = isTaken
  return moves.filter((move) => {
    if (move.type !== 'call-tool' || !takingTurns.has(move.callId)) return true
    const isNext = !taken
    taken = true
    return isNext
  })
}

function moveForCall(call: OpenCall, view: BranchView, isOver: boolean): Move[] {
  const { scopeId: scope } = view
  const refuse = (refusal: MoveOf<'reject-call'>['refusal']): Move[] => [
    { type: 'reject-call', scope, callId: call.id, refusal },
  ]
  if (call.problem) return refuse({ code: 'problem', problem: call.problem })
  if (call.status === 'asked' || view.inFlight.has(toolKey(call))) return []
  if (call.status === 'refused') return refuse({ code: whyRefused(call) })
  if (isOver) return refuse({ code: 'over_limit' })
  const hook = view.hookFor(call)
  if (hook !== null) return [{ type: 'call-hook', scope, key: toolKey(call), callId: call.id, hook }]
  const isQuestion = view.isQuestion(call)
  if ((isQuestion || call.client !== undefined) && call.status === 'answered')
    return [{ type: 'answer-call', scope, callId: call.id }]
  const own = view.movesForCall(call)
  const cut = call.status === 'started' ? (own ?? endOfCut(call, view)) : null
  if (cut) return cut
  const permission = view.permission(call)
  if (permission === 'deny') return refuse({ code: 'denied' })
  const asks = permission === 'ask' || (isQuestion && call.status === 'open')
  if (call.client !== undefined && !asks) return [{ type: 'hand-out', scope, callId: call.id }]
  return asks ? [{ type: 'ask', scope, callId: call.id }] : (own ?? [start(call, scope)])
}

/** What was handed out to the caller may have been made all the same. */
function whyRefused({ client, attempt, expired }: OpenCall): 'unanswered' | 'expired' | 'refused' {
  if (client !== undefined && attempt > 0) return 'unanswered'
  return expired ? 'expired' : 'refused'
}

/** The crash rule: a call that was cut is made again only if that is harmless. Null: it is. */
function endOfCut(call: OpenCall, view: BranchView): Move[] | null {
  if (!view.isIdempotent(call)) {
    return [{ type: 'reject-call', scope: view.scopeId, callId: call.id, refusal: { code: 'interrupted' } }]
  }
  return call.attempt >= view.limits.attemptsMax ? [failed('failed', 'attempts_exhausted')] : null
}

function start(call: OpenCall, scope: string | null): Move {
  return { type: 'call-tool', scope, key: toolKey(call), callId: call.id, attempt: call.attempt + 1 }
}

function toolKey(call: OpenCall): string {
  return `tool:${call.id}`
}

/** What the model of a branch ended it with. */
function agentOutcome(context: MoveContext, scope: string | null, code: string | null): BranchOutcome {
  const { engine, journal } = context
  const { record, state } = journal
  const endedBy = state.run && branchOf(state.run, scope).finishedBy !== null ? 'finish' : 'reply'
  const text = outputOf(context, scope, code)
  const { outputSchema } = assignmentOf({ engine, record, state }, scope)
  if (text === null || outputSchema === null) return { result: text, violations: null, endedBy }
  const fitted = fitAnswer(text, outputSchema)
  if (fitted.ok) return { result: fitted.json, violations: null, endedBy }
  const words = failureMessage(languageFor(engine, record), 'output_invalid')
  return { result: text, violations: `${words} ${fitted.errors.join('; ')}`, endedBy }
}

/** What `finish` was called with, else the last reply where that is the output. */
function outputOf(context: MoveContext, scope: string | null, code: string | null): string | null {
  const { run } = context.journal.state
  const { finishedBy = null, isOutput, words, lastWords } = run ? branchOf(run, scope) : {}
  if (finishedBy !== null) return finishReason(context, scope, finishedBy)
  const said = words?.seq ?? lastWords
  if (code === null && !isOutput && said !== undefined) return wordsAt(context, said)
  return code === null || code === 'output_invalid' ? lastReply(context, scope, code) : null
}

/** What a reply that could not be followed says to its reader. */
function wordsAt({ journal: { log } }: MoveContext, seq: number): string | null {
  const [reply] = at(log, seq)
  return reply ? saidInReply(contentText(reply.content, null), reply.tool_calls ?? [], [finish]) : null
}

function lastReply(context: MoveContext, scope: string | null, code: string | null): string | null {
  const { log } = context.journal
  const reply = log.messages({ scope, limit: REPLY_NEAR, newestFirst: true }).find(({ role }) => role === 'assistant')
  const finished = reply?.tool_calls?.find((call) => toolIdOf(call) === 'finish')
  if (finished) return finishReason(context, scope, finished.id)
  if (!reply) return null
  const said = contentText(reply.content, null)
  return (code === null ? null : refusedIn(said)) ?? answerText(said, finish)
}

/** What `finish` said in tags that were not taken for a call; null: there are none. */
function refusedIn(content: string): string | null {
  const [call] = findTextCalls(content, [finish]).calls
  return call ? textOf(call.arguments['reason']) : null
}

/** The last reply is among so many of the newest messages: its results and warnings follow it. */
const REPLY_NEAR = 200
