import { LLM_WORKER, SELF_WORKER } from '../../domain/plan.ts'
import { skillDefinition } from '../../domain/skill.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Outcome } from '../../engine/job.ts'
import { languageFor } from '../../engine/settings.ts'
import { WORKFLOW_WORKER } from '../../domain/workflow.ts'
import { keptSkills, workersOf } from '../plan/workers.ts'

const TEAM = 'team/'

/** Who takes a task: the worker that does it, with what the session keeps of it; else the names of those that there are. */
export async function takerOf(
  name: string,
  context: MoveContext,
): Promise<{ worker: string; kept: Pick<Outcome, 'record'> } | { names: string[] }> {
  if (name === '' || name === SELF_WORKER) return { worker: SELF_WORKER, kept: {} }
  if (workersOf(context, null).some((one) => one.name === name))
    return { worker: name, kept: keptSkills([{ worker: name }], context) }
  const teams = (await context.engine.teams()).map((team) => team.name)
  const team = name.startsWith(TEAM) ? name.slice(TEAM.length) : ''
  if (teams.includes(team)) return ofTeam(team, context)
  const workflow = name.startsWith(WORKFLOW_WORKER) ? name.slice(WORKFLOW_WORKER.length) : ''
  const { engine, journal } = context
  const isThere = workflow !== '' && (await engine.workflows(journal.record.tenant, workflow, 'en')) !== null
  return isThere ? ofWorkflow(workflow, context) : { names: await namesOf(teams, context) }
}

/** The same of a workflow. */
function ofWorkflow(name: string, { journal: { record } }: MoveContext) {
  const skill = skillDefinition.parse({ name, version: '1', description: name, workflow: name })
  const worker = `${WORKFLOW_WORKER}${name}`
  return { worker, kept: { record: { ...record, workers: { ...record.workers, [worker]: skill } } } }
}

/** A team works as a skill does that has it. The session keeps that skill, so that a restart finds it. */
function ofTeam(team: string, { journal: { record } }: MoveContext) {
  const skill = skillDefinition.parse({ name: team, version: '1', description: team, team, worker: true })
  const worker = `${TEAM}${team}`
  return { worker, kept: { record: { ...record, workers: { ...record.workers, [worker]: skill } } } }
}

/** So many workflows are named to a model at most. */
const WORKFLOWS_NAMED_MAX = 50

async function namesOf(teams: readonly string[], context: MoveContext): Promise<string[]> {
  const { engine, journal } = context
  const workflows = await engine.namedWorkflows(journal.record.tenant, languageFor(engine, journal.record))
  const workers = workersOf(context, null).map(({ name }) => name)
  return [
    SELF_WORKER,
    ...workers.filter((name) => name !== LLM_WORKER),
    LLM_WORKER,
    ...teams.map((name) => TEAM + name),
    ...workflows.slice(0, WORKFLOWS_NAMED_MAX).map(({ name }) => WORKFLOW_WORKER + name),
  ]
}
