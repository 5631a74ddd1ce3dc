import { unpricedMessage } from '../../budget/reserve.ts'
import type { Engine } from '../../engine/engine.ts'
import { chosenOrchestrator } from '../../engine/orchestrator-of.ts'
import { languageTagOf } from '../../engine/settings.ts'
import { type AppError, fail, type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import { type Language, languageOf } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionConfig } from '../../domain/config.ts'
import type { TeamBounds } from '../../domain/event.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { ContinueInput, NewSession } from '../../domain/session-input.ts'
import { inLanguage, isGroupWork, type SessionSkill, type SkillDefinition } from '../../domain/skill.ts'
import { type TeamFile, teamInput, type TeamInput, type TeamRole, teamRoles, type TeamSpec } from '../../domain/team.ts'
import type { Money } from '../../domain/usage.ts'
import { issuesOf } from '../../lib/zod.ts'
import { mayComeToMean, means } from '../../skills/check-skill.ts'
import { teamIssues } from './check.ts'
import { NAMES as WEB_SEARCH_NAMES } from '../../tools/web-search/texts.ts'
import { assignmentOf } from '../../engine/worker/assignment.ts'

/** Whom a session has that wants a team and names none. */
const DEFAULT_TEAM = 'software'

/** A search that is not configured yet may be so later: a team that names it is not wrong. */
const NOT_YET = { id: 'web_search', names: WEB_SEARCH_NAMES }

const UNKNOWN = invalid([{ path: 'team', message: 'no team of that name; see GET /v1/teams' }])

/** The team that a new session names or brings along, or that its skill does, as it is at this moment; null: it has none. */
export async function teamOf(
  engine: Engine,
  tenant: string,
  input: Pick<NewSession, 'team' | 'config' | 'orchestrator'>,
  skill: SessionSkill | null,
): Promise<Result<TeamSpec | null>> {
  const given = input.team ? ok(input.team) : teamNamed(engine, input, skill)
  if (!given.ok) return given
  if (given.value === null) return ok(null)
  const base = baseOf(engine, await engine.teams(), given.value, input)
  if (base === null) return UNKNOWN
  const skills = await skillsOf(engine, tenant, base.roles, input)
  const spec: TeamSpec = { ...base, skills }
  const place = { config: input.config ?? {}, skill }
  const issues = [...issuesIn(engine, spec, input), ...(input.team?.roles ? refusedLimits(engine, spec, place) : [])]
  if (issues.length > 0) return invalid(issues.slice(0, LIMITS.http.issuesMax), 'The team does not fit; see errors.')
  const unpriced = unpricedIn(engine, spec, place)
  return unpriced ? fail(unpriced) : ok(spec)
}

/** The team of the skill; the default one, where a team is asked for without a name. */
function teamNamed(
  engine: Engine,
  input: Pick<NewSession, 'orchestrator'>,
  skill: SessionSkill | null,
): Result<TeamInput | null> {
  const team = skill?.definition.team ?? (chosenOrchestrator(engine, input, { skill }) === 'team' ? DEFAULT_TEAM : null)
  if (team === null) return ok(null)
  const parsed = teamInput.safeParse(team)
  return parsed.success ? ok(parsed.data) : invalid(issuesOf(parsed.error, 'skill.team'))
}

/** A known team with the bounds that were given, or what was given as a whole. */
function baseOf(
  engine: Engine,
  files: readonly TeamFile[],
  { name, roles, n_round: rounds, investment }: TeamInput,
  { config }: Pick<NewSession, 'config'>,
): Omit<TeamSpec, 'skills'> | null {
  const file = files.find((team) => team.name === name)
  if (!roles && !file) return null
  const known = roles || !file ? null : shippedTeam(file, languageOf(languageTagOf(engine, config ?? {})))
  return {
    name: name ?? null,
    roles: roles ?? known?.roles ?? [],
    n_round: rounds ?? known?.n_round ?? LIMITS.team.rounds,
    investment: investment ?? null,
  }
}

async function skillsOf(
  engine: Engine,
  tenant: string,
  roles: readonly TeamRole[],
  { config }: Pick<NewSession, 'config'>,
): Promise<Record<string, SkillDefinition>> {
  const names = new Set(roles.flatMap(({ skill }) => (skill === undefined ? [] : [skill])))
  const language = languageOf(languageTagOf(engine, config ?? {}))
  const found = await Promise.all([...names].map((name) => engine.skills.find(tenant, name)))
  return Object.fromEntries(
    found.flatMap((skill) => (skill ? [[skill.definition.name, inLanguage(skill, language)]] : [])),
  )
}

