import { parseJson } from '../../lib/json.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import {
  describeCut,
  describeFailure,
  type GuardedFetch,
  type GuardedOutcome,
  type GuardedResponse,
} from '../../net/outcome.ts'
import { decodeBytes } from '../../reader/decode.ts'
import { pageKind } from '../../reader/page.ts'
import { parseMediaType } from '../../lib/content-type.ts'
import { fence } from '../../lib/fence.ts'
import { type Mask, maskOf } from '../../lib/mask.ts'
import { TEXTS } from './answer-texts.ts'
import { checkHeaders, isSafe, type RequestInput } from './input.ts'
import { fillSecrets, type KnownSecret, type WrittenRequest } from './secrets.ts'

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
  const filled = fillSecrets(written, ports.secrets)
  if (!filled.ok) return failed(texts.secret(filled.problem))
  const mask = maskOf(filled.values)
  const outcome = await send(ports, { ...filled, isSafe: isSafe(method), method }, context)
  return answerOf(outcome, { wanted, mask, ports }, context)
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

interface Asked {
  wanted: RequestInput
  /** Takes the secrets that were sent out of a text. */
  mask: Mask
  ports: RequestPorts
}

async function answerOf(outcome: GuardedOutcome, asked: Asked, context: ToolContext): Promise<ToolOutcome> {
  const { language, sessionId, callId } = context
  const texts = TEXTS[language]
  const response = readable(outcome)
  if (!response) {
    const reason = outcome.ok ? '' : describeFailure(outcome, language)
    return failed(hasArrived(outcome) && !isSafe(asked.wanted.method) ? `${reason} ${texts.unsure}` : reason)
  }
  const body = await bodyText(response, (text) => asked.mask(text, !outcome.ok), language)
  const text = asked.mask(`${headerLines(response, asked)}\n\n${body}`)
  const heading = [
    texts.status(response.status),
    ...(outcome.ok ? [] : [describeCut(asked.ports.settings.bodyBytesMax, language)]),
    ...(response.status >= 300 && response.status < 400 && response.headers.has('location') ? [texts.redirect] : []),
    texts.untrusted,
  ]
  const fenced = await fence(text.trim(), texts.begin, texts.end, `${sessionId}\n${callId}`)
  return { ok: true, content: [...heading, fenced].join('\n'), untrusted: true, essence: `${response.status} ${text}` }
}

/** The answer, or as much of one as the cap let through. */
function readable(outcome: GuardedOutcome): GuardedResponse | null {
  if (outcome.ok) return outcome.response
  return outcome.code === 'too_large' ? outcome.partial : null
}

/** Whether the other side may have seen the request. */
function hasArrived(outcome: GuardedOutcome): boolean {
  return !outcome.ok && outcome.code !== 'address_refused'
}

const SHOWN_HEADERS = [
  'content-type',
  'location',
  'etag',
  'last-modified',
  'link',
  'allow',
  'retry-after',
  'www-authenticate',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]
const HEADER_CHARS_MAX = 1_000

/** What is to be masked is masked before it is cut: of half a secret nothing would be known. */
function headerLines({ headers, url }: GuardedResponse, { wanted, mask }: Asked): string {
  const shown = (value: string) => mask(value).slice(0, HEADER_CHARS_MAX)
  const lines = SHOWN_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [`${name}: ${shown(value)}`]
  })
  const came = URL.parse(url)?.origin === URL.parse(wanted.url)?.origin ? [] : [`url: ${shown(url)}`]
  return [...came, ...lines].join('\n')
}

/** The body as text that can be read. What is to be masked is masked before anything is made of it, too. */
async function bodyText(
  { bytes, headers, url }: GuardedResponse,
  mask: (text: string) => string,
  language: Language,
): Promise<string> {
  const texts = TEXTS[language]
  if (bytes.byteLength === 0) return texts.empty
  const contentType = headers.get('content-type')
  const { kind, mediaType } = pageKind(parseMediaType(contentType).type, bytes)
  if (kind === 'binary') return texts.bytes(mediaType, byteSize(bytes.byteLength))
  const text = mask(decodeBytes(bytes, contentType)).slice(0, LIMITS.request.textCharsMax)
  if (kind !== 'html' && kind !== 'json') return text
  const { readPage } = await import('../../reader/read-page.ts')
  return readPage({ bytes: new TextEncoder().encode(text), contentType: `${mediaType}; charset=utf-8`, url }).markdown
}

function failed(reason: string): ToolOutcome {
  return { ok: false, reason }
}
