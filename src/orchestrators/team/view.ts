import { accountOf, amountOf } from '../../budget/reserve.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { TaskTeam } from '../../domain/plan.ts'
import { branchOfRole, USER } from '../../domain/role.ts'
import type { TeamMessage, TeamData, TeamSpec } from '../../domain/team.ts'
import type { LogContext, MoveContext } from '../../engine/engine.ts'
import type { BranchOutcome, Progress } from '../../engine/work.ts'
import { isWaiting } from '../../engine/orchestrator-of.ts'
import type { Journal } from '../../log/journal.ts'
import { teamWarnings } from './check.ts'
import { messagesAt } from './bus.ts'
import { newTeam, roleState, teamIn } from './state.ts'

/** The team that works at a sub-task, as the task shows it; null: none does. */
export function taskTeam({ journal }: LogContext, task: string): TaskTeam | null {
  const team = teamIn(journal.state, task)
  if (!team) return null
  const roles = team.roles.map(({ name, step, costs }) => ({ name, state: step, cost: amountOf(costs) }))
  return { round: team.round, n_round: team.roundsMax, ...accountOf(team), roles }
}

/** Whether all who have a turn at a sub-task wait for a human. */
export function teamWaits(context: LogContext, task: string): boolean {
  const acting = teamIn(context.journal.state, task)?.roles.filter(({ heard }) => heard.length > 0) ?? []
  const waits = (name: string) => isWaiting(context, branchOfRole(task, name))
  return acting.length > 0 && acting.every(({ name, question }) => question === 'open' || waits(name))
}

/** The output of a team in this run, or at the sub-task `owner`: the messages of its roles that no role heard, and those that are not
 *  acted upon yet. Null: there are none. */
export function teamOutcome({ journal }: MoveContext, owner: string | null): BranchOutcome {
  const { roles = [], unheard = [] } = teamIn(journal.state, owner) ?? {}
  const news = roles.flatMap(({ news: waiting, heard }) => [...heard, ...waiting])
  const seqs = [...new Set([...unheard, ...news])].toSorted((a, b) => a - b)
  const messages = messagesAt(journal, seqs).filter(({ sent_from: from }) => from !== USER)
  const result = messages.length === 0 ? null : messages.map(({ content }) => content).join('\n\n')
  return { result, violations: null, endedBy: null }
}

/** The team of a session as SessionData shows it. */
export function teamData(context: LogContext, team: TeamSpec): TeamData {
  const { skills: _, ...spec } = team
  const { journal } = context
  const { state } = journal
  const now = state.team ?? { ...newTeam(), investment: spec.investment }
  return {
    ...spec,
    roles: spec.roles.map((role) => {
      const { step, costs } = roleState(now, role.name)
      const parts = context.engine.orchestrators.all.map(({ viewIn }) => viewIn?.(context, role.name))
      return Object.assign({ ...role, state: step, cost: amountOf(costs) }, ...parts)
    }),
    round: now.round,
    idle: spec.roles.every(({ name }) => roleState(now, name).step === 'IDLE'),
    stop_reason: stopReason(journal),
    ...accountOf(now),
    warnings: teamWarnings(spec.roles),
    history: newestHistory(journal),
    message_count: now.messages,
  }
}

/** How far the newest run of the session's team is: by the rounds that are done, of those that there may be. */
export function teamProgress({ journal: { record, state } }: LogContext): Progress | null {
  const { team, run, status } = state
  if (!record.team) return null
  if (!team || !run) return { progress: 0, stage: 'ready' }
  const done = team.acting.length > 0 ? team.round - 1 : team.round
  const share = Math.floor((done * 100) / Math.max(team.roundsMax, 1))
  return {
    progress: status === 'completed' ? 100 : Math.min(Math.max(share, 0), 99),
    stage: run.endSeq > 0 ? 'ended' : 'running',
  }
}

function stopReason({ state: { run } }: Journal): TeamData['stop_reason'] {
  if (run?.finishReason === 'completed') return 'idle'
  return run?.finishReason === 'max_rounds' || run?.finishReason === 'no_money' ? run.finishReason : null
}

/** The newest messages, oldest first, as many as are not too long together; the last always. */
function newestHistory({ log }: Journal): TeamMessage[] {
  const newest = log.teamMessages({ limit: LIMITS.team.historyMax, newestFirst: true }).map(({ message }) => message)
  let left: number = LIMITS.team.historyCharsMax
  const end = newest.findIndex(({ content }, index) => (left -= content.length) < 0 && index > 0)
  return newest.slice(0, end < 0 ? newest.length : end).toReversed()
}
