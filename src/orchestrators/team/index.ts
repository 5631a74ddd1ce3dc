import type { Orchestrator } from '../../engine/engine.ts'
import { branchOf } from '../../log/branches.ts'
import { investmentRefusal } from '../../budget/reserve.ts'
import { branchesOf } from '../../domain/state.ts'
import { roleOfBranch } from '../../domain/role.ts'
import { plansTurn } from '../../domain/team.ts'
import { startOf, userEvents } from './bus.ts'
import { givenTeamIssues } from './check.ts'
import { chooseActionStep, ROUND_STEPS } from './round.ts'
import { closeTeamOf, closeTeams, takeTask } from './lifecycle.ts'
import { decideTeam, teamWithin } from './decide.ts'
import { boundsOf, issuesIn, teamOf } from './given.ts'
import { publishStep } from './publish.ts'
import { teamReducer } from './reduce.ts'
import { payingTeam, roleIn, teamIn, teamSpecOf, teamTaskOf } from './state.ts'
import { taskTeam, teamData, teamOutcome, teamProgress, teamWaits } from './view.ts'

/** Roles on a message bus, round by round. */
export const team: Orchestrator = {
  name: 'team',
  description: {
    'zh-CN': '一队角色在消息总线上按轮次协作。',
    en: 'A team of roles works on a message bus, round by round.',
  },
  isImplied: ({ team: given, skill }) => Boolean(given ?? skill?.definition.team),
  cast: async (engine, tenant, input, skill) => {
    const found = await teamOf(engine, tenant, input, skill)
    return found.ok ? { ok: true, value: { team: found.value } } : found
  },
  issues: (_input, { team: given }, isChosen) => {
    if (isChosen === Boolean(given)) return []
    const message = given
      ? 'team, or not given: a team brings its own'
      : 'another one: a team works in a stored session'
    return [{ path: 'orchestrator', message }]
  },
  hasWorkers: ({ team: given }) => given?.roles.some(plansTurn) ?? false,
  decide: decideTeam,
  movesIn: teamWithin,
  reduce: teamReducer,
  steps: { 'choose-action': chooseActionStep, publish: publishStep, ...ROUND_STEPS },
  outcome: teamOutcome,
  view: (context) => {
    const { team: given } = context.journal.record
    return given ? { team: teamData(context, given) } : {}
  },
  progress: teamProgress,
  viewIn: (context, branch) => {
    const working = taskTeam(context, branch)
    return working ? { team: working } : {}
  },
  waits: teamWaits,
  executor: ({ record, state }, branch) => {
    const member = roleIn({ record, state }, branch)
    if (!member) return null
    const { owner } = roleOfBranch(branch)
    return {
      worker: null,
      team: teamSpecOf({ record, state }, owner) ?? null,
      crew: (owner === null ? null : teamIn(state, owner)?.worker) ?? null,
      member,
      action: (state.run && branchOf(state.run, branch).action) ?? null,
      isPart: false,
    }
  },
  takeTask,
  teams: {
    givenIssues: givenTeamIssues,
    issues: issuesIn,
    bounds: boundsOf,
    hear: (journal, said) => userEvents(journal, said, 'going'),
  },
  refusal: (state, branch, specs, wanted) => {
    const { run } = state
    const payer = payingTeam(state, branch)
    if (!run || !payer) return null
    const task = teamTaskOf(run, branch)
    const lines = task === null ? Object.keys(run.scopes) : branchesOf(run, task)
    return investmentRefusal(
      payer,
      lines.map((line) => branchOf(run, line)),
      specs,
      wanted,
    )
  },
  mayFitLater: (run, branch, code) => code === 'budget_exhausted' && teamTaskOf(run, branch) !== null,
  /** The others of its round finish. */
  endsAlone: (run, branch) => run.orchestrator === 'team' || teamTaskOf(run, branch) !== null,
  begin: startOf,
  /** It is heard as any message to the team is. */
  steer: (journal, content) => userEvents(journal, { content }, 'going'),
  close: closeTeams,
  closeBranch: closeTeamOf,
}
