import * as z from 'zod'
import { inputIssue } from './problem-document.ts'
import { alias } from './config.ts'
import type { Language } from './language.ts'
import { LIMITS } from './limits.ts'
import { type OrchestratorName, ORCHESTRATOR_NAMES } from './run.ts'
import { listPage, onDemand, record, type ShapeOf } from '../lib/shape.ts'
import { textLike } from '../lib/zod.ts'
import { PERMISSIONS } from './tool.ts'

/** How a piece of work ends: by the tool `finish`, and by a reply that calls nothing where `ends_by_reply` has it so; or by any such
 *  reply, which is then its output. */
const FINISH_MODES = ['tool', 'no_call'] as const
export type FinishMode = (typeof FINISH_MODES)[number]

/** Names that a template has without declaring them; `user_input` and `history` may also be declared, and are then inputs like others. */
export const GIVEN_VARIABLES = ['user_input', 'user', 'language', 'time', 'history'] as const

export const skillName = textLike(
  /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u,
  'up to 64 letters, digits, - and _, the first a letter or digit',
)

const variableName = textLike(
  /^[\p{L}_][\p{L}\p{N}_]{0,63}$/u,
  'up to 64 letters, digits and _, the first no digit',
).refine((name) => !['user', 'language', 'time'].includes(name), 'another name: this one is given already')

const value = z.union([z.string().max(LIMITS.text.contentCharsMax), z.number(), z.boolean()])
export type SkillValue = z.infer<typeof value>

const skillInput = z
  .strictObject({
    name: variableName,
    /** `file`: a part of type image or file; the prompt is filled with its path in the workspace. */
    type: z.enum(['string', 'number', 'boolean', 'file']).default('string'),
    required: z.boolean().default(false),
    description: z.string().max(LIMITS.skill.descriptionCharsMax).default(''),
    default: value.nullish().transform((given) => given ?? null),
  })
  .refine((input) => input.default === null || typeof input.default === input.type, {
    path: ['default'],
    error: 'a value of the type of this input',
  })
export type SkillInput = z.infer<typeof skillInput>

/** A file that lies beside the SKILL.md, in `references/`, `scripts/` or `assets/`: a text can be read by the model, bytes are only named. */
const skillFile = z.strictObject({
  path: z.string().min(1).max(LIMITS.files.pathCharsMax),
  /** Bytes. */
  size: z.int().min(0),
  text: z.boolean(),
})
export type SkillFile = z.infer<typeof skillFile>

const toolName = z.string().min(1).max(128)
const orNull = <T extends z.ZodType>(schema: T) => schema.nullish().transform((given) => given ?? null)
const uniqueNames = (inputs: readonly SkillInput[]) => new Set(inputs.map(({ name }) => name)).size === inputs.length

/** A skill, as JSON has it and as GET shows it. `tools`: ids or names, `SERVER__*`, or `*` for all; none: the model is
 *  sent no tools and answers. `prompt` takes the place of the role; what it may hold is in src/skills/template.ts. */
export const skillDefinition = z
  .strictObject({
    name: skillName,
    version: z.string().min(1).max(64),
    description: z.string().trim().min(1).max(LIMITS.skill.descriptionCharsMax),
    orchestrator: z.enum(ORCHESTRATOR_NAMES).default('agent'),
    prompt: z.string().max(LIMITS.skill.promptCharsMax).default(''),
    tools: z
      .array(toolName)
      .max(LIMITS.skill.toolsMax)
      .nullish()
      .transform((given) => given ?? []),
    model: orNull(alias),
    temperature: orNull(z.number().min(0).max(2)),
    max_tokens: orNull(z.int().min(1).max(1_000_000)),
    max_tool_iterations: z.int().min(1).max(LIMITS.skill.toolIterationsMax).default(5),
    finish: z.enum(FINISH_MODES).default('tool'),
    worker: z.boolean().default(false),
    /** Clients of MCP are offered it as a tool of its own. */
    expose: z.boolean().default(false),
    permissions: z.record(toolName, z.enum(PERMISSIONS)).default({}),
    inputs: z
      .array(skillInput)
      .max(LIMITS.skill.inputsMax)
      .default([])
      .refine(uniqueNames, 'names that are all different'),
    team: orNull(z.union([z.string().min(1).max(200), z.record(z.string(), z.unknown())])),
    /** A workflow that its runs go by, with its inputs as the inputs of that. Absent: none. */
    workflow: skillName.optional(),
    output_schema: orNull(z.record(z.string(), z.unknown())),
    /** What its author says beside that in a SKILL.md, such as `license`: it is kept and shown, and changes no run. */
    extra: z.record(z.string(), z.unknown()).optional(),
    /** Files of its folder, by path. They come with a zip; JSON changes none of them. */
    files: z.array(skillFile).max(LIMITS.skill.filesMax).optional(),
  })
  .refine((skill) => !skill.worker || WORKERS.has(orchestratorOfSkill(skill)), {
    path: ['worker'],
    error: 'false: a worker of a plan is a skill that runs agent, a team or a workflow',
  })
  .superRefine(({ workflow, team, orchestrator, output_schema: schema }, context) => {
    if (workflow === undefined) return
    const wrong = [
      ...(team === null ? [] : ['team']),
      ...(schema === null ? [] : ['output_schema']),
      ...(orchestrator === 'agent' || orchestrator === 'workflow' ? [] : ['orchestrator']),
    ]
    for (const field of wrong) context.addIssue({ code: 'custom', path: [field], message: 'not with workflow' })
  })
