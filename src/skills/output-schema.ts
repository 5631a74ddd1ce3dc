import { BoundedValidator } from '../lib/bounded-schema.ts'
import { isObject } from '../lib/json.ts'
import { LooseJson } from '../lib/loose-json.ts'
import { dereference, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { canonicalJson } from '../lib/hash.ts'
import type { InputIssue } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { JsonSchema } from '../domain/tool.ts'
import { slowness } from './pattern-time.ts'
import { exampleOf } from './schema-example.ts'

/** What is found of an answer that has to fit a schema. */
export type Fitted =
  | { ok: true; json: string }
  /** `example`: JSON that fits, where the answer is the schema itself. */
  | { ok: false; errors: string[]; example?: string }

/** Why a schema cannot be used; null: it can. */
export function schemaProblem(schema: JsonSchema): string | null {
  if (JSON.stringify(schema).length > LIMITS.skill.schemaCharsMax)
    return `a JSON Schema of at most ${LIMITS.skill.schemaCharsMax} characters`
  try {
    // What reads it writes its own marks into what it is given.
    const subschemas = dereference(structuredClone(schema) as Schema)
    for (const probe of [null, '', 0, [], {}]) validatorOf(schema, LIMITS.schema.probeStepsMax).validate(probe)
    return (
      Object.values(subschemas)
        .map((one) => problemIn(one, subschemas))
        .find((found) => found !== null) ?? null
    )
  } catch (error) {
    return `a JSON Schema: ${error instanceof Error ? error.message : 'it cannot be read'}`
  }
}

/** An answer as JSON that fits a schema: the whole text, or the one code block in it; also as models write JSON, if it is whole. */
export function fitAnswer(text: string, schema: JsonSchema): Fitted {
  const whole = fitJson(text.trim(), schema)
  const block = whole.ok ? null : onlyBlock(text)
  const strict = block === null ? whole : fitJson(block, schema)
  const meant = strict.ok ? null : meantJson(block ?? text.trim())
  const loose = meant === null ? strict : fitJson(meant, schema)
  return loose.ok ? loose : strict
}

/** What is JSON but for commas, quotes and the like, as JSON; null: it is JSON already, or it is none, or its end is missing. */
function meantJson(text: string): string | null {
  if (!/^[[{]/.test(text) || readJson(text).ok) return null
  const found = new LooseJson(text, 0).read()
  return found === null || found.isCut || found.end < text.length ? null : JSON.stringify(found.value)
}

function fitJson(json: string, schema: JsonSchema): Fitted {
  const read = readJson(json)
  if (!read.ok) return { ok: false, errors: [read.error] }
  try {
    if (isEcho(read.value, schema)) return { ok: false, errors: [ECHO], ...exampleFor(schema) }
    const errors = errorsOf(read.value, schema)
    return errors.length === 0 ? { ok: true, json } : { ok: false, errors: wordsOf(errors) }
  } catch (error) {
    return { ok: false, errors: [error instanceof Error ? error.message : 'the schema cannot be used'] }
  }
}

/** What is wrong with a value. Where the schema has patterns, long texts are cut for them: the time that an expression takes may grow with a
 *  power of the text's length. How long they are is looked at in the whole value. */
function errorsOf(value: unknown, schema: JsonSchema): readonly OutputUnit[] {
  const { patternedCharsMax } = LIMITS.skill
  const cut = JSON.stringify(schema).includes('attern') ? withShortTexts(value, patternedCharsMax) : value
  const { valid, errors } = validatorOf(schema).validate(cut)
  const found = valid ? [] : errors.filter(({ keyword }) => cut === value || !LENGTHS.has(keyword))
  if (cut === value) return found
  const { valid: fits, errors: lengths } = validatorOf(withoutPatterns(schema)).validate(value)
  return [...found, ...(fits ? [] : lengths.filter(({ keyword }) => LENGTHS.has(keyword)))]
}

/** Errors such as `#/a/0: it is wrong`, and `#: … 'a'` of one that is not there, as issues of the fields. `root`: what the value is called. */
export function issuesAt(root: string, errors: readonly string[]): InputIssue[] {
  // Of a name that is not declared the place itself says more.
  const own = errors.filter((error) => !error.includes('additional properties'))
  return (own.length > 0 ? own : errors).map((error) => {
    const [, pointer = '', message = error] = /^#([^:]*): (.*)$/s.exec(error) ?? []
    const missing = /required property ["']([^"']+)["']/.exec(message)?.[1]
    const shown = message === 'False boolean schema.' ? 'no such input is declared' : message
    const steps = pointer.split('/').filter((part) => part !== '')
    const names = steps.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    return { path: [root, ...names, ...(missing === undefined ? [] : [missing])].join('.'), message: shown }
  })
}

const LENGTHS: ReadonlySet<string> = new Set(['minLength', 'maxLength'])

/** The value itself, where it has no longer text. */
function withShortTexts(value: unknown, charsMax: number): unknown {
  let isCut = false
  const short: unknown = JSON.parse(JSON.stringify(value), (_, one: unknown) => {
    if (typeof one !== 'string' || one.length <= charsMax) return one
    isCut = true
    return one.slice(0, charsMax)
  })
  return isCut ? short : value
}

function withoutPatterns(schema: JsonSchema): JsonSchema {
  const isPattern = (name: string, value: unknown) => name === 'pattern' && typeof value === 'string'
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    isPattern(name, value) ? undefined : value,
  ) as JsonSchema
}

const ECHO = '#: the JSON Schema itself'

/** Whether an answer is the schema that it has to fit: to the letter, wrapped, or with other words in it, or what it says of its members. */
function isEcho(value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value) || Object.keys(schema).length === 0) return false
  const { properties } = schema
  const asWritten = new Set([schema, properties].filter(isObject).map(canonicalJson))
  if (Object.keys(value).length > 0 && asWritten.has(canonicalJson(value))) return true
  const inside = Object.values(value)
  if (
    inside.length <= WRAPPED_MAX &&
    inside.some((one) => isObject(one) && canonicalJson(one) === canonicalJson(schema))
  )
    return true
  const { properties: said, type = schema['type'] ?? 'object' } = value
  if (!isObject(properties) || 'properties' in properties || !isObject(said)) return false
  return type === (schema['type'] ?? 'object') && Object.keys(said).every((name) => name in properties)
}