/** What is wrong with a team here; paths are under `team`. */
export function issuesIn(
  engine: Pick<Engine, 'tools' | 'chooseModel'>,
  { roles, skills }: Pick<TeamSpec, 'roles' | 'skills'>,
  { config }: Pick<NewSession, 'config'>,
): InputIssue[] {
  return teamIssues(roles, {
    hasTool: (name) => mayComeToMean(name) || [...engine.tools, NOT_YET].some((tool) => means(name, tool)),
    hasModel: (alias) => engine.chooseModel({ ...config, model: alias }).ok,
    hasSkill: (name) => Object.hasOwn(skills, name),
    isTeam: (name) => Object.hasOwn(skills, name) && skills[name] !== undefined && isGroupWork(skills[name]),
  })
}

/** Replies may be as long as a role says where its model lets sessions change that. */
function refusedLimits(
  engine: Engine,
  team: TeamSpec,
  place: { config: SessionConfig; skill: SessionSkill | null },
): InputIssue[] {
  const about = { engine, record: { ...place, team }, state: { run: null } }
  return team.roles.flatMap(({ name, limits, human }, index): InputIssue[] => {
    if (limits?.max_tokens === undefined || human) return []
    const choice = engine.chooseModel(assignmentOf(about, name).model)
    if (!choice.ok || !choice.spec.refused.includes('max_tokens')) return []
    const { alias } = choice.spec
    const message = `not given: the model ${alias} does not let sessions change it (models.${alias}.allow_override)`
    return [{ path: `team.roles.${index}.limits.max_tokens`, message }]
  })
}

/** What a team may spend from here on, with the bounds that are given. */
export function boundsOf(
  engine: Engine,
  record: SessionRecord,
  { n_round: rounds, investment }: Pick<ContinueInput, 'n_round' | 'investment'>,
): Result<TeamBounds> {
  const unpriced = record.team && unpricedIn(engine, record.team, record, investment ?? null)
  if (unpriced) return fail(unpriced)
  return ok({ ...(rounds === undefined ? {} : { rounds }), ...(investment === undefined ? {} : { investment }) })
}

/** Why an investment or a bound on cost cannot hold: some model of some role has no price in its currency. */
function unpricedIn(
  engine: Engine,
  team: TeamSpec,
  place: { config: SessionConfig; skill: SessionSkill | null },
  investment = team.investment,
): AppError | null {
  const cost = place.config.limits?.max_cost ?? engine.config.limits?.max_cost
  return unpricedFor(engine, team, place, investment) ?? unpricedFor(engine, team, place, cost ?? null)
}

function unpricedFor(
  engine: Engine,
  team: TeamSpec,
  place: { config: SessionConfig; skill: SessionSkill | null },
  bound: Money | null,
): AppError | null {
  if (!bound) return null
  const about = { engine, record: { ...place, team }, state: { run: null } }
  const issues = team.roles.flatMap((role, index): InputIssue[] => {
    const choice = engine.chooseModel(assignmentOf(about, role.name).model)
    const specs = choice.ok && !role.human ? [choice.spec, ...choice.spec.fallbacks] : []
    const unpriced = specs.find(({ price }) => price?.currency !== bound.currency)
    if (!unpriced) return []
    return [{ path: `team.roles.${index}.model`, message: unpricedMessage(unpriced, bound) }]
  })
  return issues.length > 0 ? { code: 'unpriced_model', issues } : null
}

/** A team that comes with the product, in one language. */
interface ShippedTeam {
  name: string
  description: string
  n_round: number
  roles: TeamRole[]
}

export function shippedTeam(
  { name, description, n_round: rounds, roles, prompts }: TeamFile,
  language: Language,
): ShippedTeam {
  return {
    name,
    description: description[language],
    n_round: rounds,
    roles: teamRoles.parse(
      roles.map((role) => ({
        ...role,
        goal: role.goal[language],
        ...(role.constraints ? { constraints: role.constraints[language] } : {}),
        actions: role.actions.map((action) => ({
          ...action,
          instruction: prompts[action.instruction]?.[language].trim() ?? '',
        })),
      })),
    ),
  }
}

/** A team as GET /v1/teams shows it; it can be given back as `team`, without `object` and `description`. */
export function shippedTeamView(file: TeamFile, language: Language): ShippedTeam & { object: 'team' } {
  return { object: 'team', ...shippedTeam(file, language) }
}
