import type { Tool } from '../../domain/tool.ts'
import { defineTool } from '../define.ts'
import { input, isIdempotent, riskOf, effects } from './input.ts'
import { responseValue } from './answer-value.ts'
import type { RequestPorts } from './request.ts'
import { descriptionWith, NAMES, PARAMETERS } from './texts.ts'

/** What the tool may take longer than the request itself, for reading what came. */
const READING_MS = 5_000

/** The tool that calls an API. Secrets are filled in here, behind the approval, and taken out of all that comes back. */
export function httpRequest(ports: RequestPorts): Tool {
  return defineTool({
    id: 'http_request',
    guarded: true,
    names: NAMES,
    description: descriptionWith(ports.secrets),
    risk: 'network',
    riskOf,
    idempotent: true,
    isIdempotent,
    effects,
    timeoutMs: ports.settings.timeoutMs + READING_MS,
    input,
    parameters: PARAMETERS,
    resultValue: responseValue,
    run: async (wanted, context) => (await import('./request.ts')).request(ports, wanted, context),
  })
}
