import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode, TeamBounds } from '../../domain/event.ts'
import type { ContinueInput } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { REQUIREMENT, USER } from '../../domain/role.ts'
import type { TeamMessageInput } from '../../domain/team.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { isActive } from '../../log/branches.ts'
import { type BusMessage, startOf, userEvents } from '../../orchestrators/team/bus.ts'
import { newTaskEvents } from './run.ts'
import { unpricedIn } from '../../orchestrators/team/given.ts'

/** What a team may spend from here on; nothing where nothing was said of it. */
export function teamBounds(
  engine: Engine,
  record: SessionRecord,
  { n_round: rounds, investment }: ContinueInput,
): Result<TeamBounds> {
  const { team } = record
  if (!team) {
    const given = Object.entries({ n_round: rounds, investment }).filter(([, value]) => value !== undefined)
    const issues = given.map(([path]) => ({ path, message: 'nothing: only a session with a team has it' }))
    return issues.length > 0 ? invalid(issues) : ok({})
  }
  const unpriced = unpricedIn(engine, team, record, investment ?? null)
  return unpriced
    ? fail(unpriced)
    : ok({ ...(rounds === undefined ? {} : { rounds }), ...(investment === undefined ? {} : { investment }) })
}

/** A message of the user on the bus. A run that is not over goes on with it; else it begins one. */
export function teamMessageEvents(
  journal: Journal,
  engine: Engine,
  { content, cause_by: causeBy = REQUIREMENT, send_to: sendTo = [] }: TeamMessageInput,
  mode: RunMode,
): Result<NewEvent[]> {
  if (!journal.record.team) return fail({ code: 'not_found', what: 'team' })
  const said: BusMessage = { from: USER, content, causeBy, sendTo }
  const { status } = journal.state
  if (status !== 'in_progress' && status !== 'interrupted')
    return ok(newTaskEvents(journal, engine, content, mode, { begun: startOf(journal, said, 'ended') }))
  return ok([
    journal.messageEvent({ role: 'user', content, kind: 'task' }),
    ...userEvents(journal, said, 'going'),
    ...(isActive(journal.state) ? [] : [{ type: 'run-resume', mode } as const]),
  ])
}
