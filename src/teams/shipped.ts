import type { Language, Localized } from '../domain/language.ts'
import { type TeamRole, teamRoles } from '../domain/team.ts'

/** A role as configs/teams/*.json has it: texts by language, instructions by the name of their Markdown file. */
export interface TeamFileRole {
  name: string
  profile: string
  goal: Localized
  constraints?: Localized
  watch: string[]
  react_mode?: string
  actions: { name: string; instruction: string; tools?: string[]; output?: string; send_to?: string[] }[]
}

/** One team of configs/teams, with the prompts that its actions name. */
export interface TeamFile {
  name: string
  description: Localized
  n_round: number
  roles: TeamFileRole[]
  prompts: Readonly<Record<string, Localized>>
}

/** A team that comes with the product, in one language. */
export interface ShippedTeam {
  name: string
  description: string
  n_round: number
  roles: TeamRole[]
}

export function teamIn(
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
  return { object: 'team', ...teamIn(file, language) }
}
