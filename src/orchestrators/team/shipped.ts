import type { Language } from '../../domain/language.ts'
import { type TeamRole, teamRoles } from '../../domain/team.ts'
import type { TeamFile } from '../../domain/team-spec.ts'

/** A team that comes with the product, in one language. */
export interface ShippedTeam {
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
export function shownTeam(file: TeamFile, language: Language): ShippedTeam & { object: 'team' } {
  return { object: 'team', ...shippedTeam(file, language) }
}
