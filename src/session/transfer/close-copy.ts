import type { NewEvent } from '../../domain/event.ts'
import { plansIn } from '../../domain/lineage.ts'
import { branchOfRole } from '../../domain/seat.ts'
import type { TeamState } from '../../domain/team.ts'
import { cancelledTasks, closedEvents } from '../../run/steps/closing.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { planData } from '../../run/steps/plan-data.ts'
import { stepEvent } from '../../run/steps/team-bus.ts'
import { endAll } from '../commands/queue.ts'

/** End what a copied log leaves open. Nobody here decided what it says that was decided, so nothing of it may run: a run in progress
 *  ends as cancelled, those of queued messages too, and one that can be carried on asks anew. */
export function closeCopy(journal: Journal, engine: Engine): void {
  write(journal, plannedEvents(journal))
  const { status } = journal.state
  if (status !== 'in_progress' && status !== 'interrupted')
    write(journal, [...closedEvents(journal, engine), ...unreviewedEvents(journal), ...unansweredEvents(journal)])
  endAll(journal, engine)
}

function write(journal: Journal, events: readonly NewEvent[]): void {
  if (events.length > 0) journal.append(events)
}

/** A plan that somebody edited is not taken: it stays what the planner wrote. */
function plannedEvents(journal: Journal): NewEvent[] {
  const { run } = journal.state
  const edited = run ? plansIn(run).filter(({ plan }) => plan.stage === 'edited') : []
  return edited.flatMap(({ owner }): NewEvent[] => {
    const plan = planData(journal, owner)
    return plan ? [{ type: 'plan', scope: owner, plan }] : []
  })
}

/** Where plans are looked at, what is left of those that were comes cancelled: the planner is asked anew, and its plan looked at. */
function unreviewedEvents(journal: Journal): NewEvent[] {
  return journal.record.config.plan?.review ? cancelledTasks(journal) : []
}

/** People who answered for a role are asked for it once more. */
function unansweredEvents({ state: { run, team } }: Journal): NewEvent[] {
  const teams: [string | null, TeamState | undefined][] = [
    [null, team],
    ...Object.entries(run?.scopes ?? {}).map(([task, scope]): [string, TeamState | undefined] => [task, scope.team]),
  ]
  return teams.flatMap(([owner, { roles = [] } = {}]) =>
    roles.flatMap(({ name, step, question, todo }) =>
      question === 'none' || todo === null ? [] : [stepEvent(branchOfRole(owner, name), step, 'HAS_TODO', todo)],
    ),
  )
}
