import { isObject } from '../lib/json.ts'
import { LooseJson } from '../lib/loose-json.ts'
import type { Tool } from '../domain/tool.ts'
import { toArguments, withEnglishNames } from './arguments.ts'
import { parameterSchema, typesOf } from './parameter-schema.ts'
import { type NamedTool, parametersByName, toolsByName } from './tool-names.ts'

/** A call that was not written as its protocol has it, but can be nothing else. Its arguments fit the tool. */
export interface LooseCall {
  tool: Tool
  arguments: Record<string, unknown>
  /** Further calls that the reply writes. */
  dropped: number
}

export interface Read {
  tools: LooseTools
  /** The reply was longer: what the end left open is not known. */
  isCut: boolean
}

/** Places at which a call may begin that are tried, of those that begin none; each may cost the rest of the reply. */
export const TRIES_MAX = 16

/** Other names that models give the text that a tool takes as its `reason`. */
const REASONS: ReadonlySet<string> = new Set(
  'answer finalanswer text result response content message 答案 最终答案 回答 答复 回复 结果 内容 文本'.split(' '),
)

/** Tools by names as models write them: whatever the case, with `-` for `_` or neither, behind `functions.`. */
export class LooseTools {
  readonly tools: readonly Tool[]
  readonly #exact: ReadonlyMap<string, Tool>
  readonly #byKey: ReadonlyMap<string, Tool | null>

  constructor(tools: readonly Tool[]) {
    this.tools = tools
    this.#exact = toolsByName(tools)
    this.#byKey = byKey(this.#exact)
  }

  /** The tool that a name means; undefined: none, or several. */
  find(name: string): Tool | undefined {
    const bare = name.trim().replace(/^functions?\./, '')
    return this.#exact.get(bare) ?? this.#byKey.get(keyOf(bare)) ?? undefined
  }

  /** Arguments as the tool takes them, made of what a model gave; null: nothing valid can be made of it. */
  fit(tool: Tool, given: unknown): Record<string, unknown> | null {
    const single = onlyRequired(tool)
    const inner = typeof given === 'string' ? objectIn(given) : given
    const readings = [
      ...(isObject(inner) ? [withEnglishNames(inner, tool)] : []),
      ...(isObject(inner) ? [renamed(inner, tool, single)] : []),
      ...(isObject(inner) ? [typed(renamed(inner, tool, single), tool)] : []),
      ...(typeof given === 'string' && single !== null ? [{ [single]: withoutName(given.trim(), tool, single) }] : []),
    ]
    return readings.find((args) => tool.parse(args).ok) ?? null
  }
}

/** A text without the name of the parameter that it is for, where that stands before it. */
function withoutName(text: string, { id, parameters }: Tool, parameter: string): string {
  const [, name = '', sign, value = ''] = /^([\p{L}_]{1,32})[ \t]*([:：=])[ \t]*(\S[^]*)$/u.exec(text) ?? []
  const [, quoted] = (sign === '=' && /^"([^"]*)"$/.exec(value)) || []
  // An answer may be an equation.
  if (sign === '=' && id === 'finish' && quoted === undefined) return text
  const names = [parameter, ...Object.values(parameters[parameter]?.names ?? {})]
  return names.includes(name) ? (quoted ?? value) : text
}

/** A name without what models change in it. */
export function keyOf(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase()
}

/** Parameters of a tool by the keys of their names. */
export function parametersByKey(tool: Pick<NamedTool, 'parameters'>): ReadonlyMap<string, string | null> {
  return byKey(parametersByName(tool))
}

/** The one text that a tool has to be given; null: it needs none, or more. */
export function onlyRequired(tool: Tool): string | null {
  const required = Object.entries(tool.parameters).filter(([, parameter]) => parameter.required)
  const [name = ''] = required[0] ?? []
  return required.length === 1 && typesOf(parameterSchema(tool, name)).includes('string') ? name : null
}

/** Whether an unknown name may stand for the parameter. */
export function isOtherName(name: string, parameter: string): boolean {
  return parameter === 'reason' && REASONS.has(keyOf(name))
}

/** By the keys of names; null: several things have the key. */
function byKey<T>(named: ReadonlyMap<string, T>): ReadonlyMap<string, T | null> {
  const found = new Map<string, T | null>()
  for (const [name, value] of named) {
    const key = keyOf(name)
    const known = found.get(key)
    found.set(key, known === undefined || known === value ? value : null)
  }
  return found
}

/** Arguments that have the types of their parameters: `"2"` is a number where a number is wanted. Of our own tools `2` is a text where a text
 *  is wanted; a tool of another server is told nothing in its place. */
function typed(args: Record<string, unknown>, tool: Tool): Record<string, unknown> {
  const texts = Object.entries(args).flatMap(([name, value]): [string, string][] => {
    const isText = tool.server === null && typesOf(parameterSchema(tool, name)).includes('string')
    const text = typeof value === 'string' ? value : isText ? wordOf(value) : null
    return text === null ? [] : [[name, text]]
  })
  return { ...args, ...toArguments(texts, tool) }
}

/** A number or a word of JSON as it was written; null: it may have been written in another way, or is neither. */
function wordOf(value: unknown): string | null {
  if (typeof value === 'boolean') return String(value)
  const isWritten = typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return isWritten ? String(value) : null
}

function renamed(args: Record<string, unknown>, tool: Tool, single: string | null): Record<string, unknown> {
  const known = parametersByKey(tool)
  const nameOf = (name: string) => {
    const found = known.get(keyOf(name))
    if (found) return found
    return single !== null && !Object.hasOwn(args, single) && isOtherName(name, single) ? single : name
  }
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [nameOf(name), value]))
}

/** The object that a text is, as a whole. */
function objectIn(text: string): unknown {
  const whole = text.trim()
  if (!whole.startsWith('{')) return undefined
  const found = new LooseJson(whole, 0).read()
  return found?.end === whole.length ? found.value : undefined
}
