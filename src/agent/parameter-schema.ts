import type { Problem } from '../domain/event.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { withSchemaWords } from '../domain/schema-words.ts'
import type { JsonSchema, Tool } from '../domain/tool.ts'
import { isObject } from '../lib/json.ts'
import { parameterOf } from './tool-names.ts'

type Words = Readonly<Record<string, string>>

const TYPE_WORDS: Readonly<Record<Language, Words>> = {
  'zh-CN': {
    string: '文本',
    integer: '整数',
    number: '数字',
    boolean: 'true 或 false',
    array: '列表',
    object: 'JSON 对象',
    null: 'null',
  },
  en: {
    string: 'text',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a JSON object',
    null: 'null',
  },
}

const OR: Readonly<Record<Language, string>> = { 'zh-CN': '或', en: ' or ' }
const ANY: Readonly<Record<Language, string>> = { 'zh-CN': '任意值', en: 'any value' }
/** Messages of validators that say no more than the schema does. */
const PLAIN_MESSAGE =
  /^(?:Invalid|Too (?:small|big)|Unrecognized|Instance type|Instance does not have required property)/

/** Tool arguments that did not fit, in words of the session's language: parameters by their names in it. */
export function badParameters(
  tool: Tool,
  errors: readonly { path: string; expected: string }[],
  language: Language,
): Extract<Problem, { code: 'bad_parameters' }> {
  const violations = errors.map(({ path, expected }) => {
    const [name = '', ...rest] = path.split('.')
    const shown = parameterOf(tool, name)?.names[language] ?? name
    return { path: [shown, ...rest].join('.'), expected: expectation(tool, [name, ...rest], expected, language) }
  })
  return { code: 'bad_parameters', tool: tool.id, errors: violations }
}

/** Arguments that are no JSON object at all. */
export function notAnObject(tool: Tool, language: Language): Extract<Problem, { code: 'bad_parameters' }> {
  const expected = { 'zh-CN': '一个 JSON 对象', en: 'a JSON object' }[language]
  return { code: 'bad_parameters', tool: tool.id, errors: [{ path: 'arguments', expected }] }
}

/** What a parameter takes, such as `整数（1–50）`. */
export function describeSchema(schema: JsonSchema, language: Language): string {
  const literals = literalsOf(schema)
  if (literals.length > 0) return literals.map((one) => JSON.stringify(one)).join(OR[language])
  const types = typesOf(schema).filter((type) => type !== 'null')
  const words = [...new Set(types.map((type) => typeWord(type, schema, language)))].join(OR[language])
  const bounds = [formatOf(schema), ...boundsOf(schema, language), itemsOf(schema, language)].filter(
    (one) => one !== '',
  )
  const detail = bounds.join(language === 'en' ? ', ' : '，')
  if (detail === '') return words || ANY[language]
  return language === 'en' ? `${words} (${detail})` : `${words}（${detail}）`
}

function expectation(tool: Tool, path: readonly string[], message: string, language: Language): string {
  const [name = '', ...within] = path
  const parameter = parameterOf(tool, name)
  if (parameter === undefined) return name === '' ? withSchemaWords(language, message) : noSuchParameter(tool, language)
  const schema = schemaWithin(parameterSchema(tool, name), within, tool.inputSchema())
  const isPlain = PLAIN_MESSAGE.test(message) || message === ''
  if (schema === null) return withSchemaWords(language, message)
  const needed = parameter.required && within.length === 0 ? { 'zh-CN': '必填，', en: 'required, ' }[language] : ''
  return needed + describeSchema(schema, language) + (isPlain ? '' : `; ${withSchemaWords(language, message)}`)
}

/** The schema of what stands in a value at a path; null: it does not say. */
function schemaWithin(schema: JsonSchema, path: readonly string[], root: JsonSchema): JsonSchema | null {
  const [name, ...rest] = path
  if (name === undefined) return schema
  const { properties } = schema
  const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : itemSchema(schema)
  if (!isObject(found) || Object.keys(found).length === 0) return null
  return schemaWithin(resolved(found, root), rest, root)
}

