import type { Tool } from '../domain/tool.ts'

/** Whether a name in a skill means a tool: its id, any of its names, `SERVER__*` for all of a server, or `*` for all. */
export function means(name: string, tool: Pick<Tool, 'id' | 'names'>): boolean {
  if (name === '*') return true
  if (name.endsWith('__*')) return tool.id.startsWith(name.slice(0, -1))
  return name === tool.id || Object.values(tool.names).includes(name)
}

/** Whether a name may come to mean a tool that is not there yet: one of an MCP server. */
export function mayComeToMean(name: string): boolean {
  return name === '*' || /^[A-Za-z0-9_-]+__(\*|[A-Za-z0-9_-]+)$/.test(name)
}
