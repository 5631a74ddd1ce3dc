import { hasImages, type ModelFailure, type ModelSpec } from '../domain/model.ts'
import { LIMITS } from '../domain/limits.ts'
import { maskOf } from '../lib/mask.ts'
import type { ProviderCall } from './provider.ts'
import { secretsInRefusal } from './secrets.ts'

type Code = ModelFailure['code']

/** What a service said instead of an answer. `text` is all that was read of it. */
interface Refusal {
  status: number
  text: string
  /** The part of `text` that is meant for people, where it could be told. */
  message: string | null
  retryAfterMs: number | null
}

/** What of a call its failures are told by: whether it offered tools, or sent a schema, and the keys that no text may show. */
type Asked = Pick<ProviderCall, 'request' | 'spec'>

const RETRYABLE: ReadonlySet<Code> = new Set([
  'model_unreachable',
  'model_timeout',
  'model_rate_limited',
  'model_unavailable',
  'model_bad_answer',
])

const CODE_OF_STATUS: Readonly<Record<number, Code>> = {
  401: 'model_unauthorized',
  403: 'model_unauthorized',
  408: 'model_unavailable',
  409: 'model_unavailable',
  413: 'model_overflow',
  425: 'model_unavailable',
  429: 'model_rate_limited',
}

const OVERFLOW =
  /context_length_exceeded|maximum (context|model length|prompt length)|context[ _-](length|window|size|limit)|too long|too many (input |prompt )?tokens|(exceed|over)[a-z]{0,5}.{0,40}(max(imum)? (number of|length|input|message)|token limit)|inputs`? tokens \+ `?max_new_tokens|range of input length|上下文长度|超长|(输入|内容|长度).{0,10}(过长|超出|超过)/i
const TOOL_WORD = /tool|function|工具|函数/i
const SCHEMA_WORD =
  /response[ _-]?(format|schema|mime)|json[ _-]?(schema|mode|object)|structured[ _-]?output|(output|guided)[ _-]?(format|schema|json)|grammar|结构化输出|(输出|响应|返回|回复)格式/i
const SCHEMA_ITSELF =
  /json_validate_failed|invalid (json )?(schema|grammar)|(schema|grammar) ((is|was) (not valid|invalid|malformed)|contains)|(convert|compil|pars)[^.]{0,20}(schema|grammar)|(schema|grammar) (conversion|compilation|parsing|error|failed)/i
const IMAGE_WORD = /image|picture|vision|visual|multi-?modal|mtmd|图片|图像|多模态/i
/** llama-server without templates answers 500 to a call with tools. */
const NEEDS_TEMPLATES = /\btools?\b.{0,20}requires? --jinja/i
/** Said of a field or a form that a service does not take. */
export const NOT_TAKEN =
  /support|permitted|allowed|unknown|unexpected|unrecogni[sz]ed|additional propert|extra (inputs|fields)|支持|允许/i

/** A failure with its defaults: retryable by its class, no status. */
export function modelFailure(code: Code, detail: string, more: Partial<ModelFailure> = {}): ModelFailure {
  return {
    code,
    detail,
    status: null,
    retryable: RETRYABLE.has(code),
    retryAfterMs: null,
    toolsRefused: false,
    ...more,
  }
}

/** An answer with an error status, or with an error in the place of a completion, as its class. */
export function refusalFailure(refusal: Refusal, asked: Asked): ModelFailure {
  const { status, retryAfterMs } = refusal
  const code = codeOf(refusal)
  const excerpt = excerptOf(refusal.message ?? refusal.text, asked.spec)
  return modelFailure(
    code,
    `The model service answered ${status}${status < 400 ? ' with an error' : ''}${excerpt && `: ${excerpt}`}`,
    {
      status,
      retryAfterMs: RETRYABLE.has(code) ? retryAfterMs : null,
      toolsRefused: code === 'model_rejected' && (asked.request.tools?.length ?? 0) > 0 && refusesTools(refusal),
      ...(code === 'model_rejected' && asked.request.outputSchema ? schemaRefusal(refusal, asked) : {}),
      ...(hasImages(asked.request) ? imageRefusal(code, refusal) : {}),
    },
  )
}

/** An answer that is not a completion; `seen` is what came instead. */
export function badAnswer(status: number, why: string, seen: string, asked: Asked): ModelFailure {
  const excerpt = excerptOf(seen, asked.spec)
  return modelFailure('model_bad_answer', `The model service's answer ${why}${excerpt && `: ${excerpt}`}`, { status })
}

/** A call that was cancelled, by whoever asked for it. */
export function cancelledFailure(): ModelFailure {
  return modelFailure('model_cancelled', 'The model call was cancelled.')
}

/** A call that ended in an exception of fetch. Never repeats the exception's own words: they may hold addresses; a system code such
 *  as ECONNREFUSED may be shown. */
export function thrownFailure(error: unknown): ModelFailure {
  if (propertyOf(error, 'name') === 'AddressRefused') {
    return modelFailure('address_refused', 'The address of the model is not one that this server may call.')
  }
  const code = propertyOf(propertyOf(error, 'cause'), 'code')
  const why = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : ''
  return modelFailure('model_unreachable', `The model service could not be reached${why}.`)
}

function codeOf({ status, text }: Refusal): Code {
  const code = CODE_OF_STATUS[status]
  if (code !== undefined) return code
  if (OVERFLOW.test(text)) return 'model_overflow'
  if (status < 400) return 'model_bad_answer'
  if (status === 500 && NEEDS_TEMPLATES.test(text)) return 'model_rejected'
  return status >= 500 ? 'model_unavailable' : 'model_rejected'
}

function refusesTools({ status, text }: Refusal): boolean {
  if (!TOOL_WORD.test(text)) return false
  return status === 400 || status === 500 || ((status === 404 || status === 422) && NOT_TAKEN.test(text))
}

/** What the answer says of the schema that was sent. A schema that is called wrong says nothing of others. */
function schemaRefusal({ status, text }: Refusal, { request }: Asked): Pick<ModelFailure, 'schemaRefused'> {
  if (status !== 400 && status !== 422) return {}
  const isOfTools = (request.tools?.length ?? 0) > 0 && TOOL_WORD.test(text)
  if (isOfTools && SCHEMA_WORD.test(text)) return { schemaRefused: 'beside_tools' }
  if (SCHEMA_ITSELF.test(text)) return { schemaRefused: 'this' }
  return { schemaRefused: SCHEMA_WORD.test(text) && NOT_TAKEN.test(text) ? 'any' : 'perhaps' }
}

/** What the answer says of the images that were sent. Servers of open models fail with a 5xx at an image that they cannot read. */
function imageRefusal(code: Code, { status, text }: Refusal): Pick<ModelFailure, 'imagesRefused'> {
  const isOfThem = IMAGE_WORD.test(text)
  if (isOfThem && (code === 'model_rejected' || code === 'model_unavailable')) return { imagesRefused: 'yes' }
  return code === 'model_rejected' && (status === 400 || status === 422) ? { imagesRefused: 'perhaps' } : {}
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** The start of a foreign text, fit to be shown: tags and control characters out, white space as single spaces, secrets
 *  as `***`, at most `LIMITS.model.errorExcerptChars` UTF-16 units. Linear in the length of the text. */
function excerptOf(text: string, spec: ModelSpec): string {
  const plain = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return cut(maskOf(secretsInRefusal(spec))(plain), LIMITS.model.errorExcerptChars)
}

/** Never ends in half of a surrogate pair. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
