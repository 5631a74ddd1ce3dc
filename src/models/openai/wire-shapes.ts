import * as z from 'zod'
import { isObject } from '../../lib/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { CallPiece, Piece, ReportedUsage } from '../assembly.ts'

/** An error that came in the place of an answer; `status` is the one that it names, if any. */
export interface ForeignError {
  message: string
  status: number | null
}

/** What is missing, null or of another type is null: foreign shapes are taken for what of them can be read. */
const lax = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null)

const anything = z.unknown().optional()

const name = lax(z.string())
const partShape = z.object({ type: name, text: anything, thinking: anything })
const errorShape = z.object({ message: name, code: anything, status: anything, detail: anything })
const envelopeShape = z.object({ error: anything, errors: lax(z.array(z.unknown())), object: anything })

type Members = Readonly<Record<string, unknown>>

/** Null: it is no object. */
function membersOf(value: unknown): Members | null {
  return isObject(value) ? value : null
}

/** A parsed JSON value as a piece of an answer; null: it is none. Read member by member: a schema would take several times as long for
 *  each of a stream's hundreds of chunks. */
export function readPiece(value: unknown): Piece | null {
  const answer = membersOf(value)
  if (!answer) return null
  const { choices, usage, response, tool_calls: calls } = answer
  const choice = Array.isArray(choices) ? firstOf(choices) : null
  // Workers AI's own form: the text at the top, with the calls beside it.
  const ownForm = { content: response, tool_calls: calls }
  const said = choice || response !== undefined || Array.isArray(calls) || usageOf(usage)
  if (!said) return null
  const message = membersOf(choice?.['delta']) ?? membersOf(choice?.['message']) ?? ownForm
  const piece = pieceOf(message, choice?.['finish_reason'], usage ?? choice?.['usage'])
  const { id } = answer
  return typeof id === 'string' && id !== '' && id.length <= LIMITS.model.responseIdChars ? { ...piece, id } : piece
}

/** The first of several replies, in whatever order they come; null: a chunk of others. */
function firstOf(choices: readonly unknown[]): Members | null {
  for (const choice of choices) {
    const members = membersOf(choice)
    if (members && !(Number(members['index']) > 0)) return members
  }
  const other = membersOf(choices[0])
  return other?.['message'] ? other : null
}

/** The error in a parsed JSON value: `{error}`, `{errors}`, `{object: "error"}`, also within a list; null: it holds none. */
export function readError(value: unknown): ForeignError | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!mayBeError(first)) return null
  const envelope = envelopeShape.safeParse(first).data
  if (envelope === undefined) return null
  const error = envelope.error ?? envelope.errors?.[0] ?? (envelope.object === 'error' ? first : null)
  return error === null || error === undefined ? null : errorOf(error)
}

/** A look before the parse, which every chunk of a stream would pay for. */
function mayBeError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'error' in value || 'errors' in value || ('object' in value && value.object === 'error')
}

/** What an error body says to people: its error's message, or `message` or `detail` at the top. */
export function messageOf(value: unknown): string | null {
  const error = readError(value)
  if (error) return error.message
  const shape = errorShape.safeParse(value).data
  return shape?.message ?? (typeof shape?.detail === 'string' ? shape.detail : null)
}

function pieceOf(message: Members, finishReason: unknown, usage: unknown): Piece {
  const { text, thinking } = textOf(message['content'])
  const calls: unknown = message['tool_calls']
  return {
    content: text || refusalOf(message),
    reasoning: textOf(message['reasoning_content']).text || textOf(message['reasoning']).text || thinking,
    calls: Array.isArray(calls) ? calls.flatMap(callsIn) : [],
    stopReason: typeof finishReason === 'string' && finishReason !== 'null' ? finishReason || null : null,
    usage: usageOf(usage),
  }
}

/** What a model says in the place of a content that it refuses to write. Source: OpenAI, "Refusals". */
function refusalOf({ refusal }: Members): string {
  return typeof refusal === 'string' ? refusal : ''
}

function callsIn(value: unknown): CallPiece[] {
  const call = membersOf(value)
  if (!call) return []
  const { index, id } = call
  const { name: called, arguments: args } = membersOf(call['function']) ?? call
  return [
    {
      index: Number.isSafeInteger(index) && Number(index) >= 0 ? Number(index) : null,
      id: typeof id === 'string' || typeof id === 'number' ? String(id) : '',
      name: typeof called === 'string' ? called : '',
      arguments: typeof args === 'string' ? args : (JSON.stringify(args ?? undefined) ?? ''),
    },
  ]
}

/** Text of a content: a text, or the joined texts of a list of parts; an object (an answer in JSON mode) as JSON. */
function textOf(content: unknown): { text: string; thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' }
  if (!Array.isArray(content)) return { text: content ? JSON.stringify(content) : '', thinking: '' }
  const parts = content.map(partOf)
  return { text: parts.map((part) => part.text).join(''), thinking: parts.map((part) => part.thinking).join('') }
}

function partOf(value: unknown): { text: string; thinking: string } {
  if (typeof value === 'string') return { text: value, thinking: '' }
  const part = partShape.safeParse(value).data
  if (part?.type === 'thinking') return { text: '', thinking: textOf(part.thinking).text }
  return { text: typeof part?.text === 'string' ? part.text : '', thinking: '' }
}

function usageOf(value: unknown): ReportedUsage | null {
  const usage = membersOf(value)
  if (!usage) return null
  const prompt = tokens(usage['prompt_tokens']) || null
  const completion = completionOf(usage, prompt)
  if (prompt === null && completion === null) return null
  const reasoning = tokens(membersOf(usage['completion_tokens_details'])?.['reasoning_tokens']) ?? 0
  return { prompt, completion, cached: cachedOf(usage), reasoning }
}

/** A count that can be true; null: any other, which is taken for not reported. */
function tokens(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LIMITS.model.usageTokensMax
    ? Number(value)
    : null
}

/** Some services count the reasoning in the total alone. A reply of none is not believed. */
function completionOf(usage: Members, prompt: number | null): number | null {
  const completion = tokens(usage['completion_tokens'])
  if (completion === null || prompt === null) return completion || null
  return Math.max(completion, (tokens(usage['total_tokens']) ?? 0) - prompt) || null
}

/** Cached prompt tokens by the names that OpenAI, DeepSeek and Moonshot give them. */
function cachedOf(usage: Members): number {
  const ofDetails = tokens(membersOf(usage['prompt_tokens_details'])?.['cached_tokens'])
  return ofDetails ?? tokens(usage['prompt_cache_hit_tokens']) ?? tokens(usage['cached_tokens']) ?? 0
}

function errorOf(error: unknown): ForeignError {
  if (typeof error === 'string') return { message: error, status: null }
  const shape = errorShape.safeParse(error).data
  const status = [shape?.code, shape?.status].map(Number).find((n) => Number.isInteger(n) && n >= 400 && n <= 599)
  return { message: shape?.message ?? JSON.stringify(error), status: status ?? null }
}
