import type { InputIssue } from '../domain/errors.ts'
import type { Tool, ToolContext, ToolOutcome } from '../domain/tool.ts'
import { isObject } from '../lib/json.ts'
import { namesOf } from './registry.ts'

/** Services take no other names of functions. */
const ID = /^[a-zA-Z0-9_-]{1,64}$/

/** What no run could do with tools that somebody brings, beside those of the product. */
export function givenToolIssues(given: readonly Tool[], ours: readonly Tool[]): InputIssue[] {
  return given.flatMap((tool, index) => {
    const path = `tools.${index}`
    if (!isDefined(tool)) return [{ path, message: 'a tool that defineTool made, with its names in both languages' }]
    if (!ID.test(tool.id)) return [{ path: `${path}.id`, message: '1–64 letters, digits, _ and -' }]
    const others = [...ours, ...given.slice(0, index).filter(isDefined)].flatMap(namesOf)
    const taken = namesOf(tool).find((name) => others.includes(name))
    if (taken !== undefined) return [{ path, message: `another tool is called ${taken}` }]
    return schemaIssues(tool, `${path}.input`)
  })
}

function isDefined(tool: unknown): tool is Tool {
  if (!isObject(tool) || typeof tool['run'] !== 'function' || typeof tool['inputSchema'] !== 'function') return false
  const { names, description } = tool
  const texts = [names, description].flatMap((said) => (isObject(said) ? [said['en'], said['zh-CN']] : [null]))
  return [tool['id'], ...texts].every((text) => typeof text === 'string')
}

/** A date, for one, is nothing that a model can write. */
function schemaIssues(tool: Tool, path: string): InputIssue[] {
  try {
    tool.inputSchema()
    return []
  } catch (error) {
    return [{ path, message: error instanceof Error ? error.message : String(error) }]
  }
}

/** The tool, whose bugs are reported: what it throws, and an outcome that is none. The model is told of both that it broke inside. */
export function givenTool(tool: Tool, report: (error: unknown) => void): Tool {
  const failed = (error: unknown, { signal }: ToolContext): never => {
    if (!signal.aborted) report(error)
    throw error
  }
  const later = async (made: PromiseLike<ToolOutcome>, context: ToolContext) => {
    try {
      return outcomeOf(await made, tool)
    } catch (error) {
      return failed(error, context)
    }
  }
  return {
    ...tool,
    run: (args, context) => {
      try {
        const made = tool.run(args, context)
        return isPromise(made) ? later(made, context) : outcomeOf(made, tool)
      } catch (error) {
        return failed(error, context)
      }
    },
  }
}

/** It may be of another realm, or of a library. */
function isPromise(made: ToolOutcome | PromiseLike<ToolOutcome>): made is PromiseLike<ToolOutcome> {
  return isObject(made) && 'then' in made
}

function outcomeOf(made: ToolOutcome, { id }: Tool): ToolOutcome {
  const said: unknown = made
  const { ok = null, content, reason } = isObject(said) ? said : {}
  if (ok === true && (typeof content === 'string' || content === null)) return made
  if (ok === false && typeof reason === 'string') return made
  throw new TypeError(`tool ${id}: run gives { ok: true, content: 'text' } or { ok: false, reason: 'text' }`)
}
