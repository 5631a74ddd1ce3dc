import type { Language } from '../domain/language.ts'
import { LLM_WORKER, type Worker } from '../domain/plan.ts'
import type { SessionRecord } from '../domain/session.ts'
import { inLanguage, type SkillDefinition } from '../domain/skill.ts'
import { languageFor, type Engine } from './engine.ts'
import type { MoveContext, Outcome } from './moves/job.ts'

const MODEL_ITSELF = {
  'zh-CN': '模型自己，没有任何工具：写作、推理、计算、翻译、整理已知的信息。',
  en: 'The model itself, without any tools: writing, reasoning, calculating, translating, ordering what is known.',
} as const satisfies Record<Language, string>

/** Who can do sub-tasks of this session: each MCP server that says what it is for, each skill marked as a worker, the model. */
export function workersOf(engine: Engine, record: SessionRecord): Worker[] {
  const language = languageFor(engine, record)
  const skills = engine.skills.workers(record.tenant, language).filter(({ name }) => name !== LLM_WORKER)
  const servers = engine.workers.filter(
    ({ name }) => name !== LLM_WORKER && !skills.some((skill) => skill.name === name),
  )
  return [
    ...skills.map(({ name, description }) => ({ name, description })),
    ...servers,
    { name: LLM_WORKER, description: MODEL_ITSELF[language] },
  ]
}

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

/** The record with the skills of the tenant that these lines of work need, as they are now: so that they are there, and the
 *  same, also after a restart. Nothing, where there are none. */
export function keptSkills(
  work: readonly { worker: string }[],
  { engine, journal: { record } }: MoveContext,
): Pick<Outcome, 'record'> {
  const names = new Set(work.map(({ worker }) => worker))
  const own = engine.skills.tenantWorkers.of(record.tenant)
  const wanted = [...names].flatMap((name): [string, SkillDefinition][] => {
    const skill = record.workers?.[name] ?? own.find((one) => one.name === name)
    return skill ? [[name, skill]] : []
  })
  return wanted.length === 0 ? {} : { record: { ...record, workers: Object.fromEntries(wanted) } }
}
