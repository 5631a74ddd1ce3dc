import type { Language } from '../../domain/language.ts'
import { LLM_WORKER, type PlanWorker } from '../../domain/plan.ts'
import { orchestratorOfSkill, type SkillDefinition } from '../../domain/skill.ts'
import type { Engine, MoveContext } from '../../engine/engine.ts'
import { isWorkerOfStep } from '../../domain/workflow.ts'
import { languageFor } from '../../engine/settings.ts'
import type { Outcome } from '../../engine/job.ts'
import { executorOf } from '../../engine/worker/executor.ts'
import { tasksIn } from './state.ts'

const MODEL_ITSELF = {
  'zh-CN': '模型自己，没有任何工具：写作、推理、计算、翻译、整理已知的信息。',
  en: 'The model itself, without any tools: writing, reasoning, calculating, translating, ordering what is known.',
} as const satisfies Record<Language, string>

/** Who can do sub-tasks: each skill that is marked as a worker, each MCP server that says what it is for, and the model; in the plan of
 *  a role also the role's actions. Of several with one name the first counts. A skill that runs by another orchestrator works only
 *  for a run's own plan (`takesAll`), not for the whole run and not within a team. `owner`: the role whose plan it is; null: the run. */
export function workersOf(
  { engine, journal: { record, state } }: MoveContext,
  owner: string | null,
  takesAll = owner === null,
): PlanWorker[] {
  const language = languageFor(engine, record)
  const actions = owner === null ? [] : (executorOf({ engine, record, state }, owner).member?.actions ?? [])
  const others = [
    ...actions.map(({ name, instruction }) => ({ name, description: instruction.slice(0, DESCRIPTION_CHARS_MAX) })),
    ...engine.skills
      .workers(record.tenant, language)
      .filter((skill) => takesAll || isAlone(skill))
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

/** Whether a worker is an agent alone. */
function isAlone(skill: SkillDefinition): boolean {
  return orchestratorOfSkill(skill) === 'agent'
}

/** Whether a name is that of a worker who is more than one, and works for others than this plan. */
export function isGroup({ engine, journal: { record } }: MoveContext, name: string): boolean {
  const skills = engine.skills.workers(record.tenant, languageFor(engine, record))
  return skills.some((skill) => skill.name === name && !isAlone(skill))
}

/** Of an action's instruction, this much is its description for a planner. */
const DESCRIPTION_CHARS_MAX = 500

/** The record with the tenant's skills that these branches need, as they are now, so that a restart finds the same ones. Empty where
 *  they need none. */
export function keptSkills(
  work: readonly { worker: string }[],
  { engine, journal: { record, state } }: MoveContext,
): Pick<Outcome, 'record'> {
  const { run } = state
  const earlier = run ? tasksIn(run).map(({ task }) => task) : []
  const names = new Set([...earlier, ...work].map(({ worker }) => worker))
  const own = engine.skills.tenantWorkers(record.tenant)
  const wanted = [...names].flatMap((name): [string, SkillDefinition][] => {
    const skill = record.workers?.[name] ?? own.find((one) => one.name === name)
    return skill ? [[name, skill]] : []
  })
  const ofSteps = Object.entries(record.workers ?? {}).filter(([name]) => isWorkerOfStep(name))
  return wanted.length === 0 ? {} : { record: { ...record, workers: Object.fromEntries([...ofSteps, ...wanted]) } }
}
