import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { parseJson } from '../../lib/json.ts'
import { maskOf } from '../../lib/mask.ts'
import type { GuardedFetch } from '../../net/outcome.ts'
import { responseOutcome } from './answer.ts'
import { TEXTS } from './answer-texts.ts'
import { lackingSecret } from '../wanted-secret.ts'
import { checkHeaders, isSafe, type RequestInput } from './input.ts'
import { fillSecrets, type KnownSecret, type WrittenRequest } from '../../net/secrets.ts'

export interface RequestPorts {
  fetch: GuardedFetch
  secrets: readonly KnownSecret[]
  settings: { timeoutMs: number; bodyBytesMax: number }
}

/** Send what the call wants, and say what came back. */
export async function request(ports: RequestPorts, wanted: RequestInput, context: ToolContext): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const { method, url, body = null } = wanted
  if (body !== null && isSafe(method)) return failed(texts.noBody(method))
  const headers = checkHeaders(wanted.headers)
  if (!headers.ok && headers.name === null) return failed(texts.manyHeaders(LIMITS.request.headersMax))
  if (!headers.ok) return failed(texts.badHeader(headers.name ?? ''))
  const written = { url, body, headers: { ...defaultHeaders(body), ...headers.headers } }
  const filled = await fillSecrets(written, ports.secrets, context.user)
  if (!filled.ok) return lackingSecret(filled.problem, context)
  const mask = maskOf(filled.values)
  const outcome = await send(ports, { ...filled, isSafe: isSafe(method), method }, context)
  const asked = { url: wanted.url, isSafe: isSafe(method), mask, bodyBytesMax: ports.settings.bodyBytesMax }
  return responseOutcome(outcome, asked, context)
}

interface Outgoing {
  request: WrittenRequest
  values: readonly string[]
  method: string
  isSafe: boolean
}

/** What may have an effect, or carries a secret, goes to the address that was approved and no further. */
function send({ fetch, settings }: RequestPorts, outgoing: Outgoing, { callId, signal, barsRedirect }: ToolContext) {
  const { url, headers, body } = outgoing.request
  return fetch(url, {
    method: outgoing.method,
    headers: { ...headers, 'idempotency-key': callId },
    ...(body === null ? {} : { body }),
    ...(outgoing.isSafe && outgoing.values.length === 0 ? {} : { maxRedirects: 0 }),
    ...settings,
    barsRedirect: (target) => barsRedirect(url, target),
    signal,
  })
}

function defaultHeaders(body: string | null): Record<string, string> {
  const type =
    body === null
      ? {}
      : { 'content-type': parseJson(body) === undefined ? 'text/plain; charset=utf-8' : 'application/json' }
  return { accept: '*/*', 'user-agent': 'Mozilla/5.0 (compatible; yaa)', ...type }
}

function failed(reason: string): ToolOutcome {
  return { ok: false, reason }
}
