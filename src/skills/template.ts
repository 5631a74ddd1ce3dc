import Mustache from 'mustache'
import type { OpeningAndClosingTags, TemplateSpans } from 'mustache'
import type { InputIssue } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { GIVEN_VARIABLES, type SkillDefinition, type SkillInput, type SkillValue } from '../domain/skill.ts'
import type { JsonSchema } from '../domain/tool.ts'
import { isObject, parseJson } from '../lib/json.ts'

/** What a variable may be filled with. */
export type Variables = Readonly<Record<string, string | number | boolean>>

const TAGS: OpeningAndClosingTags = ['{{', '}}']

/** Mustache without its unbounded memory of templates. */
class PlainWriter extends Mustache.Writer {
  readonly templateCache = undefined
}

/** What is wrong with a template: allowed are `{{NAME}}` of a known variable, `{{#NAME}}…{{/NAME}}` and `{{^NAME}}…{{/NAME}}`
 *  (there if the variable is neither empty nor false, or if it is), and comments `{{! … }}`. Null: nothing. */
export function checkTemplate(template: string, known: ReadonlySet<string>): InputIssue | null {
  const fault = templateFault(template)
  if (fault !== null) return issue(fault)
  try {
    return issueIn(Mustache.parse(template, TAGS), known, 0)
  } finally {
    Mustache.clearCache()
  }
}

/** Why a text is no template at all, whatever it names; null: it is one. */
export function templateFault(template: string): string | null {
  try {
    Mustache.parse(template, TAGS)
    return null
  } catch (error) {
    return faultText(template, error instanceof Error ? error.message : '')
  } finally {
    Mustache.clearCache()
  }
}

/** What Mustache says of a template, and what to write instead. */
function faultText(template: string, said: string): string {
  const [, state, name] = /^(Unclosed|Unopened) section "([^]*)" at \d+$/.exec(said) ?? []
  if (state === 'Unclosed') return `{{#${name}}} is not closed: write {{/${name}}} where it ends`
  if (state === 'Unopened') return `{{/${name}}} closes nothing: take it away, or write {{#${name}}} before it`
  if (!said.startsWith('Unclosed tag')) return 'no other delimiters than {{ and }}'
  // What Mustache names is the end of the text.
  const open = template.indexOf('{{', template.lastIndexOf('}}') + 1)
  const at = open < 0 ? template.search(/\{{2,}(?!.*\{\{)/s) : open
  return `{{ at character ${at + 1} is not closed: write }} behind the name, as in {{user_input}}`
}

/** The template with its variables filled in once: what is put in is not read as a template, and nothing is escaped. */
export function renderTemplate(template: string, values: Variables): string {
  const view = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value)]))
  return new PlainWriter().render(template, view, undefined, { tags: TAGS, escape: String }).trim()
}

function shown(value: string | number | boolean): string | false {
  return value === false ? false : String(value)
}

function issueIn(spans: TemplateSpans, known: ReadonlySet<string>, depth: number): InputIssue | null {
  if (depth > LIMITS.skill.sectionDepthMax) return issue(`sections nested at most ${LIMITS.skill.sectionDepthMax} deep`)
  for (const span of spans) {
    const [kind, name, , , inner] = span
    if (kind === 'text' || kind === '!') continue
    if (kind === '>') return issue(`no partials: {{>${name}}}`)
    if (kind === '=') return issue('no other delimiters than {{ and }}')
    if (!known.has(name)) return issue(`unknown variable ${name}; there are ${[...known].join(', ')}`)
    const found = Array.isArray(inner) ? issueIn(inner, known, depth + 1) : null
    if (found) return found
  }
  return null
}

function issue(message: string): InputIssue {
  return { path: 'prompt', message }
}

/** Every name that the prompt of a skill may use. */
export function variablesOf({ inputs }: Pick<SkillDefinition, 'inputs'>): ReadonlySet<string> {
  return new Set([...inputs.map(({ name }) => name), ...GIVEN_VARIABLES])
}

