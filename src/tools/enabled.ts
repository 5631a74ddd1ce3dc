import type { ToolConfig } from '../domain/config.ts'
import type { Tool } from '../domain/tool.ts'
import { configOf, sourcesOf, type ToolSettings } from './registry.ts'

/** The tools of a session: all that are not switched off. Control tools cannot be. */
export function enabledTools(all: readonly Tool[], settings: ToolSettings): Tool[] {
  return all.filter((tool) => tool.control || isEnabled(tool, settings))
}

/** Whether a source lets no call through, whatever its rules say. */
function deniesAll({ permission, rules = [] }: ToolConfig): boolean {
  return permission === 'deny' && rules.every((rule) => rule.permission === 'deny')
}

function isEnabled(tool: Tool, settings: ToolSettings): boolean {
  return configOf(tool, settings).enabled !== false && !sourcesOf(tool, settings).some(deniesAll)
}
