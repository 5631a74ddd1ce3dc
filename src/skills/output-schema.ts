import { isObject } from '../lib/json.ts'
import { dereference, Validator, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { canonicalJson } from '../lib/hash.ts'
import { LIMITS } from '../domain/limits.ts'
import type { JsonSchema } from '../domain/tool.ts'
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
    const subschemas = dereference(copyOf(schema))
    for (const probe of [null, '', 0, [], {}]) validatorOf(schema).validate(probe)
    return (
      Object.values(subschemas)
        .map((one) => problemIn(one, subschemas))
        .find((found) => found !== null) ?? null
    )
  } catch (error) {
    return `a JSON Schema: ${error instanceof Error ? error.message : 'it cannot be read'}`
  }
}

/** An answer as JSON that fits a schema: the whole text, or the one code block that it is. */
export function fitAnswer(text: string, schema: JsonSchema): Fitted {
  const json = unfenced(text.trim())
  const read = readJson(json)
  if (!read.ok) return { ok: false, errors: [read.error] }
  try {
    if (isEcho(read.value, schema)) return { ok: false, errors: [ECHO], ...exampleFor(schema) }
    const { valid, errors } = validatorOf(schema).validate(read.value)
    return valid ? { ok: true, json } : { ok: false, errors: wordsOf(errors) }
  } catch (error) {
    return { ok: false, errors: [error instanceof Error ? error.message : 'the schema cannot be used'] }
  }
}

const ECHO = '#: the JSON Schema itself'

/** Whether an answer is the schema that it has to fit: to the letter, wrapped, or with other words in it. */
function isEcho(value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value)) return false
  if (canonicalJson(value) === canonicalJson(schema)) return true
  const [only] = Object.values(value)
  if (Object.keys(value).length === 1 && isObject(only) && canonicalJson(only) === canonicalJson(schema)) return true
  const { properties } = schema
  return isObject(properties) && !('properties' in properties) && isObject(value['properties']) && 'type' in value
}

/** JSON that fits a schema, where it can be made up. */
function exampleFor(schema: JsonSchema): { example?: string } {
  const value = exampleOf(schema)
  if (value === undefined || !validatorOf(schema).validate(value).valid) return {}
  const example = JSON.stringify(value, null, 2)
  return example.length > LIMITS.skill.exampleCharsMax ? {} : { example }
}

function validatorOf(schema: JsonSchema): Validator {
  return new Validator(copyOf(schema), '2020-12', false)
}

/** The validator writes its own marks into what it is given. */
function copyOf(schema: JsonSchema): Schema {
  return structuredClone(schema) as Schema
}

/** A repeat of what holds a repeat or a choice itself: the time that it takes may grow without bound. */
const NESTED_REPEAT = /\([^()]*[*+{|][^()]*\)[*+{]/

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
    const expression = new RegExp(pattern, 'u')
    if (NESTED_REPEAT.test(expression.source)) return `a pattern without repeats in repeats: ${pattern}`
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

function unfenced(text: string): string {
  return /^(`{3,})(?:json)?[^\S\n]*\n([\s\S]*?)\n\1$/i.exec(text)?.[2]?.trim() ?? text
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