/** What a run of a skill begins with: its inputs, and the message of the user. */
type Begun = { ok: true; inputs: Record<string, SkillValue>; message: string } | { ok: false; issues: InputIssue[] }

/** The input of a run: a text, which is `user_input`, or an object of declared inputs. Paths are `input.NAME`. */
export function readInput(skill: Pick<SkillDefinition, 'inputs'>, input: string | Record<string, unknown>): Begun {
  const given = typeof input === 'string' ? { user_input: input } : input
  const declared = new Map(skill.inputs.map((one) => [one.name, one]))
  const unknown = Object.keys(typeof input === 'string' ? {} : given).filter(
    (name) => !declared.has(name) && name !== 'user_input',
  )
  const issues = [
    ...unknown.map((name) => ({ path: `input.${name}`, message: 'not an input of this skill' })),
    ...skill.inputs.flatMap((one) => issueOf(one, Object.hasOwn(given, one.name) ? given[one.name] : undefined)),
    ...(declared.has('user_input') ? [] : issueOf(USER_INPUT, given['user_input'])),
  ]
  if (issues.length > 0) return { ok: false, issues }
  const inputs = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, SkillValue] => entry[1] !== null && entry[1] !== undefined),
  )
  const message = inputs['user_input']
  return { ok: true, inputs, message: typeof message === 'string' && message !== '' ? message : JSON.stringify(inputs) }
}

/** The inputs that a text gives a skill: the JSON of them, or the one text that it needs; those that it needs and are not there, by their names. */
export function inputsInText(skill: Pick<SkillDefinition, 'inputs'>, text: string): Record<string, SkillValue> {
  const needed = skill.inputs.filter((input) => input.required && input.default === null)
  const json = /^\s*\{/.test(text) ? parseJson(text) : undefined
  const read = isObject(json) ? readInput(skill, json) : null
  if (read?.ok) return read.inputs
  const isText = needed.length === 1 && needed[0]?.type === 'string'
  return Object.fromEntries(needed.map(({ name }) => [name, isText ? text : `[${name}]`]))
}

const USER_INPUT: SkillInput = { name: 'user_input', type: 'string', required: false, description: '', default: null }

function issueOf(input: SkillInput, value: unknown): InputIssue[] {
  const path = `input.${input.name}`
  if (value === undefined || value === null)
    return input.required && input.default === null ? [{ path, message: `required, a ${input.type}` }] : []
  // A file was read before, and stands here by its name.
  const isValue =
    typeof value === (input.type === 'file' ? 'string' : input.type) &&
    (typeof value !== 'number' || Number.isFinite(value))
  return isValue ? [] : [{ path, message: `a ${input.type}` }]
}

/** The values that a prompt is filled with. `missing`: what stands for an input that was not given and has no default. */
export function valuesFor(
  skill: Pick<SkillDefinition, 'inputs'>,
  given: Variables,
  missing: (name: string) => string = () => '',
): Variables {
  const defaults = skill.inputs.map(({ name, default: value }) => [name, value ?? missing(name)] as const)
  return { ...Object.fromEntries(defaults), ...given }
}

/** A part of a message, as an input has it. */
const FILE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    type: { enum: ['image', 'file'] },
    data: { type: 'string', contentEncoding: 'base64' },
    url: { type: 'string' },
    name: { type: 'string' },
    media_type: { type: 'string' },
  },
  required: ['type'],
}

/** The inputs of a skill as a JSON Schema. */
export function inputSchema({ inputs }: Pick<SkillDefinition, 'inputs'>): JsonSchema {
  const properties = inputs.map(({ name, type, description, default: value }) => {
    const schema = {
      ...(type === 'file' ? FILE_SCHEMA : { type }),
      ...(description === '' ? {} : { description }),
      ...(value === null ? {} : { default: value }),
    }
    return [name, schema] as const
  })
  const required = inputs.filter((input) => input.required && input.default === null).map(({ name }) => name)
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}
