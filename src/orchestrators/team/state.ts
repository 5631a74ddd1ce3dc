import { branchesAbove, type RunState, type SessionState } from '../../domain/state.ts'
import { roleOfBranch, type RoleStep } from '../../domain/role.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { TeamRole, TeamSpec } from '../../domain/team.ts'
import type { Money } from '../../domain/usage.ts'

declare module '../../domain/state.ts' {
  interface SessionState {
    /** Of a session that a team works in; absent: none does. */
    team?: TeamState
  }
  interface BranchState {
    /** Of a sub-task that a team works at; absent: none does. */
    team?: TeamState
    /** The action of a role that it is. */
    action?: string
  }
}

/** One role in the fold of the log, which holds no text of it. Messages are known by the seqs of their events. */
export interface RoleState {
  name: string
  step: RoleStep
  /** What it has not acted upon. */
  news: number[]
  /** What it acts upon in the open round; empty: it has no turn. */
  heard: number[]
  /** Actions done in this turn, and what they said. */
  done: string[]
  outputs: number[]
  /** The action that was chosen; null: it is still to be. */
  todo: string | null
  /** Of a person who does the action: whether they were asked, and the seq of the answer (0: none). */
  question: 'none' | 'open' | 'refused' | 'answered'
  answerSeq: number
  /** What it cost so far, one amount a currency. */
  costs: Money[]
}

/** Where a team stands. It lives as long as the session: nothing of it begins anew with a run. */
export interface TeamState {
  /** The worker whose team it is, of one that works at a sub-task. */
  worker?: string
  /** Rounds so far, and those that there may be. */
  round: number
  roundsMax: number
  /** Roles of the open round, in the order of the team; empty: none is open. */
  acting: string[]
  /** What the whole team may cost; null: no bound. */
  investment: Money | null
  /** What counts against it: costs, and reservations of calls that were cut. One amount a currency. */
  charged: Money[]
  roles: RoleState[]
  /** Messages of roles in this run that nobody heard. */
  unheard: number[]
  /** Messages so far. */
  messages: number
  /** What was said in the open round, and in those before it, as fingerprints. */
  said: string[]
  trail: string[]
}

export function newTeam(): TeamState {
  return {
    round: 0,
    roundsMax: 0,
    acting: [],
    investment: null,
    charged: [],
    roles: [],
    unheard: [],
    messages: 0,
    said: [],
    trail: [],
  }
}

export function newRole(name: string): RoleState {
  return {
    name,
    step: 'IDLE',
    news: [],
    heard: [],
    done: [],
    outputs: [],
    todo: null,
    question: 'none',
    answerSeq: 0,
    costs: [],
  }
}

/** The state of a role; an untouched one when it has heard nothing yet. */
export function roleState(team: Pick<TeamState, 'roles'> | undefined, name: string): RoleState {
  return team?.roles.find((role) => role.name === name) ?? newRole(name)
}

type Scopes = Pick<RunState, 'scopes'>

interface Teams {
  team?: TeamState | undefined
  run: Scopes | null
}

/** The team of the session (null), or of a sub-task; absent: it has none. */
export function teamIn({ team, run }: Teams, owner: string | null): TeamState | undefined {
  return owner === null ? team : run?.scopes[owner]?.team
}

/** Where the role stands whose branch it is; an untouched one when it has heard nothing yet. */
export function roleAt(state: Teams, scope: string): RoleState {
  const { owner, role } = roleOfBranch(scope)
  return roleState(teamIn(state, owner), role)
}

/** The sub-task with a team that a branch is a part of; null: there is none, and it is of the session's own team, if of any. */
export function teamTaskOf(run: Scopes, scope: string | null): string | null {
  return branchesAbove(run, scope).find((line) => run.scopes[line]?.team) ?? null
}

/** The team that pays for a branch; absent: none does. */
export function payingTeam(state: Teams, scope: string | null): TeamState | undefined {
  return teamIn(state, state.run && teamTaskOf(state.run, scope))
}

/** What knows of the teams of a session. */
interface Setting {
  record: Pick<SessionRecord, 'team' | 'workerTeams'>
  state: Pick<SessionState, 'run'>
}

/** The team of the session (null), or of the worker that does a sub-task; absent: it has none. */
export function teamSpecOf({ record, state }: Setting, owner: string | null): TeamSpec | undefined {
  if (owner === null) return record.team
  const worker = teamIn(state, owner)?.worker
  return worker === undefined ? undefined : record.workerTeams?.[worker]
}

/** The role whose branch it is; absent: it is that of no role. */
export function roleIn(teams: Setting, scope: string): TeamRole | undefined {
  const seat = roleOfBranch(scope)
  return teamSpecOf(teams, seat.owner)?.roles.find(({ name }) => name === seat.role)
}
