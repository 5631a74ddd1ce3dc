import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { parseMediaType } from '../../lib/content-type.ts'
import { fence } from '../../lib/fence.ts'
import type { Mask } from '../../lib/mask.ts'
import { byteSize } from '../../lib/text.ts'
import { describeCut, describeFailure, type GuardedOutcome, type GuardedResponse } from '../../net/outcome.ts'
import { decodeBytes } from '../../reader/decode.ts'
import { pageKind } from '../../reader/page.ts'
import { TEXTS } from './answer-texts.ts'

/** The request that an answer is of. */
interface AnsweredRequest {
  url: string
  /** It changes nothing, however often it is sent. */
  isSafe: boolean
  /** Takes the secrets that were sent out of a text. */
  mask: Mask
  bodyBytesMax: number
}

/** What came back, fenced: it comes from outside. */
export async function responseOutcome(
  outcome: GuardedOutcome,
  asked: AnsweredRequest,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { language, sessionId, callId } = context
  const texts = TEXTS[language]
  const response = readable(outcome)
  if (!response) {
    const reason = outcome.ok ? '' : describeFailure(outcome, language)
    return { ok: false, reason: hasArrived(outcome) && !asked.isSafe ? `${reason} ${texts.unsure}` : reason }
  }
  const body = await bodyText(response, (text) => asked.mask(text, !outcome.ok), language)
  const text = asked.mask(`${headerLines(response, asked)}\n\n${body}`)
  const heading = [
    texts.status(response.status),
    ...(outcome.ok ? [] : [describeCut(asked.bodyBytesMax, language)]),
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
function headerLines({ headers, url }: GuardedResponse, { url: wanted, mask }: AnsweredRequest): string {
  const shown = (value: string) => mask(value).slice(0, HEADER_CHARS_MAX)
  const lines = SHOWN_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [`${name}: ${shown(value)}`]
  })
  const came = URL.parse(url)?.origin === URL.parse(wanted)?.origin ? [] : [`url: ${shown(url)}`]
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
