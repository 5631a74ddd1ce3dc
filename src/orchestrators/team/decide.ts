import { branchOfRole } from '../../domain/seat.ts'
import { newBranch } from '../../domain/state.ts'
import { plansTurn, roleState, type RoleState, type TeamRole } from '../../domain/team.ts'
import { decideBranch } from '../agent/decide.ts'
import { type End, failed, failureOf } from '../failure.ts'
import type { Move, RunView, TeamAtWork } from '../../engine/move.ts'
import { isBatchOver, isUnderWay, settle } from '../parallel.ts'
import { isAnswered, movesOfPlan } from '../plan/decide.ts'
import { isLoop } from '../repeats.ts'

/** A team, and the sub-task that it works at; null: it is the session's own. */
type Team = TeamAtWork & { owner: string | null }

/** Roles hear messages and act upon them, round by round, until nobody has news or a bound is met. */
export function decideTeam(view: RunView): Move[] {
  const { run, limits } = view
  const team = view.team(null)
  if (run.phase !== 'active' || team === null) return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  return settle(movesOfTeam(team, null, view), view)
}

/** What a team at a sub-task needs now; null: none works at it. */
export function teamMovesIn(view: RunView): (task: string) => Move[] | null {
  return (task) => {
    const team = view.team(task)
    return team && movesOfTeam(team, task, view)
  }
}

/** What a team needs now; nothing, while it waits for what is under way. An end stands alone. */
function movesOfTeam(team: TeamAtWork, owner: string | null, view: RunView): Move[] {
  const own = { ...team, owner }
  return team.state.acting.length > 0 ? decideRound(own, view) : decideNext(own, view)
}

/** Between two rounds. What is published in a round is heard in the next. */
function decideNext({ state, roles, owner }: Team, { limits }: RunView): Move[] {
  const isIdle = roles.every(({ name }) => roleState(state, name).news.length === 0)
  if (isIdle) return [{ type: 'end', status: 'completed', finishReason: 'completed', code: null }]
  if (isLoop(state.trail, limits.repeatsMax)) return [failed('stuck', 'team_in_circles')]
  return state.round >= state.roundsMax ? [failed('max_rounds')] : [{ type: 'start-round', scope: owner }]
}

/** Roles of one round act at the same time. Where one fails the others finish first; a bound of the run waits for what is under way. */
function decideRound(team: Team, view: RunView): Move[] {
  const acting = team.roles.filter(({ name }) => team.state.acting.includes(name))
  const moves = acting.flatMap((role) => movesOf(role, team, view))
  const ends = moves.filter((move) => move.type === 'end')
  const bound = ends.find(isBound)
  if (bound) return beforeBound(bound, moves, view)
  const others = moves.filter((move) => move.type !== 'end')
  if (others.length > 0 || isAtWork(team, view)) return others
  return ends.length > 0 ? ends.slice(0, 1) : [{ type: 'end-round', scope: team.owner }]
}

/** Whether something of the team is under way. */
function isAtWork({ owner }: Team, view: RunView): boolean {
  return owner === null ? view.inFlight.size > 0 : isUnderWay(owner, view)
}

function isBound({ finishReason }: End): boolean {
  return finishReason === 'iteration_limit' || finishReason === 'deadline'
}

/** A bound of the run waits for what is under way, and for what is done and only has to be said. */
function beforeBound(bound: End, moves: readonly Move[], { inFlight }: RunView): Move[] {
  if (bound.finishReason === 'deadline') return [bound]
  const outcomes = moves.filter(({ type }) => type === 'publish' || type === 'end-task')
  return outcomes.length === 0 && inFlight.size === 0 ? [bound] : outcomes
}

/** What a role of the open round needs now; nothing, once its turn is over. */
function movesOf(role: TeamRole, team: Team, view: RunView): Move[] {
  const scope = branchOfRole(team.owner, role.name)
  const state = roleState(team.state, role.name)
  if (state.heard.length === 0) return []
  if (state.todo === null) return chooseAction(scope, view)
  if (state.step === 'HAS_TODO') return [{ type: 'start-action', scope }]
  if (role.human) return askPerson(scope, state, view)
  return plansTurn(role) ? plan(scope, view) : act(scope, view)
}

/** The planner's rounds within the turn; the plan's answer is the output, also where its rounds were used up. No team works within. */
function plan(scope: string, view: RunView): Move[] {
  const failure = failureOf(view.run.scopes[scope] ?? newBranch())
  if (failure) return [failure]
  return movesOfPlan(scope, { ...view, teamMoves: () => null }).flatMap((move): Move[] =>
    move.type === 'end' && isAnswered(move) ? publish(scope, view) : [move],
  )
}

/** A role of one action, or whose actions go by order, is never asked: its next action is chosen along with what comes before. */
function chooseAction(scope: string, view: RunView): Move[] {
  const state = view.run.scopes[scope] ?? newBranch()
  const failure = failureOf(state)
  if (failure) return [failure]
  const key = `model:${scope}`
  if (view.inFlight.has(key)) return []
  const attempt = (state.model?.attempt ?? 0) + 1
  if (attempt > view.limits.attemptsMax) return [failed('failed', 'attempts_exhausted')]
  if (attempt === 1 && view.run.iterations >= view.limits.maxIterationsTotal) return [failed('iteration_limit')]
  if (attempt === 1 && isBatchOver(view)) return [{ type: 'rest' }]
  return [{ type: 'choose-action', scope, key, attempt }]
}

function askPerson(scope: string, { question }: RoleState, view: RunView): Move[] {
  if (question === 'none') return [{ type: 'ask-role', scope }]
  if (question === 'open') return [{ type: 'wait' }]
  return question === 'refused' ? [{ type: 'end-turn', scope }] : publish(scope, view)
}

/** The agent's loop within the action; its end is the action's output. */
function act(scope: string, view: RunView): Move[] {
  const state = view.run.scopes[scope] ?? newBranch()
  const failure = failureOf(state)
  if (failure) return [failure]
  const own = { ...view, scopeId: scope, scope: state, promptTakesTime: false, mustCompact: () => false }
  return decideBranch(own).flatMap((move): Move[] => {
    if (move.type === 'prompt') return [{ type: 'prompt-role', scope }]
    return move.type === 'end' && move.status === 'completed' ? publish(scope, view) : [move]
  })
}

function publish(scope: string, { inFlight }: RunView): Move[] {
  const key = `publish:${scope}`
  return inFlight.has(key) ? [] : [{ type: 'publish', scope, key }]
}
