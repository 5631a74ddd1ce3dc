import * as z from 'zod'
import { EVERYBODY, ROLE_STEPS, USER } from './role.ts'
import { LIMITS } from './limits.ts'
import { money } from './usage.ts'
import { count, onDemand, type ShapeOf } from '../lib/shape.ts'
import { textLike } from '../lib/zod.ts'
import type { Localized } from './language.ts'
import { planShape } from './plan.ts'
import { skillDefinition } from './skill.ts'

const text = z.string().max(LIMITS.team.instructionCharsMax)

/** What names a role or an action: it is a key of the log and a word in prompts. */
const busName = textLike(
  /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u,
  'up to 64 letters, digits, spaces and . _ -, the first a letter or digit',
).refine((name) => !(name in {}), 'another name: this one means something else already')

const roleName = busName.refine((name) => name !== USER, 'another name: this one is that of the user')
const addressee = z.string().min(1).max(LIMITS.text.nameCharsMax)

/** A piece of work of a role. Its output is published under its name. */
const teamAction = z.strictObject({
  name: busName,
  instruction: text.min(1),
  /** Ids or names; none: one call of the model, without tools. */
  tools: z.array(z.string().min(1).max(128)).max(LIMITS.skill.toolsMax).optional(),
  output: z.enum(['text', 'files']).optional(),
  send_to: z.array(addressee).max(LIMITS.team.rolesMax).optional(),
})
export type TeamAction = z.infer<typeof teamAction>

const watch = z.preprocess(
  (given) => (given === EVERYBODY ? [EVERYBODY] : given),
  z.array(z.string().min(1).max(LIMITS.text.nameCharsMax)).max(LIMITS.team.watchMax),
)

const differentNames = (items: readonly { name: string }[], context: z.core.$RefinementCtx) => {
  for (const [index, { name }] of items.entries()) {
    const isTaken = items.findIndex((item) => item.name === name) < index
    if (isTaken) context.addIssue({ code: 'custom', path: [index, 'name'], message: `${name} is there already` })
  }
}

export const teamRole = z.strictObject({
  name: roleName,
  profile: z.string().min(1).max(LIMITS.text.nameCharsMax),
  goal: text.optional(),
  constraints: z.union([text, z.array(text).max(LIMITS.team.watchMax)]).optional(),
  watch,
  actions: z.array(teamAction).min(1).max(LIMITS.team.actionsMax).superRefine(differentNames),
  react_mode: z.enum(['by_order', 'react', 'plan_and_act']).default('by_order'),
  model: z.string().min(1).max(100).optional(),
  /** A skill whose prompt is the role's, with its tools where an action names none. */
  skill: z.string().min(1).max(LIMITS.text.nameCharsMax).optional(),
  /** A person does the actions: each is a question that waits for an answer. */
  human: z.boolean().optional(),
  /** For each action: calls of tools, and tokens of a reply. */
  limits: z
    .strictObject({
      max_tool_calls: z.int().min(1).max(1_000).optional(),
      max_tokens: z.int().min(1).max(1_000_000).optional(),
    })
    .optional(),
})
export type TeamRole = z.infer<typeof teamRole>

/** Whether a planner has the role's actions do parts of its turn. A person plans for themselves. */
export function plansTurn({ react_mode: mode, human }: Pick<TeamRole, 'react_mode' | 'human'>): boolean {
  return mode === 'plan_and_act' && !human
}

const roundCount = z.int().min(1).max(LIMITS.team.roundsMax)
const teamName = z.string().min(1).max(LIMITS.text.nameCharsMax)
export const teamRoles = z.array(teamRole).min(1).max(LIMITS.team.rolesMax).superRefine(differentNames)

/** A team as a client gives it: a name, a known one with other bounds, or all of it. */
export const teamInput = z.preprocess(
  (given) => (typeof given === 'string' ? { name: given } : given),
  z
    .strictObject({
      name: teamName.optional(),
      roles: teamRoles.optional(),
      n_round: roundCount.optional(),
      investment: money.nullish(),
    })
    .refine((team) => team.name !== undefined || team.roles !== undefined, {
      path: ['roles'],
      error: 'the roles of the team, or the name of one that GET /v1/teams lists',
    }),
)
export type TeamInput = z.infer<typeof teamInput>

/** A message of the bus. */
export const teamMessage = z.strictObject({
  id: z.string().max(200),
  content: z.string(),
  /** The sender's profile. */
  role: z.string().max(LIMITS.text.nameCharsMax),
  /** The action that it is the output of. */
  cause_by: z.string().max(LIMITS.text.nameCharsMax),
  sent_from: z.string().max(LIMITS.text.nameCharsMax),
  /** Empty: who watches hears it. */
  send_to: z.array(addressee),
  timestamp: z.string().max(64),
  /** Addressees that there are not. */
  undelivered: z.array(addressee).optional(),
})
export type TeamMessage = z.infer<typeof teamMessage>

/** What a client puts on the bus. */
export const teamMessageInput = z.strictObject({
  content: z.string().min(1).max(LIMITS.text.contentCharsMax),
  cause_by: z.string().min(1).max(LIMITS.text.nameCharsMax).optional(),
  send_to: z.array(addressee).max(LIMITS.team.rolesMax).optional(),
})
export type TeamMessageInput = z.infer<typeof teamMessageInput>

/** What a team may refer to on a server. */
export interface TeamSurroundings {
  hasTool(name: string): boolean
  hasModel(alias: string): boolean
  hasSkill(name: string): boolean
  /** Whether a skill is itself the work of a team. */
  isTeam(skill: string): boolean
}

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
const shownRole = /* @__PURE__ */ onDemand(() =>
  teamRole.extend({
    state: z.enum(ROLE_STEPS),
    cost: money.nullable(),
    /** Of a role that plans, while it is at it. */
    plan: planShape().exactOptional(),
  }),
)
export type TeamRoleData = ShapeOf<typeof shownRole>

/** Something about a team that is allowed and looks like a mistake. */
const teamWarning = /* @__PURE__ */ onDemand(() => z.object({ path: z.string(), message: z.string() }))
export type TeamWarning = ShapeOf<typeof teamWarning>

/** A team as SessionData shows it. */
export const teamShape = /* @__PURE__ */ onDemand(() =>
  z.object({
    name: z.string().nullable(),
    roles: z.array(shownRole()),
    n_round: count(),
    investment: money.nullable(),
    round: count(),
    /** Whether nobody has anything to do. */
    idle: z.boolean(),
    stop_reason: z.enum(['idle', 'max_rounds', 'no_money']).nullable(),
    spent: money.nullable(),
    /** Of the investment; null: there is none. */
    left: money.nullable(),
    warnings: z.array(teamWarning()),
    /** The newest messages, oldest first; all of them are at GET …/team/messages. */
    history: z.array(teamMessage),
    message_count: count(),
  }),
)
export type TeamData = ShapeOf<typeof teamShape>

/** A message with its place in the log. */
export const placedTeamMessage = /* @__PURE__ */ onDemand(() => z.object({ ...teamMessage.shape, seq: count() }))
export type TeamMessageInfo = ShapeOf<typeof placedTeamMessage>

/** A team that comes with the product, in one language; it can be given back as `team`, without `object` and `description`. */
export const listedTeam = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('team'),
    name: z.string(),
    description: z.string(),
    n_round: count(),
    roles: z.array(teamRole),
  }),
)
export type TeamInfo = ShapeOf<typeof listedTeam>

/** A role as configs/teams/*.json has it: texts by language, instructions by the name of their Markdown file. */
interface TeamFileRole {
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
