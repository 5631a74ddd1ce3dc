import { addMoney } from '../../budget/usage.ts'
import { taskIn } from '../../domain/lineage.ts'
import { LIMITS } from '../../domain/limits.ts'
import { newScope, type SessionState } from '../../domain/state.ts'
import { newRole, newTeam, type RoleState, type TeamState, USER } from '../../domain/team.ts'
import type { Money } from '../../domain/usage.ts'
import { fingerprint } from '../../lib/fingerprint.ts'
import { chargeTeam, leaveScope } from './held.ts'
import { type EventOf, type Handlers, scopeOf } from './places.ts'
import { isPlanItem } from './plan.ts'

type TeamEvent = 'round-start' | 'round-end' | 'role-state' | 'team-message' | 'call-refused'

/** What the events of a team change in the fold. A role that is idle leaves no line of work behind. */
export const TEAM_HANDLERS: Handlers<TeamEvent> = {
  'round-start': ({ team }, { round, roles }) => {
    if (!team) return
    Object.assign(team, { round, acting: roles, said: [] })
    for (const name of roles) {
      const role = roleIn(team, name)
      Object.assign(role, { ...noTurn(), heard: role.news, news: [] })
    }
  },
  'round-end': ({ team }) => {
    if (!team) return
    const said = fingerprint(team.said.toSorted().join())
    Object.assign(team, { acting: [], said: [], trail: [...team.trail, said].slice(-LIMITS.run.trailTurnsMax) })
  },
  'role-state': (draft, event) => {
    if (!draft.team) return
    const role = roleIn(draft.team, event.role)
    role.step = event.to
    if (event.to === 'HAS_TODO') role.todo = event.action ?? null
    if (event.to === 'EXECUTING') beginAction(draft, role)
    if (event.to === 'HAS_NEWS' && event.from !== 'IDLE')
      Object.assign(role, { news: kept([...role.heard, ...role.news]) })
    if (event.to === 'IDLE' || event.to === 'HAS_NEWS') endTurn(draft, role)
    if (event.dropped) role.news = []
  },
  'team-message': (draft, { message, heard_by: hearers, seq }) => {
    const { team } = draft
    if (!team) return
    team.messages++
    for (const name of hearers) {
      const role = roleIn(team, name)
      role.news = kept([...role.news, seq])
    }
    if (message.sent_from === USER) return
    if (hearers.length === 0) team.unheard = [...team.unheard, seq].slice(-LIMITS.team.unheardMax)
    team.said.push(fingerprint(`${message.sent_from}\n${message.cause_by}\n${message.content}`))
    const sender = roleIn(team, message.sent_from)
    Object.assign(sender, { done: [...sender.done, message.cause_by], outputs: [...sender.outputs, seq], todo: null })
    leaveScope(draft, sender.name)
  },
  'call-refused': ({ run }, { scope, code, detail }) => {
    if (run) scopeOf(run, scope).refused = { code, ...(detail === undefined ? {} : { detail }) }
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

function beginAction(draft: SessionState, role: RoleState): void {
  Object.assign(role, { question: 'none', answerSeq: 0 })
  leaveScope(draft, role.name)
  if (draft.run) draft.run.scopes[role.name] = { ...newScope(), ...(role.todo === null ? {} : { action: role.todo }) }
}

function endTurn(draft: SessionState, role: RoleState): void {
  Object.assign(role, noTurn())
  leaveScope(draft, role.name)
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
export function holdCutCalls({ team, run }: SessionState): void {
  if (!team || !run) return
  for (const { model } of Object.values(run.scopes)) chargeTeam(team, model?.reserved.cost ?? null)
}

/** What a call of a role, or of a sub-task of its plan, cost goes on the role's own account. */
export function chargeRole({ team, run }: SessionState, scope: string | null, cost: Money | null): void {
  const name = (run && taskIn(run, scope)?.owner) ?? scope
  const role = team?.roles.find((one) => one.name === name)
  if (role) role.costs = addMoney(role.costs, cost)
}

/** A person was asked for what a role does. */
export function askRole({ team }: SessionState, { pending, scope }: EventOf<'pending'>): void {
  const isForPerson = pending.call_id === undefined && !isPlanItem(pending)
  const role = isForPerson ? team?.roles.find(({ name }) => name === scope) : undefined
  if (role) role.question = 'open'
}

/** They answered, or will not. */
export function answerRole({ team }: SessionState, event: EventOf<'pending-end'>): void {
  const role = team?.roles.find(({ name, question }) => name === event.scope && question === 'open')
  if (!role) return
  const question = event.decision === 'answer' ? 'answered' : event.decision === 'cancelled' ? 'none' : 'refused'
  Object.assign(role, { question, answerSeq: event.seq })
}
