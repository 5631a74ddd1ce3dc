import type { StreamEvent } from '../../client/client.ts'
import type { TeamData } from '../../domain/team-spec.ts'
import { client } from '../api.ts'
import { moneyText, texts } from '../language.ts'
import type { Followed } from '../session/followed.ts'
import { Markdown } from '../session/markdown.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { ProblemLine } from '../ui/problem.tsx'
import { BusForm } from './bus-form.tsx'
import { roundsOf, type Round } from './rounds.ts'

const PAGE_EVENTS = 100
/** A team's log is read so far; the newest rounds are what one looks for first, so it begins there. */
const EVENTS_MAX = 5_000

/** The team of a session: its roles, and its rounds one after the other. */
export function TeamView({ session }: { session: Followed }) {
  const t = texts().teams
  const team = session.head.value?.team
  const lastSeq = session.head.value?.last_seq ?? 0
  const rounds = useLoaded(async () => roundsOf(await newestEvents(session.id, lastSeq)), [session.id, lastSeq])
  if (!team) return <p class="empty">{t.empty}</p>
  return (
    <div class="page team">
      <Roles team={team} />
      <ProblemLine text={rounds.problem.value} />
      <ol class="rounds">
        {rounds.value.value?.map((round) => (
          <RoundCard key={round.key} round={round} />
        ))}
      </ol>
      {team.stop_reason === null ? null : <p class="dim">{t.stop[team.stop_reason] ?? team.stop_reason}</p>}
      <BusForm session={session} roles={team.roles.map(({ name }) => name)} />
    </div>
  )
}

async function newestEvents(id: string, lastSeq: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for (let after = Math.max(0, lastSeq - EVENTS_MAX); after < lastSeq; after += PAGE_EVENTS) {
    const { data } = await client.value.sessions.eventList(id, { after, limit: PAGE_EVENTS })
    events.push(...data)
  }
  return events
}

function Roles({ team }: { team: TeamData }) {
  const t = texts().teams
  return (
    <section aria-label={t.roles}>
      <p class="dim">
        {t.rounds} {team.round}/{team.n_round}
        {team.spent === null ? '' : ` · ${t.spent} ${moneyText(team.spent)}`}
        {team.left === null ? '' : ` · ${t.left} ${moneyText(team.left)}`}
      </p>
      <ul class="roles">
        {team.roles.map((role) => (
          <li key={role.name} class="card">
            <header>
              <strong>{role.name}</strong> <span class="tag">{role.state}</span>
            </header>
            <p class="dim">{role.profile}</p>
            {role.cost === null ? null : <p class="dim facts">{moneyText(role.cost)}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function RoundCard({ round }: { round: Round }) {
  const t = texts().teams
  return (
    <li>
      <h2>
        {texts().chat.round(round.round)} <span class="dim">{round.roles.join(', ')}</span>
        {round.isOpen ? <span class="pulse" aria-hidden="true" /> : null}
      </h2>
      {round.said.map(({ message, heardBy }) => (
        <article class="card" key={message.id}>
          <header>
            <strong>{message.sent_from}</strong> <span class="tag">{message.cause_by}</span>
            <span class="dim">
              {t.heardBy} {heardBy.length === 0 ? t.nobody : heardBy.join(', ')}
            </span>
          </header>
          <Markdown text={message.content} />
        </article>
      ))}
    </li>
  )
}
