import type { Language } from '../../domain/language.ts'
import { tasksIn } from '../../domain/lineage.ts'
import { LIMITS } from '../../domain/limits.ts'
import { LLM_WORKER, type PlanWorker } from '../../domain/plan.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { inLanguage, isTeamWork, type SkillDefinition } from '../../domain/skill.ts'
import { languageFor, type Engine } from '../engine.ts'
import type { MoveContext, Outcome } from '../job.ts'
import { roleIn } from './team-specs.ts'

const MODEL_ITSELF = {
  'zh-CN': '模型自己，没有任何工具：写作、推理、计算、翻译、整理已知的信息。',
  en: 'The model itself, without any tools: writing, reasoning, calculating, translating, ordering what is known.',
} as const satisfies Record<Language, string>

/** Who can do sub-tasks: of a role's plan the role's actions, and of any each skill marked as a worker, each MCP server that says
 *  what it is for, and the model. Of one name the first. A skill that is the work of a team works for a run's plan alone: not for
 *  one who picks a worker for the whole run, nor within a team. `owner`: the role; null: the run itself. */
export function workersOf({ engine, journal: { record, state } }: MoveContext, owner: string | null): PlanWorker[] {
  const language = languageFor(engine, record)
  const actions = roleIn({ record, run: state.run }, owner)?.actions ?? []
  const takesTeams = record.orchestrator === 'plan' && teamsAbove(owner) < LIMITS.team.depthMax
  const others = [
    ...actions.map(({ name, instruction }) => ({ name, description: instruction.slice(0, DESCRIPTION_CHARS_MAX) })),
    ...engine.skills
      .workers(record.tenant, language)
      .filter((skill) => takesTeams || !isTeamWork(skill))
      .map(({ name, description }) => ({ name, description })),
    ...serverWorkers(engine, language),
  ]
  const byName = new Map(others.toReversed().map((worker) => [worker.name, worker]))
  return [
    ...others.filter((worker) => worker.name !== LLM_WORKER && byName.get(worker.name) === worker),
    { name: LLM_WORKER, description: MODEL_ITSELF[language] },
  ]
}

/** MCP servers, those too whose tools are not there: work is not to go to another in their place unseen. */
function serverWorkers({ workers, missing }: Engine, language: Language): PlanWorker[] {
  return workers.map((worker) => {
    const gone = missing.find(({ name }) => name === worker.name)
    return gone ? { ...worker, unavailable: gone.reason[language] } : worker
  })
}

/** Teams that the owner of a plan works in. */
function teamsAbove(owner: string | null): number {
  return owner === null ? 0 : 1
}

/** Whether a name is that of a worker with a team, who works for others than this plan. */
export function isTeamWorker({ engine, journal: { record } }: MoveContext, name: string): boolean {
  const skills = engine.skills.workers(record.tenant, languageFor(engine, record))
  return skills.some((skill) => skill.name === name && isTeamWork(skill))
}

/** Of an action's instruction, this much is its description for a planner. */
const DESCRIPTION_CHARS_MAX = 500

type Skills = Pick<Engine, 'config' | 'skills'>

/** The skill that a worker is: as it was when it was given work, else as it is shipped; null: it is none. */
export function workerSkill(
  engine: Skills,
  record: Pick<SessionRecord, 'config' | 'workers'>,
  worker: string,
): SkillDefinition | null {
  if (worker === LLM_WORKER) return null
  const kept = record.workers?.[worker]
  if (kept) return kept
  const shipped = engine.skills.shipped.get(worker)
  return shipped ? inLanguage(shipped, languageFor(engine, record)) : null
}

/** The record with the skills of the tenant that these branches need, as they are now: so that they are there, and the
 *  same, also after a restart. Nothing, where there are none. */
export function keptSkills(
  work: readonly { worker: string }[],
  { engine, journal: { record, state } }: MoveContext,
): Pick<Outcome, 'record'> {
  const { run } = state
  const earlier = run ? tasksIn(run).map(({ task }) => task) : []
  const names = new Set([...earlier, ...work].map(({ worker }) => worker))
  const own = engine.skills.tenantWorkers.of(record.tenant)
  const wanted = [...names].flatMap((name): [string, SkillDefinition][] => {
    const skill = record.workers?.[name] ?? own.find((one) => one.name === name)
    return skill ? [[name, skill]] : []
  })
  return wanted.length === 0 ? {} : { record: { ...record, workers: Object.fromEntries(wanted) } }
}
