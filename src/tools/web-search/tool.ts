import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { WebSearchConfig } from '../../domain/web-config.ts'
import type { OutputLimits, Tool } from '../../domain/tool.ts'
import { hostPort } from '../../lib/addresses.ts'
import { createGuardedFetch } from '../../net/guarded-fetch.ts'
import { defineTool } from '../define.ts'
import { searchService } from './providers.ts'
import type { AskedService, WebSearchPorts } from './search.ts'
import { DESCRIPTION, NAMES, PARAMETERS } from './texts.ts'

const { searchResultsMax, queryCharsMax, searchOutputCharsMax, searchOutputLinesMax } = LIMITS.web
const OUTPUT: OutputLimits = { charsMax: searchOutputCharsMax, linesMax: searchOutputLinesMax, strategy: 'head_tail' }
/** What the tool may take longer than the request. */
const READING_MS = 2_000
const input = z.strictObject({
  query: z.string(`1–${queryCharsMax}`).trim().min(1, `1–${queryCharsMax}`).max(queryCharsMax, `1–${queryCharsMax}`),
  count: z.coerce.number(`1–${searchResultsMax}`).int(`1–${searchResultsMax}`).min(1).max(searchResultsMax).optional(),
})

/** The search tool of a config; none when nothing can be asked, so that no model is offered it. */
export function webSearch(config: WebSearchConfig | undefined, ports: WebSearchPorts): Tool[] {
  const key = config?.api_key_env === undefined ? undefined : ports.secret(config.api_key_env)
  const service = searchService(config, key)
  if (service === null) return []
  const { guard, isTenants = false } = ports
  // The config's own address is trusted as those of its models are, and nothing beside it.
  const fetch = createGuardedFetch(isTenants ? guard : { ...guard, allowPrivateHosts: [hostPort(service.url)] })
  return [toolOf({ service, key, fetch }, ports)]
}

function toolOf(asked: AskedService, ports: WebSearchPorts): Tool {
  return defineTool({
    id: 'web_search',
    names: NAMES,
    description: DESCRIPTION,
    risk: 'network',
    idempotent: true,
    timeoutMs: ports.settings.timeoutMs + READING_MS,
    output: OUTPUT,
    units: async () => (await import('../../relevance/units.ts')).items,
    input,
    parameters: PARAMETERS,
    run: async (wanted, context) => (await import('./search.ts')).searchWeb(asked, ports, wanted, context),
  })
}
