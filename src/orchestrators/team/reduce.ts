import { addMoney } from '../../budget/usage.ts'
import { branchesAbove, newBranch, type SessionState } from '../../domain/state.ts'
import { branchOfRole, roleOfBranch, USER } from '../../domain/role.ts'
import { LIMITS } from '../../domain/limits.ts'
import { fingerprint } from '../../lib/hash.ts'
import { draftBranch, type Core, type EventOf, type Reducer } from '../../log/reduce/reducer.ts'
import { newRole, newTeam, payingTeam, type RoleState, teamIn, type TeamState } from './state.ts'

/** What events change in teams. A role that is idle leaves no branch behind. */
export const teamReducer: Reducer = {
  on: {
    'run-start': (draft, event) => bound(draft, event),
    'run-resume': (draft, event) => bound(draft, event),
    'task-start': ({ run }, { task, rounds: roundsMax, investment }) => {
      if (!run || roundsMax === undefined) return
      const team = { ...newTeam(), worker: task.worker, roundsMax, investment: investment ?? null }
      Object.assign(draftBranch(run, task.id), { orchestrator: 'team', team })
    },
    'step-start': ({ run }, { scope, worker = '', rounds: roundsMax, investment }) => {
      if (!run || roundsMax === undefined || scope === null) return
      const team = { ...newTeam(), worker, roundsMax, investment: investment ?? null }
      Object.assign(draftBranch(run, scope), { orchestrator: 'team', team })
    },
    pending: (draft, event) => ask(draft, event),
    'pending-end': (draft, event) => answer(draft, event),
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
    'role-state': (draft, event, core) => {
      const scope = event.scope ?? event.role
      const team = teamIn(draft, roleOfBranch(scope).owner)
      if (!team) return
      const role = roleIn(team, event.role)
      role.step = event.to
      if (event.to === 'HAS_TODO') role.todo = event.action ?? null
      if (event.to === 'EXECUTING') beginAction(draft, role, scope, core)
      if (event.to === 'HAS_NEWS' && event.from !== 'IDLE')
        Object.assign(role, { news: kept([...role.heard, ...role.news]) })
      if (event.to === 'IDLE' || event.to === 'HAS_NEWS') endTurn(draft, role, scope, core)
      if (event.dropped) role.news = []
    },
    'team-message': (draft, { message, heard_by: hearers, seq, scope }, core) => {
      const isUsers = message.sent_from === USER
      const owner = isUsers || scope === null ? scope : roleOfBranch(scope).owner
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
      core.leave(draft, branchOfRole(owner, sender.name))
    },
  },
  charge: (draft, branch, cost, why) => {
    const payer = payingTeam(draft, branch)
    if (payer) payer.charged = addMoney(payer.charged, cost)
    if (why !== 'spent') return
    // What a role, or a sub-task of its plan, cost goes on the role's own account too.
    for (const line of draft.run ? branchesAbove(draft.run, branch) : []) {
      const role = knownRole(draft, line)
      if (role) role.costs = addMoney(role.costs, cost)
    }
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

function beginAction(draft: SessionState, role: RoleState, scope: string, core: Core): void {
  Object.assign(role, { question: 'none', answerSeq: 0 })
  core.leave(draft, scope)
  if (draft.run) draft.run.scopes[scope] = { ...newBranch(), ...(role.todo === null ? {} : { action: role.todo }) }
}

function endTurn(draft: SessionState, role: RoleState, scope: string, core: Core): void {
  Object.assign(role, noTurn())
  core.leave(draft, scope)
}

/** A run begins or goes on: with so many rounds more, and so much money in all. Rounds that an earlier run left over are not kept. */
function bound(draft: SessionState, event: EventOf<'run-start'> | EventOf<'run-resume'>): void {
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

function knownRole(draft: SessionState, scope: string): RoleState | undefined {
  const seat = roleOfBranch(scope)
  return teamIn(draft, seat.owner)?.roles.find(({ name }) => name === seat.role)
}

/** A person was asked for what a role does. */
function ask(draft: SessionState, { pending, scope }: EventOf<'pending'>): void {
  const isForPerson = pending.call_id === undefined && pending.type === 'question'
  const role = isForPerson && scope !== null ? knownRole(draft, scope) : undefined
  if (role) role.question = 'open'
}

/** They answered, or will not. */
function answer(draft: SessionState, event: EventOf<'pending-end'>): void {
  const role = event.scope === null ? undefined : knownRole(draft, event.scope)
  if (role?.question !== 'open') return
  const question = event.decision === 'answer' ? 'answered' : event.decision === 'cancelled' ? 'none' : 'refused'
  Object.assign(role, { question, answerSeq: event.seq })
}
