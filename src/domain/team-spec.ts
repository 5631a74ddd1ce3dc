import * as z from 'zod'
import type { Localized } from './language.ts'
import type { PlanData } from './plan.ts'
import { skillDefinition } from './skill.ts'
import { roundCount, type RoleStep, type TeamMessage, teamName, type TeamRole, teamRoles } from './team.ts'
import { money, type Money } from './usage.ts'

/** A team as a session keeps it: as it was when the session was made, in its language. */
export const teamSpec = z.strictObject({
  name: teamName.nullable(),
  roles: teamRoles,
  n_round: roundCount,
  investment: money.nullable(),
  /** The skills that roles name. */
  skills: z.record(z.string(), skillDefinition),
})
export type TeamSpec = z.infer<typeof teamSpec>

/** A role of a team, as SessionData shows it. */
export interface TeamRoleData extends TeamRole {
  state: RoleStep
  cost: Money | null
  /** Of a role that plans, while it is at it. */
  plan?: PlanData
}

/** Something about a team that is allowed and looks like a mistake. */
export interface TeamWarning {
  path: string
  message: string
}

/** A team as SessionData shows it. */
export interface TeamData extends Omit<TeamSpec, 'roles' | 'skills'> {
  roles: TeamRoleData[]
  round: number
  /** Whether nobody has anything to do. */
  idle: boolean
  stop_reason: 'idle' | 'max_rounds' | 'no_money' | null
  spent: Money | null
  /** Of the investment; null: there is none. */
  left: Money | null
  warnings: TeamWarning[]
  /** The newest messages, oldest first; all of them are at GET …/team/messages. */
  history: TeamMessage[]
  message_count: number
}

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