export type SkillDefinition = z.infer<typeof skillDefinition>
/** The same as a client writes it: what has a default may be left out. */
export type NewSkill = z.input<typeof skillDefinition>

/** Orchestrators whose skills may work at sub-tasks of a plan. */
const WORKERS: ReadonlySet<OrchestratorName> = new Set(['agent', 'team', 'workflow'])

/** The orchestrator that a skill runs by: one that has a team or names a workflow is the work of that. */
export function orchestratorOfSkill({
  orchestrator,
  team,
  workflow,
}: {
  orchestrator: OrchestratorName
  team: unknown
  workflow?: string | undefined
}): OrchestratorName {
  if (workflow !== undefined) return 'workflow'
  return team === null ? orchestrator : 'team'
}

/** Whether a skill is the work of more than one agent, so that no role of a team can be it. */
export function isGroupWork(skill: Pick<SkillDefinition, 'orchestrator' | 'team' | 'workflow'>): boolean {
  const orchestrator = orchestratorOfSkill(skill)
  return orchestrator === 'team' || orchestrator === 'workflow'
}

const SKILL_SOURCES = ['shipped', 'tenant'] as const

/** What a list tells of one. */
export type SkillSummary = Pick<SkillDefinition, 'name' | 'description'>

/** What is written in one language. */
export type SkillText = Pick<SkillDefinition, 'description' | 'prompt'>

/** A skill as a list shows it. */
export const listedSkill = /* @__PURE__ */ onDemand(() =>
  z.object({
    ...skillDefinition.shape,
    prompt: z.string().exactOptional(),
    object: z.literal('skill'),
    source: z.enum(SKILL_SOURCES),
    languages: z.array(z.string()),
    input_schema: record(),
    /** What of it does not work here, in the language that was asked for. */
    warnings: z.array(inputIssue()).exactOptional(),
  }),
)
/** The list of skills; on its first page those of the product that cannot be used, and why. */
export const skillList = /* @__PURE__ */ onDemand(() =>
  listPage(listedSkill()).extend({
    unusable: z.array(z.object({ name: z.string(), problems: z.array(inputIssue()) })).exactOptional(),
  }),
)
export type SkillList = ShapeOf<typeof skillList>
export type ListedSkill = ShapeOf<typeof listedSkill>

export const skill = /* @__PURE__ */ onDemand(() => listedSkill().extend({ prompt: z.string() }))
export type SkillInfo = ShapeOf<typeof skill>

/** A skill that a tenant can run. `texts`: the languages that a shipped one is written in; one of a tenant has its own words. */
export interface Skill {
  definition: SkillDefinition
  texts: Readonly<Partial<Record<Language, SkillText>>>
  source: (typeof SKILL_SOURCES)[number]
}

/** A skill as a session has it: the definition of the moment that the session was made, in its language, and its inputs. */
export interface SessionSkill {
  definition: SkillDefinition
  inputs: Record<string, SkillValue>
}

export const sessionSkill = z.strictObject({
  definition: skillDefinition,
  inputs: z.record(z.string().max(64), value),
})

/** The definition in a language, if it is written in it. */
export function inLanguage({ definition, texts }: Skill, language: Language): SkillDefinition {
  return { ...definition, ...texts[language] }
}