function noSuchParameter(tool: Tool, language: Language): string {
  const names = Object.values(tool.parameters).map((parameter) => parameter.names[language])
  if (names.length === 0) return { 'zh-CN': '此工具没有参数', en: 'this tool takes no parameters' }[language]
  const list = names.join(language === 'en' ? ', ' : '、')
  return { 'zh-CN': `没有这个参数，可用的参数是 ${list}`, en: `no such parameter, there are ${list}` }[language]
}

function formatOf(schema: JsonSchema): string {
  const format = schema['format']
  return typeof format === 'string' ? format.toUpperCase().replaceAll('-', ' ') : ''
}

function boundsOf(schema: JsonSchema, language: Language): string[] {
  const unit = (zh: string, en: string): string => (language === 'en' ? ` ${en}` : ` ${zh}`)
  return [
    range(schema['minimum'], schema['maximum'], ''),
    range(undefined, lengthWorthSaying(schema['maxLength']), unit('个字符', 'characters')),
    range(schema['minItems'], schema['maxItems'], unit('项', 'items')),
  ].filter((one) => one !== '')
}

function typeWord(type: string, schema: JsonSchema, language: Language): string {
  if (type === 'string' && Number(schema['minLength']) > 0)
    return { 'zh-CN': '非空文本', en: 'non-empty text' }[language]
  return TYPE_WORDS[language][type] ?? type
}

/** A length that only guards the server would be noise to a model. */
function lengthWorthSaying(length: unknown): unknown {
  return typeof length === 'number' && length <= LIMITS.web.urlCharsMax ? length : undefined
}

/** Bounds that are only the edges of safe integers say nothing. */
function range(low: unknown, high: unknown, unit: string): string {
  const from = typeof low === 'number' && low > Number.MIN_SAFE_INTEGER ? low : null
  const to = typeof high === 'number' && high < Number.MAX_SAFE_INTEGER ? high : null
  if (from === null) return to === null ? '' : `≤ ${to}${unit}`
  return to === null ? `≥ ${from}${unit}` : `${from}–${to}${unit}`
}

function itemsOf(schema: JsonSchema, language: Language): string {
  const items = itemSchema(schema)
  if (!isObject(items) || typesOf(items).length === 0) return ''
  return `${{ 'zh-CN': '每项为', en: 'each ' }[language]}${describeSchema(items, language)}`
}

/** The JSON Schema of one parameter; empty if the tool's schema does not say. References within the schema are followed. */
export function parameterSchema(tool: Pick<Tool, 'inputSchema'>, name: string): JsonSchema {
  const root = tool.inputSchema()
  const properties = root['properties']
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : {}
  return isObject(schema) ? resolved(schema, root) : {}
}

/** The types that a schema admits, in its order; empty if it does not say. */
export function typesOf(schema: JsonSchema): string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string')
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  const types = choices.filter(isObject).flatMap(typesOf)
  return types.length > 0 ? types : literalsOf(schema).map(jsonType)
}

/** The only values that a schema admits (`enum`, `const`); empty if it does not say. */
function literalsOf(schema: JsonSchema): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return 'const' in schema ? [schema['const']] : []
}

/** The schema of a list's items. */
export function itemSchema(schema: JsonSchema): JsonSchema {
  if (isObject(schema['items'])) return schema['items']
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  const list = choices.filter(isObject).find((choice) => isObject(choice['items']))
  return list === undefined ? {} : itemSchema(list)
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const path = schema['$ref']
  if (typeof path !== 'string' || !path.startsWith('#/')) return schema
  let found: unknown = root
  for (const key of path.slice(2).split('/')) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : {}
  return isObject(found) ? { ...found, ...schema } : schema
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
