import { fail, ok, type Result } from '../../domain/errors.ts'
import { type Language, languageOf } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ListedModel } from '../../domain/model.ts'
import type { NewSession } from '../../domain/session-input.ts'
import type { NamedWorkflow } from '../../domain/workflow.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageTagOf } from '../../engine/settings.ts'
import { serverFor, serverOf } from '../../objects/engine.ts'
import { directoryObject, type Env } from '../../objects/env.ts'
import type { ServerView } from '../../run/setup/create-engine.ts'

/** What clients of other protocols give as a model. */

const AGENT = 'yaa'
const TEAM = 'yaa/team/'
const SKILL = 'yaa/skill/'
const WORKFLOW = 'yaa/workflow/'

/** Whom a name means. */
export interface Addressee {
  name: string
  kind: ListedModel['kind']
  /** What a session of it is made with. */
  opens: Pick<NewSession, 'orchestrator' | 'skill' | 'team' | 'workflow'>
  /** The alias of the model that answers; absent: the one that is configured. */
  model?: string
}

const AGENTS: readonly (Addressee & { does: Readonly<Record<Language, string>> })[] = [
  {
    name: AGENT,
    kind: 'agent',
    opens: {},
    does: { en: 'Works on any task with the tools of the server.', 'zh-CN': '使用服务器的工具完成任意任务。' },
  },
  {
    name: `${AGENT}/plan`,
    kind: 'agent',
    opens: { orchestrator: 'plan' },
    does: {
      en: 'Splits a task into sub-tasks, has them done, and sums up.',
      'zh-CN': '把任务拆成子任务，逐一完成后汇总。',
    },
  },
  {
    name: `${AGENT}/route`,
    kind: 'agent',
    opens: { orchestrator: 'route' },
    does: { en: 'Gives the whole task to the worker that fits best.', 'zh-CN': '把整个任务交给最合适的执行者。' },
  },
]

/** Whom a name means to a tenant. Of a bare name an alias goes before a skill, and that before a workflow. */
export async function addressed(env: Env, tenant: string, name: string): Promise<Result<Addressee>> {
  const agent = AGENTS.find((one) => one.name === name)
  if (agent) return ok({ name, kind: agent.kind, opens: agent.opens })
  const isModel = ({ models }: ServerView) => models.some(({ id }) => id === name)
  // Nobody is asked for an alias that is known.
  if (isModel(serverOf(env).tenants.viewOf({ tenant, user: null })) || isModel(await serverFor(env, tenant)))
    return ok({ name, kind: 'model', opens: {}, model: name })
  const { engine } = serverOf(env).tenants.viewOf({ tenant, user: null })
  const found = await namedAs(engine, tenant, name)
  return found ? ok(found) : fail({ code: 'not_found', what: 'model', there: await namesOf(env, tenant) })
}

async function namedAs(engine: Engine, tenant: string, name: string): Promise<Addressee | null> {
  if (name.startsWith(TEAM)) return teamNamed(engine, name)
  if (name.startsWith(SKILL)) return skillNamed(engine, tenant, name.slice(SKILL.length))
  if (name.startsWith(WORKFLOW)) return workflowNamed(engine, tenant, name.slice(WORKFLOW.length))
  return (await skillNamed(engine, tenant, name)) ?? workflowNamed(engine, tenant, name)
}

async function teamNamed(engine: Engine, address: string): Promise<Addressee | null> {
  const name = address.slice(TEAM.length)
  const isThere = (await engine.teams()).some((team) => team.name === name)
  return isThere ? { name: address, kind: 'team', opens: { team: { name } } } : null
}

async function skillNamed(engine: Engine, tenant: string, skill: string): Promise<Addressee | null> {
  if (skill === '' || skill.length > LIMITS.text.nameCharsMax) return null
  const found = await engine.skills.find(tenant, skill)
  return found ? { name: `${SKILL}${skill}`, kind: 'skill', opens: { skill } } : null
}

async function workflowNamed(engine: Engine, tenant: string, workflow: string): Promise<Addressee | null> {
  if (workflow === '' || workflow.length > LIMITS.text.nameCharsMax) return null
  const found = await engine.workflows(tenant, workflow, 'en')
  return found ? { name: `${WORKFLOW}${workflow}`, kind: 'workflow', opens: { workflow } } : null
}

/** The names that there are, as many as an error has room for. */
async function namesOf(env: Env, tenant: string): Promise<string[]> {
  return (await listedNames(env, tenant, 'en')).map(({ id }) => id).slice(0, LIMITS.door.namesMax)
}

/** Every name, with what it stands for: agents, models, teams, skills, workflows. `tenant` null: those that all tenants have. */
export async function listedNames(env: Env, tenant: string | null, language: Language): Promise<ListedModel[]> {
  const { engine, models } = tenant === null ? serverOf(env) : await serverFor(env, tenant)
  const own = tenant === null ? [] : await directoryObject(env, tenant).skills('', LIMITS.skill.perTenantMax)
  const mine = new Set(own.map(({ name }) => name))
  const { data: skills } = await engine.skills.page(own, { after: '', limit: Infinity, language })
  const agents = AGENTS.map(({ name, kind, does }) => ({ ...listed(name, kind), description: does[language] }))
  const reserved = new Set(AGENTS.map(({ name }) => name))
  return [
    ...agents,
    ...models.filter(({ id }) => !reserved.has(id)),
    ...(await engine.teams()).map(({ name, description }) => ({
      ...listed(`${TEAM}${name}`, 'team'),
      description: description[language],
    })),
    ...skills.map(({ name, description }) => ({
      ...listed(`${SKILL}${name}`, 'skill', mine.has(name) ? 'tenant' : AGENT),
      description,
    })),
    ...(await workflowNames(env, tenant, language)).map(({ name, description, source }) => ({
      ...listed(`${WORKFLOW}${name}`, 'workflow', source === 'tenant' ? source : AGENT),
      description,
    })),
  ]
}

/** The workflows that a tenant can name. */
export function workflowNames(env: Env, tenant: string | null, language: Language): Promise<NamedWorkflow[]> {
  return serverOf(env).engine.namedWorkflows(tenant, language)
}

function listed(id: string, kind: ListedModel['kind'], owner = AGENT): ListedModel {
  return { id, object: 'model', created: 0, owned_by: owner, kind }
}

/** The language of a server's texts where a request does not say. */
export function serverLanguage(env: Env): Language {
  return languageOf(languageTagOf(serverOf(env).engine, {}))
}
