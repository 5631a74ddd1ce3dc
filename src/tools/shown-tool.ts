import type { ServerConfig } from '../domain/server-config.ts'
import type { Tool } from '../domain/tool.ts'
import { enabledTools } from './enabled.ts'
import { permissionOf } from './permission.ts'
import { outputLimitsOf } from './registry.ts'

/** A tool as GET /v1/tools shows it. */
export function shownTool(tool: Tool, server: Pick<ServerConfig, 'tools'>) {
  const settings = { server, session: {} }
  const { charsMax, linesMax, strategy } = outputLimitsOf(tool, settings)
  return {
    id: tool.id,
    object: 'tool',
    names: tool.names,
    description: tool.description,
    parameters: Object.fromEntries(
      Object.entries(tool.parameters).map(([name, { names, required }]) => [name, { names, required }]),
    ),
    input_schema: tool.inputSchema(),
    ...(tool.server === null ? {} : { server: tool.server }),
    risk: tool.risk,
    idempotent: tool.idempotent,
    enabled: enabledTools([tool], settings).length > 0,
    permission: permissionOf(tool, settings),
    auto_approve: permissionOf(tool, settings) === 'allow',
    timeout_ms: tool.timeoutMs,
    output: { chars_max: charsMax, lines_max: linesMax, strategy },
  }
}
