import { useEffect } from 'preact/hooks'
import type { TeamData, TeamRoleData } from '../../domain/team.ts'
import { may } from '../api.ts'
import { listText, viewTexts, moneyText, texts } from '../language.ts'
import type { Followed } from '../sessions/followed.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { causeText, senderText, StatusMark } from '../ui/marks.tsx'
import { BusForm } from './bus-form.tsx'
import { roundsOf, type RoundItems } from '../timeline/timeline.ts'

/** A team's log is read back so far. */
const EVENTS_MAX = 5_000

/** The team of a session: its roles, and its rounds one after the other. */
export function TeamView({ session }: { session: Followed }) {
  const t = viewTexts().teams
  const team = session.head.value?.team
  void session.version.value
  useEffect(() => void session.readBackTo(EVENTS_MAX), [session])
  if (!team) return <p class="empty">{t.empty}</p>
  const rounds = roundsOf(session.timeline.items)
  const { status } = session.head.value ?? {}
  const isAtWork = status === 'in_progress' || status === 'interrupted'
  return (
    <div class="page team">
      <Roles team={team} isAtWork={isAtWork} />
      <ProblemLine text={session.problem.value} />
      <ol class="rounds">
        {rounds.map((round, index) => (
          <RoundCard key={round.key} round={round} isOpen={isAtWork && index === rounds.length - 1} />
        ))}
      </ol>
      {team.stop_reason === null ? null : <p class="dim">{t.stop[team.stop_reason] ?? team.stop_reason}</p>}
      {may('run') ? <BusForm session={session} roles={team.roles.map(({ name }) => name)} /> : null}
    </div>
  )
}

function Roles({ team, isAtWork }: { team: TeamData; isAtWork: boolean }) {
  const t = viewTexts().teams
  return (
    <section aria-label={t.roles}>
      <p class="dim">
        {t.rounds} {team.round} · {t.roundsMax(team.n_round)}
        {team.spent === null ? '' : ` · ${t.spent} ${moneyText(team.spent)}`}
        {team.left === null ? '' : ` · ${t.left} ${moneyText(team.left)}`}
      </p>
      <ul class="roles">
        {team.roles.map((role) => (
          <RoleCard key={role.name} role={role} isAtWork={isAtWork} />
        ))}
      </ul>
    </section>
  )
}

function RoleCard({ role, isAtWork }: { role: TeamRoleData; isAtWork: boolean }) {
  // A run that ended in the midst of a turn leaves its role there, for the run that is carried on.
  const state = role.state === 'EXECUTING' && !isAtWork ? 'HAS_TODO' : role.state
  return (
    <li class="card">
      <header>
        <strong>{role.name}</strong> <span class="tag">{viewTexts().teams.states[state] ?? state}</span>
      </header>
      <p class="dim">{role.profile}</p>
      {role.cost === null ? null : <p class="dim facts">{moneyText(role.cost)}</p>}
      {role.plan?.tasks.map(({ id, status, worker, description }) => (
        <p key={id} class="dim">
          <StatusMark status={status} /> {worker}: {description}
        </p>
      ))}
    </li>
  )
}

function RoundCard({ round, isOpen }: { round: RoundItems; isOpen: boolean }) {
  return (
    <li>
      <h2>
        {texts().chat.round(round.round)} <span class="dim">{listText(round.roles)}</span>
        {isOpen ? <span class="pulse" aria-hidden="true" /> : null}
      </h2>
      {round.said.map(({ message, heardBy }) => (
        <article class="card" key={message.id}>
          <header>
            <strong>{senderText(message.sent_from)}</strong> <span class="tag">{causeText(message.cause_by)}</span>
            <span class="dim">{texts().chat.heardBy(listText(heardBy))}</span>
          </header>
          <Markdown text={message.content} />
        </article>
      ))}
    </li>
  )
}
