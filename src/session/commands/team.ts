import { fail, type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode, TeamBounds } from '../../domain/event.ts'
import type { ContinueInput } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { TeamMessageInput, TeamSpec } from '../../domain/team.ts'
import type { Engine, MoveContext } from '../../engine/engine.ts'
import type { TaskAct } from '../../engine/work.ts'
import { isActive } from '../../log/branches.ts'
import { newTaskEvents } from './run.ts'

/** End one sub-task, or do it once more. */
export function taskEvents(context: MoveContext, id: string, act: TaskAct, mode: RunMode): Result<NewEvent[]> {
  for (const { changeTask } of context.engine.orchestrators.all) {
    const changed = changeTask?.(context, id, act, mode)
    if (changed) return changed
  }
  return fail({ code: 'not_found', what: `task ${id}` })
}

/** Do a declared step once more. */
export function stepEvents(context: MoveContext, path: string, mode: RunMode): Result<NewEvent[]> {
  for (const { retryStep } of context.engine.orchestrators.all) {
    const events = retryStep?.(context, path, mode)
    if (events) return events
  }
  return fail({ code: 'not_found', what: 'workflow' })
}

/** What is wrong here with a team that another server kept; paths are under `team`. */
export function importedTeamIssues(
  engine: Engine,
  team: TeamSpec,
  session: { config: SessionRecord['config'] },
): InputIssue[] {
  return engine.orchestrators.all.flatMap(({ teams }) => teams?.issues(engine, team, session) ?? [])
}

/** What a team may spend from here on; nothing where nothing was said of it. */
export function teamBounds(
  engine: Engine,
  record: SessionRecord,
  { n_round, investment }: ContinueInput,
): Result<TeamBounds> {
  const { teams } = engine.orchestrators.find(record.orchestrator) ?? {}
  if (teams) return teams.bounds(engine, record, { n_round, investment })
  const given = Object.entries({ n_round, investment }).filter(([, value]) => value !== undefined)
  const issues = given.map(([path]) => ({ path, message: 'nothing: only a session with a team has it' }))
  return issues.length > 0 ? invalid(issues) : ok({})
}

/** A message of the user on the bus. A run that is not over goes on with it; else it begins one. */
export function teamMessageEvents(
  { journal, engine }: MoveContext,
  said: TeamMessageInput,
  mode: RunMode,
): Result<NewEvent[]> {
  const { record, state } = journal
  const { teams } = engine.orchestrators.find(record.orchestrator) ?? {}
  if (!teams) return fail({ code: 'not_found', what: 'team' })
  if (state.status !== 'in_progress' && state.status !== 'interrupted')
    return ok(newTaskEvents(journal, engine, said.content, mode, { said }))
  return ok([
    journal.messageEvent({ role: 'user', content: said.content, kind: 'task' }),
    ...teams.hear(journal, said),
    ...(isActive(state) ? [] : [{ type: 'run-resume', mode } as const]),
  ])
}
