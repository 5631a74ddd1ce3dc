import type { ServerConfig } from '../domain/server-config.ts'
import type { SessionConfig, ToolConfig } from '../domain/config.ts'
import type { OutputLimits, Permission, Tool } from '../domain/tool.ts'

export interface ToolSettings {
  server: Pick<ServerConfig, 'tools'>
  session: Pick<SessionConfig, 'tools'>
}

/** The tools of a session: all that are not switched off. Control tools cannot be. */
export function enabledTools(all: readonly Tool[], settings: ToolSettings): Tool[] {
  return all.filter((tool) => tool.control || isEnabled(tool, settings))
}

function isEnabled(tool: Tool, settings: ToolSettings): boolean {
  const config = configOf(tool, settings)
  return config.enabled !== false && permissionOf(tool, settings) !== 'deny'
}

export function findTool(tools: readonly Tool[], idOrName: string): Tool | undefined {
  return tools.find((tool) => tool.id === idOrName) ?? tools.find((tool) => namesOf(tool).includes(idOrName))
}

export function namesOf(tool: Tool): string[] {
  return [tool.id, ...Object.values(tool.names)]
}

/** Whether a call of the tool runs at once, waits for a human or never runs; the strictest word of server and session wins.
 *  Without a word, what only reads the session's own runs. */
export function permissionOf(tool: Tool, settings: ToolSettings): Permission {
  if (tool.control) return 'allow'
  const words = [settings.server.tools, settings.session.tools].map((tools) => entryFor(tool, tools)?.permission)
  if (words.includes('deny')) return 'deny'
  if (words.includes('ask')) return 'ask'
  const approved = configOf(tool, settings).auto_approve ?? tool.risk === 'read'
  return words.includes('allow') || approved ? 'allow' : 'ask'
}

export function outputLimitsOf(tool: Tool, settings: ToolSettings): OutputLimits {
  const output = configOf(tool, settings).output ?? {}
  return {
    charsMax: output.chars_max ?? tool.output.charsMax,
    linesMax: output.lines_max ?? tool.output.linesMax,
    strategy: output.strategy ?? tool.output.strategy,
  }
}

/** What config says of a tool, the session's words over the server's. */
function configOf(tool: Tool, settings: ToolSettings): ToolConfig {
  return { ...entryFor(tool, settings.server.tools), ...entryFor(tool, settings.session.tools) }
}

function entryFor(tool: Tool, config: Record<string, ToolConfig> | undefined): ToolConfig | undefined {
  const name = config && namesOf(tool).find((known) => Object.hasOwn(config, known))
  return name === undefined ? undefined : config?.[name]
}