/** Members of what is around a schema, such as its name. */
const WRAPPED_MAX = 3

/** JSON that fits a schema, and would be taken for an answer; null: none can be made up. */
export function exampleAnswer(schema: JsonSchema): string | null {
  try {
    const { example } = exampleFor(schema)
    return example !== undefined && fitAnswer(example, schema).ok ? example : null
  } catch {
    return null
  }
}

/** JSON that fits a schema, where it can be made up. */
function exampleFor(schema: JsonSchema): { example?: string } {
  const value = exampleOf(schema)
  if (value === undefined || !validatorOf(schema).validate(value).valid) return {}
  const example = JSON.stringify(value, null, 2)
  return example.length > LIMITS.skill.exampleCharsMax ? {} : { example }
}

/** Throws where a value takes more steps: schemas that refer to each other may make each step two. */
function validatorOf(schema: JsonSchema, stepsMax: number = LIMITS.schema.stepsMax): BoundedValidator {
  return new BoundedValidator(schema, '2020-12', { ...LIMITS.schema, stepsMax })
}

/** What would only show when an answer comes to it: a reference to nothing, an expression that is none or never ends. */
function problemIn(schema: Schema | boolean, known: Record<string, unknown>): string | null {
  if (typeof schema === 'boolean') return null
  const target: unknown = Reflect.get(schema, '__absolute_ref__') ?? schema.$ref
  if (typeof target === 'string' && known[target] === undefined)
    return `a JSON Schema without a reference to nothing: ${schema.$ref}`
  const misused = misusedKeyword(schema)
  if (misused) return `a JSON Schema: ${misused}`
  const patterns = [schema.pattern ?? [], Object.keys(schema.patternProperties ?? {})].flat()
  for (const pattern of patterns) {
    // Throws on one that is none.
    const slow = slowness(new RegExp(pattern, 'u').source)
    if (slow !== null) return `a pattern ${slow}: ${pattern}`
  }
  return null
}

const TYPES: ReadonlySet<unknown> = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'])

/** A keyword whose value is none that it can have, so that no answer would ever fit, or any would. */
function misusedKeyword({ type, required, properties }: { [keyword: string]: unknown }): string | null {
  const types = type === undefined ? [] : [type].flat()
  if (!types.every((one) => TYPES.has(one))) return `type is one of ${[...TYPES].join(', ')}`
  const names = required === undefined ? [] : required
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return 'required is a list of names'
  return properties === undefined || isObject(properties) ? null : 'properties is an object of schemas'
}

const FENCE_LINE = /^`{3,}[^`\n]*$/gm

/** What is in the one code block of a text; null: there is none, or there are several. */
function onlyBlock(text: string): string | null {
  const [open, close, ...others] = text.matchAll(FENCE_LINE)
  if (!open || !close || others.length > 0 || !/^`+(?:json)?\s*$/i.test(open[0]) || !/^`+\s*$/.test(close[0]))
    return null
  return text.slice(open.index + open[0].length, close.index).trim()
}

function readJson(text: string): { ok: true; value: unknown } | { ok: false; error: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, error: `not JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}` }
  }
}

/** The places that are wrong, innermost only: what holds them is wrong because of them. */
function wordsOf(errors: readonly OutputUnit[]): string[] {
  const leaves = errors.filter(({ keyword }) => !HOLDERS.has(keyword))
  const words = (leaves.length > 0 ? leaves : errors).map(({ instanceLocation: at, error }) => `${at}: ${error}`)
  return [...new Set(words)].slice(0, LIMITS.skill.answerIssuesMax)
}

const HOLDERS: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'patternProperties',
])
