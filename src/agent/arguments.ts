import type { JsonSchema, Tool } from '../domain/tool.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { itemSchema, parameterSchema, typesOf } from './parameter-schema.ts'
import type { WrittenParameters } from './text-call.ts'
import { parameterOf, parametersByName } from './tool-names.ts'

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const TRUE: ReadonlySet<string> = new Set(['true', 'yes', '是'])
const FALSE: ReadonlySet<string> = new Set(['false', 'no', '否'])

/** Arguments under their English names, typed by the tool's schema. Text that does not fit its type stays text and a name
 *  that the tool does not know stays as written, so that validation names them. A parameter that is no list and is given
 *  twice has its last value, as a repeated key of JSON has: a writer who corrects itself does so afterwards. */
export function toArguments(params: WrittenParameters, tool: Tool): Record<string, unknown> {
  const english = parametersByName(tool)
  const written = new Map<string, string[]>()
  for (const [nameAsWritten, value] of params) {
    const name = english.get(nameAsWritten) ?? nameAsWritten
    const texts = written.get(name)
    if (texts) texts.push(value)
    else written.set(name, [value])
  }
  const values = [...written].map(([name, texts]) => [name, valueOf(texts, parameterSchema(tool, name))] as const)
  return Object.fromEntries(values.filter(([name, value]) => value !== '' || isNeeded(tool, name)))
}

/** The same arguments with the names of their parameters in English; an English name given wins over a translated one. */
export function withEnglishNames(args: Record<string, unknown>, tool: Tool): Record<string, unknown> {
  const english = parametersByName(tool)
  const renamed = Object.entries(args).filter(([name]) => !Object.hasOwn(tool.parameters, name))
  const kept = Object.entries(args).filter(([name]) => Object.hasOwn(tool.parameters, name))
  return Object.fromEntries([...renamed.map(([name, value]) => [english.get(name) ?? name, value] as const), ...kept])
}

/** An empty tag of a parameter that may be left out and is not a text means that it is left out. */
function isNeeded(tool: Tool, name: string): boolean {
  if (parameterOf(tool, name)?.required ?? true) return true
  const types = typesOf(parameterSchema(tool, name))
  return types.length === 0 || types.includes('string')
}

function valueOf(texts: string[], schema: JsonSchema): unknown {
  const types = typesOf(schema)
  if (!types.includes('array') || types.includes('string')) return typed(texts.at(-1) ?? '', types)
  if (texts.length === 1 && texts[0] === '') return ''
  const item = typesOf(itemSchema(schema))
  const items = texts.flatMap((text) => parsedList(text) ?? (texts.length > 1 ? [text] : linesOf(text)))
  return items.map((one) => (typeof one === 'string' ? typed(one, item) : one))
}

function parsedList(text: string): unknown[] | null {
  const value = text.startsWith('[') ? parseJson(text) : undefined
  return Array.isArray(value) ? value : null
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function typed(text: string, types: string[]): unknown {
  if (types.includes('string')) return text
  const word = text.toLowerCase()
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(text)) return Number(text)
  if (types.includes('boolean') && TRUE.has(word)) return true
  if (types.includes('boolean') && FALSE.has(word)) return false
  if (types.includes('null') && word === 'null') return null
  return (types.includes('object') || types.length === 0) && /^[{[]/.test(text) ? structureOf(text) : text
}

function structureOf(text: string): unknown {
  const value = parseJson(text)
  return isObject(value) || Array.isArray(value) ? value : text
}
