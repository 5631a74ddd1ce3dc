import type { Tool } from '../domain/tool.ts'
import { permissionOf } from './permission.ts'
import { configOf, type ToolSettings } from './registry.ts'

/** The tools of a session: all that are not switched off. Control tools cannot be. */
export function enabledTools(all: readonly Tool[], settings: ToolSettings): Tool[] {
  return all.filter((tool) => tool.control || isEnabled(tool, settings))
}

function isEnabled(tool: Tool, settings: ToolSettings): boolean {
  return configOf(tool, settings).enabled !== false && permissionOf(tool, settings) !== 'deny'
}
