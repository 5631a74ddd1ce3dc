import type { Language } from '../domain/language.ts'
import type { ToolCall } from '../domain/message.ts'
import { type NamedTool, toolsByName } from './tool-names.ts'

/** A call as tags, with the names of the session's language. Texts stand as they are, other values as JSON. */
export function writeCall(
  { name, arguments: args }: Pick<ToolCall, 'name' | 'arguments'>,
  tools: readonly NamedTool[],
  language: Language,
): string {
  const tool = toolsByName(tools).get(name)
  const outer = tool?.names[language] ?? name
  const inner = Object.entries(args).map(([english, value]) => {
    const parameter = tool?.parameters[english]?.names[language] ?? english
    return `<${parameter}>${typeof value === 'string' ? value : JSON.stringify(value)}</${parameter}>`
  })
  return [`<${outer}>`, ...inner, `</${outer}>`].join('\n')
}
