import type { InputIssue } from '../../domain/errors.ts'
import { EVERYBODY, REQUIREMENT, USER } from '../../domain/role.ts'
import {
  plansTurn,
  type TeamAction,
  teamInput,
  type TeamRole,
  type TeamSurroundings,
  type TeamWarning,
} from '../../domain/team.ts'
import { issuesOf } from '../../lib/zod.ts'

const NAMELESS = { path: 'team', message: 'no team of that name; see GET /v1/teams' }

/** What is wrong with a team as it was given: by name, or as a whole. */
export function givenTeamIssues(
  given: unknown,
  around: TeamSurroundings & { hasTeam(name: string): boolean },
): InputIssue[] {
  const parsed = teamInput.safeParse(given)
  if (!parsed.success) return issuesOf(parsed.error, 'team')
  const { name = '', roles } = parsed.data
  if (roles) return teamIssues(roles, around)
  return around.hasTeam(name) ? [] : [NAMELESS]
}

/** What is wrong with roles as a whole; paths are under `team`. */
export function teamIssues(roles: readonly TeamRole[], around: TeamSurroundings): InputIssue[] {
  const produced = new Set([REQUIREMENT, EVERYBODY, ...roles.flatMap(({ actions }) => actions.map(({ name }) => name))])
  return roles.flatMap((role, index) => [
    ...role.watch.flatMap((name, at) =>
      produced.has(name) ? [] : [issue(index, `watch.${at}`, `no action is named ${name}`)],
    ),
    ...role.actions.flatMap(({ tools = [] }, action) =>
      tools.flatMap((name, at) =>
        around.hasTool(name)
          ? []
          : [issue(index, `actions.${action}.tools.${at}`, `no tool ${name} here; see GET /v1/tools`)],
      ),
    ),
    ...(role.model === undefined || around.hasModel(role.model)
      ? []
      : [issue(index, 'model', 'a model that GET /v1/models lists')]),
    ...(role.skill === undefined || around.hasSkill(role.skill)
      ? []
      : [issue(index, 'skill', 'a skill that GET /v1/skills lists')]),
    ...(role.skill !== undefined && around.isTeam(role.skill)
      ? [issue(index, 'skill', 'a skill without a team or workflow: neither works within a team')]
      : []),
  ])
}

function issue(role: number, field: string, message: string): InputIssue {
  return { path: `team.roles.${role}.${field}`, message }
}

/** What is allowed and looks like a mistake: roles that nothing can ever reach, addressees that there are not. */
export function teamWarnings(roles: readonly TeamRole[]): TeamWarning[] {
  const names = new Set([...roles.map(({ name }) => name), USER, EVERYBODY])
  const reached = reachedRoles(roles)
  return roles.flatMap((role, index) => [
    ...(reached.has(role.name)
      ? []
      : [{ path: `roles.${index}`, message: `${role.name} never acts: nothing that it hears is ever said` }]),
    ...role.actions.flatMap(({ send_to: to = [] }, action) =>
      to.flatMap((name, at) =>
        names.has(name)
          ? []
          : [{ path: `roles.${index}.actions.${action}.send_to.${at}`, message: `the team has no role ${name}` }],
      ),
    ),
  ])
}

/** Roles that a requirement of the user can set going, one after the other. */
function reachedRoles(roles: readonly TeamRole[]): Set<string> {
  const reached = new Set<string>()
  for (let before = -1; before < reached.size;) {
    before = reached.size
    for (const role of roles) if (isReached(role, roles, reached)) reached.add(role.name)
  }
  return reached
}

function isReached({ name, watch }: TeamRole, roles: readonly TeamRole[], reached: ReadonlySet<string>): boolean {
  if (watch.includes(REQUIREMENT) || watch.includes(EVERYBODY)) return true
  const active = roles.filter((role) => reached.has(role.name))
  return active.some((role) =>
    publishedBy(role).some(
      ({ name: action, send_to: to = [] }) =>
        to.includes(name) || (role.name !== name && (watch.includes(action) || to.includes(EVERYBODY))),
    ),
  )
}

/** The actions under whose names a role publishes: one that plans says what its plan came to, as its last action. */
function publishedBy(role: TeamRole): TeamAction[] {
  return plansTurn(role) ? role.actions.slice(-1) : role.actions
}
