import { PATIENCE_MS } from '../../../support/patience.ts'
import type { Tool, ToolContext } from '../../../../src/domain/tool.ts'
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.ts'
import { execute } from '../../../../src/tools/define.ts'
import { httpRequest } from '../../../../src/tools/http-request/tool.ts'
import { toolContext } from '../../../support/tool-context.ts'
import { loopback, type Loopback, page } from '../../net/loopback.ts'

/** A value with every character that has a spelling of its own. */
export const VALUE = 'sk-live/ä"&+ 4711_zz'

export interface Setting {
  allow?: readonly string[]
  secrets?: Record<string, { origin: string; value?: string }>
  bodyBytesMax?: number
}

export function toolFor({ allow = [], secrets = {}, bodyBytesMax = 100_000 }: Setting): Tool {
  const guard = { publicFetch: fetch, privateFetch: null, allowPrivateHosts: allow }
  const known = Object.entries(secrets).map(([name, { origin, value }]) => ({ name, origin, value: () => value }))
  return httpRequest({
    fetch: createGuardedFetch(guard),
    secrets: known,
    settings: { timeoutMs: PATIENCE_MS, bodyBytesMax },
  })
}

export const run = (tool: Tool, args: Record<string, unknown>, context: Partial<ToolContext> = {}) =>
  execute(tool, args, toolContext(context))

export async function content(
  tool: Tool,
  args: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<string> {
  const outcome = await run(tool, args, context)
  if (!outcome.ok) throw new Error(outcome.reason)
  return outcome.content ?? ''
}

export async function reason(
  tool: Tool,
  args: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<string> {
  const outcome = await run(tool, args, context)
  if (outcome.ok) throw new Error(`a failure was expected: ${outcome.content}`)
  return outcome.reason
}

/** A server that is allowed, with a secret of its own. */
export async function guarded(
  answer: Parameters<typeof loopback>[0],
  value = VALUE,
): Promise<{ site: Loopback; tool: Tool }> {
  const site = await loopback(answer)
  return { site, tool: toolFor({ allow: [site.host], secrets: { TOKEN: { origin: site.origin, value } } }) }
}

export const json = (value: unknown) => page(JSON.stringify(value), { 'content-type': 'application/json' })
