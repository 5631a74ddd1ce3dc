import type { ServerConfig } from '../domain/server-config.ts'
import type { SessionConfig, ToolConfig } from '../domain/config.ts'
import type { OutputLimits, Tool } from '../domain/tool.ts'

export interface ToolSettings {
  server: Pick<ServerConfig, 'tools'>
  /** Of the skills that do the work: the session's, a role's, a worker's. */
  skills?: readonly Pick<SessionConfig, 'tools'>[]
  session: Pick<SessionConfig, 'tools'>
}

export function findTool(tools: readonly Tool[], idOrName: string): Tool | undefined {
  return tools.find((tool) => tool.id === idOrName) ?? tools.find((tool) => namesOf(tool).includes(idOrName))
}

export function namesOf(tool: Tool): string[] {
  return [tool.id, ...Object.values(tool.names), ...(tool.written === undefined ? [] : [tool.written])]
}

export function outputLimitsOf(tool: Tool, settings: ToolSettings): OutputLimits {
  const output = configOf(tool, settings).output ?? {}
  return {
    charsMax: output.chars_max ?? tool.output.charsMax,
    linesMax: output.lines_max ?? tool.output.linesMax,
    strategy: output.strategy ?? tool.output.strategy,
  }
}

/** What config says of a tool: the session's words over the skills', those over the server's. */
export function configOf(tool: Tool, settings: ToolSettings): ToolConfig {
  return Object.assign({}, ...sourcesOf(tool, settings))
}

/** What each source says of a tool, the server's words first. */
export function sourcesOf(tool: Tool, { server, skills = [], session }: ToolSettings): ToolConfig[] {
  return [server, ...skills, session].flatMap((source) => entryFor(tool, source.tools) ?? [])
}

/** What is said of the tool under any of its names; its id has the last word, all tools of its server (`SERVER__*`) the first. */
function entryFor(tool: Tool, config: Record<string, ToolConfig> | undefined): ToolConfig | undefined {
  if (!config) return undefined
  const known = [...namesOf(tool), ...(tool.server === null ? [] : allOfServer(tool.id, tool.server))]
  const names = known.filter((name) => Object.hasOwn(config, name))
  return names.length === 0 ? undefined : Object.assign({}, ...names.toReversed().map((name) => config[name]))
}

/** `SERVER__*`, with the name of the server or as the ids of its tools begin. */
function allOfServer(id: string, server: string): string[] {
  return [`${server}__*`, `${id.slice(0, server.length + 2)}*`]
}

/** What is said of tools, with each that a change names under the name that the change has for it: under another one, what was said before
 *  could have the last word. */
export function namedAs(
  said: Record<string, ToolConfig>,
  change: object,
  tools: readonly Tool[],
): Record<string, ToolConfig> {
  let named = said
  for (const name of Object.keys(change)) {
    const tool = findTool(tools, name)
    const others = tool ? namesOf(tool).filter((one) => one !== name && Object.hasOwn(named, one)) : []
    if (!tool || others.length === 0) continue
    const own = Object.fromEntries(namesOf(tool).flatMap((one) => (named[one] ? [[one, named[one]]] : [])))
    const rest = Object.entries(named).filter(([one]) => !others.includes(one))
    named = { ...Object.fromEntries(rest), [name]: { ...entryFor(tool, own) } }
  }
  return named
}

/** The tools of a session: all that are not switched off. Control tools cannot be. */
export function enabledTools(all: readonly Tool[], settings: ToolSettings): Tool[] {
  return all.filter((tool) => tool.control || isEnabled(tool, settings))
}

/** Whether the config names a tool as enabled, or the one that it comes along with. */
export function isWished(tool: Tool, settings: ToolSettings): boolean {
  if (configOf(tool, settings).enabled === true) return true
  const { server, skills = [], session } = settings
  const { optIn } = tool
  return typeof optIn === 'string' && [server, ...skills, session].some(({ tools }) => tools?.[optIn]?.enabled === true)
}

/** Whether a source lets no call through, whatever its rules say. */
function deniesAll({ permission, rules = [] }: ToolConfig): boolean {
  return permission === 'deny' && rules.every((rule) => rule.permission === 'deny')
}

function isEnabled(tool: Tool, settings: ToolSettings): boolean {
  return configOf(tool, settings).enabled !== false && !sourcesOf(tool, settings).some(deniesAll)
}

/** Lists that are remembered. */
const LISTS_MAX = 64

const lists: (readonly Tool[])[] = []

/** The list of the same tools that was given before, if there is one, so that whatever is made of a list is made once. */
export function sharedList(tools: readonly Tool[]): readonly Tool[] {
  const known = lists.find((list) => list.length === tools.length && list.every((tool, index) => tool === tools[index]))
  if (known) return known
  if (lists.length >= LISTS_MAX) lists.shift()
  lists.push(tools)
  return tools
}
