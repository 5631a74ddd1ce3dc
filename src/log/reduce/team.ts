import { addMoney } from '../../budget/usage.ts'
import { branchesAbove, teamIn } from '../../domain/lineage.ts'
import { branchOfRole, seatOf } from '../../domain/seat.ts'
import { LIMITS } from '../../domain/limits.ts'
import { newBranch, type SessionState } from '../../domain/state.ts'
import { newRole, newTeam, type RoleState, type TeamState, USER } from '../../domain/team.ts'
import type { Money } from '../../domain/usage.ts'
import { fingerprint } from '../../lib/hash.ts'
import { chargeTeam, leaveBranch } from './held.ts'
import { type EventOf, type Handlers, branchOf } from './places.ts'
import { isPlanItem } from './plan.ts'

type TeamEvent = 'round-start' | 'round-end' | 'role-state' | 'team-message' | 'call-refused'

/** What the events of a team change in the fold. A role that is idle leaves no branch behind. */
export const TEAM_HANDLERS: Handlers<TeamEvent> = {
  'round-start': (draft, { round, roles, scope }) => {
    const team = teamIn(draft, scope)
    if (!team) return
    Object.assign(team, { round, acting: roles, said: [] })
    for (const name of roles) {
      const role = roleIn(team, name)
      Object.assign(role, { ...noTurn(), heard: role.news, news: [] })
    }
  },
  'round-end': (draft, { scope }) => {
    const team = teamIn(draft, scope)
    if (!team) return
    const said = fingerprint(team.said.toSorted().join())
    Object.assign(team, { acting: [], said: [], trail: [...team.trail, said].slice(-LIMITS.run.trailTurnsMax) })
  },
  'role-state': (draft, event) => {
    const scope = event.scope ?? event.role
    const team = teamIn(draft, seatOf(scope).owner)
    if (!team) return
    const role = roleIn(team, event.role)
    role.step = event.to
    if (event.to === 'HAS_TODO') role.todo = event.action ?? null
    if (event.to === 'EXECUTING') beginAction(draft, role, scope)
    if (event.to === 'HAS_NEWS' && event.from !== 'IDLE')
      Object.assign(role, { news: kept([...role.heard, ...role.news]) })
    if (event.to === 'IDLE' || event.to === 'HAS_NEWS') endTurn(draft, role, scope)
    if (event.dropped) role.news = []
  },
  'team-message': (draft, { message, heard_by: hearers, seq, scope }) => {
    const isUsers = message.sent_from === USER
    const owner = isUsers || scope === null ? scope : seatOf(scope).owner
    const team = teamIn(draft, owner)
    if (!team) return
    team.messages++
    for (const name of hearers) {
      const role = roleIn(team, name)
      role.news = kept([...role.news, seq])
    }
    if (isUsers) return
    if (hearers.length === 0) team.unheard = [...team.unheard, seq].slice(-LIMITS.team.unheardMax)
    team.said.push(fingerprint(`${message.sent_from}\n${message.cause_by}\n${message.content}`))
    const sender = roleIn(team, message.sent_from)
    Object.assign(sender, { done: [...sender.done, message.cause_by], outputs: [...sender.outputs, seq], todo: null })
    leaveBranch(draft, branchOfRole(owner, sender.name))
  },
  'call-refused': ({ run }, { scope, code, detail }) => {
    if (run) branchOf(run, scope).refused = { code, ...(detail === undefined ? {} : { detail }) }
  },
}

function noTurn(): Pick<RoleState, 'heard' | 'done' | 'outputs' | 'todo' | 'question' | 'answerSeq'> {
  return { heard: [], done: [], outputs: [], todo: null, question: 'none', answerSeq: 0 }
}

function roleIn(team: TeamState, name: string): RoleState {
  const known = team.roles.find((role) => role.name === name)
  if (known) return known
  const role = newRole(name)
  team.roles.push(role)
  return role
}

function kept(seqs: number[]): number[] {
  return seqs.slice(-LIMITS.team.newsMax)
}

function beginAction(draft: SessionState, role: RoleState, scope: string): void {
  Object.assign(role, { question: 'none', answerSeq: 0 })
  leaveBranch(draft, scope)
  if (draft.run) draft.run.scopes[scope] = { ...newBranch(), ...(role.todo === null ? {} : { action: role.todo }) }
}

function endTurn(draft: SessionState, role: RoleState, scope: string): void {
  Object.assign(role, noTurn())
  leaveBranch(draft, scope)
}

/** A run begins or goes on: with so many rounds more, and so much money in all. Rounds that an earlier run left over are not kept. */
export function boundTeam(draft: SessionState, event: EventOf<'run-start'> | EventOf<'run-resume'>): void {
  const isNew = event.type === 'run-start' && !event.resumed
  if (isNew && event.orchestrator === 'team') draft.team ??= newTeam()
  const { team } = draft
  if (!team) return
  const { rounds = 0, investment = team.investment } = event
  const before = isNew ? team.round : team.roundsMax
  Object.assign(team, { roundsMax: before + rounds, investment })
  if (isNew) team.unheard = []
  if (event.type === 'run-start') team.trail = []
}

/** Calls of the last run whose usage never came stay paid for. */
export function holdCutCalls(draft: SessionState): void {
  for (const [scope, { model }] of Object.entries(draft.run?.scopes ?? {}))
    chargeTeam(draft, scope || null, model?.reserved.cost ?? null)
}

/** What a call of a role, or of a sub-task of its plan, cost goes on the role's own account. */
export function chargeRole(draft: SessionState, scope: string | null, cost: Money | null): void {
  for (const line of draft.run ? branchesAbove(draft.run, scope) : []) {
    const role = knownRole(draft, line)
    if (role) role.costs = addMoney(role.costs, cost)
  }
}

function knownRole(draft: SessionState, scope: string): RoleState | undefined {
  const seat = seatOf(scope)
  return teamIn(draft, seat.owner)?.roles.find(({ name }) => name === seat.role)
}

/** A person was asked for what a role does. */
export function askRole(draft: SessionState, { pending, scope }: EventOf<'pending'>): void {
  const isForPerson = pending.call_id === undefined && !isPlanItem(pending)
  const role = isForPerson && scope !== null ? knownRole(draft, scope) : undefined
  if (role) role.question = 'open'
}

/** They answered, or will not. */
export function answerRole(draft: SessionState, event: EventOf<'pending-end'>): void {
  const role = event.scope === null ? undefined : knownRole(draft, event.scope)
  if (role?.question !== 'open') return
  const question = event.decision === 'answer' ? 'answered' : event.decision === 'cancelled' ? 'none' : 'refused'
  Object.assign(role, { question, answerSeq: event.seq })
}
