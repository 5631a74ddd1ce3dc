import { accountOf, amountOf } from '../../budget/investment.ts'
import { LIMITS } from '../../domain/limits.ts'
import { newTeam, roleState, type TeamMessage } from '../../domain/team.ts'
import type { TeamData } from '../../domain/team-spec.ts'
import { teamWarnings } from '../../teams/check-team.ts'
import type { Journal } from '../../log/journal.ts'
import { planData } from '../../run/steps/plan-data.ts'

/** The team of a session as SessionData shows it; null: it has none. */
export function teamData(journal: Journal): TeamData | null {
  const { record, state } = journal
  if (!record.team) return null
  const { skills: _, ...spec } = record.team
  const team = state.team ?? { ...newTeam(), investment: spec.investment }
  return {
    ...spec,
    roles: spec.roles.map((role) => {
      const { step, costs } = roleState(team, role.name)
      const plan = planData(journal, role.name)
      return { ...role, state: step, cost: amountOf(costs), ...(plan ? { plan } : {}) }
    }),
    round: team.round,
    idle: spec.roles.every(({ name }) => roleState(team, name).step === 'IDLE'),
    stop_reason: stopReason(journal),
    ...accountOf(team),
    warnings: teamWarnings(spec.roles),
    history: newestHistory(journal),
    message_count: team.messages,
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
