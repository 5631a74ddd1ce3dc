import { branchOfRole } from '../../domain/role.ts'
import { newBranch } from '../../domain/state.ts'
import { plansTurn, type TeamRole } from '../../domain/team.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { type End, failed, branchFailure, isUnderWay, nextCall, dueMoves, isLoop } from '../decide.ts'
import { teamSpecOf, newTeam, roleState, type RoleState, teamIn, type TeamState } from './state.ts'

declare module '../../engine/move.ts' {
  interface Moves {
    /** The roles that have news act upon it. `scope`: the sub-task that the team works at, null for the session's own. */
    'start-round': { scope: string | null }
    'end-round': { scope: string | null }
    /** Ask a role's model which of its actions comes next. `scope`: the branch of the role. */
    'choose-action': { scope: string; key: string; attempt: number }
    /** Begin the action that was chosen. */
    'start-action': { scope: string }
    /** Tell the model who it is, what the team is for, and what it has to do. */
    'prompt-role': { scope: string }
    /** Ask the person who does the action. */
    'ask-role': { scope: string }
    /** Put what the action gave on the bus. */
    publish: { scope: string; key: string }
    /** A role's turn is over without a word. */
    'end-turn': { scope: string }
  }
}

/** A team, where it stands, and the sub-task that it works at; null: it is the session's own. */
interface Team {
  roles: readonly TeamRole[]
  state: TeamState
  owner: string | null
}

/** Roles hear messages and act upon them, round by round, until nobody has news or a bound is met. */
export function decideTeam(view: RunView): Move[] {
  const { run, limits } = view
  const team = teamAt(null, view)
  if (run.phase !== 'active' || team === null) return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  return dueMoves(movesOfTeam(team, view), view)
}

/** The same at a sub-task. */
export function teamWithin(task: string, view: RunView): Move[] {
  const team = teamAt(task, view)
  return team === null ? [] : movesOfTeam(team, view)
}

function teamAt(owner: string | null, { state, record }: RunView): Team | null {
  const known = teamIn(state, owner) ?? (owner === null ? newTeam() : null)
  const spec = known && teamSpecOf({ record, state }, owner)
  return spec ? { roles: spec.roles, state: known, owner } : null
}

/** What a team needs now; nothing, while it waits for what is under way. An end stands alone. */
function movesOfTeam(team: Team, view: RunView): Move[] {
  return team.state.acting.length > 0 ? decideRound(team, view) : decideNext(team, view)
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
  return act(plansTurn(role) ? 'plan' : 'agent', scope, view)
}

/** A role of one action, or whose actions go by order, is never asked: its next action is chosen along with what comes before. */
function chooseAction(scope: string, view: RunView): Move[] {
  const state = view.run.scopes[scope] ?? newBranch()
  const failure = branchFailure(state)
  if (failure) return [failure]
  return nextCall(scope, view, ({ key, attempt }) => ({ type: 'choose-action', scope, key, attempt }))
}

function askPerson(scope: string, { question }: RoleState, view: RunView): Move[] {
  if (question === 'none') return [{ type: 'ask-role', scope }]
  if (question === 'open') return [{ type: 'wait' }]
  return question === 'refused' ? [{ type: 'end-turn', scope }] : publish(scope, view)
}

/** The agent's loop, or the rounds of a planner, within the turn; its end is the action's output. */
function act(by: 'agent' | 'plan', scope: string, view: RunView): Move[] {
  return view.movesIn(by, scope).flatMap((move): Move[] => {
    if (move.type === 'prompt' && move.scope === scope) return [{ type: 'prompt-role', scope }]
    return move.type === 'end' && move.status === 'completed' ? publish(scope, view) : [move]
  })
}

function publish(scope: string, { inFlight }: RunView): Move[] {
  const key = `publish:${scope}`
  return inFlight.has(key) ? [] : [{ type: 'publish', scope, key }]
}
