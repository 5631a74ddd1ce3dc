import type { Language } from '../domain/language.ts'
import type { Tool, ToolParameter } from '../domain/tool.ts'
import type { ToolCall } from '../domain/message.ts'

/** What has to be known of a tool to find calls of it. */
export type NamedTool = Pick<Tool, 'id' | 'names' | 'parameters'>

/** Tools by id and by every name; an id wins over a name, an earlier tool over a later one. */
export function toolsByName<T extends NamedTool>(tools: readonly T[]): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  const add = (name: string, tool: T): void => void (map.has(name) || map.set(name, tool))
  for (const tool of tools) add(tool.id, tool)
  for (const tool of tools) for (const name of Object.values(tool.names)) add(name, tool)
  return map
}

/** English names of a tool's parameters by every name that they may be written with. */
export function parametersByName(tool: Pick<NamedTool, 'parameters'>): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  const add = (name: string, english: string): void => void (map.has(name) || map.set(name, english))
  for (const english of Object.keys(tool.parameters)) add(english, english)
  for (const [english, { names }] of Object.entries(tool.parameters)) {
    for (const name of Object.values(names)) add(name, english)
  }
  return map
}

/** A parameter by its English name; undefined: the tool has none that is called so, whatever a model calls one (`constructor`). */
export function parameterOf({ parameters }: Pick<Tool, 'parameters'>, name: string): ToolParameter | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined
}

/** The name that a tool is shown with; a tool that is not there keeps the name it was called by. */
export function displayName(name: string, tools: readonly NamedTool[], language: Language): string {
  return toolsByName(tools).get(name)?.names[language] ?? name
}

/** A call as tags, with the names of the session's language. Texts stand as they are, other values as JSON. */
export function writeCall(
  { name, arguments: args }: Pick<ToolCall, 'name' | 'arguments'>,
  tools: readonly NamedTool[],
  language: Language,
): string {
  const tool = toolsByName(tools).get(name)
  const outer = tool?.names[language] ?? name
  const inner = Object.entries(args).map(([english, value]) => {
    const parameter = (tool && parameterOf(tool, english)?.names[language]) ?? english
    return `<${parameter}>${typeof value === 'string' ? value : JSON.stringify(value)}</${parameter}>`
  })
  return [`<${outer}>`, ...inner, `</${outer}>`].join('\n')
}
