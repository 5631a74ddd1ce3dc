import type { EncodedRequest, ModelFailure, ModelSpec, RequestFields } from '../domain/model.ts'
import { NOT_TAKEN } from './failure.ts'

const COMPLETION_TOKENS = /\bmax_tokens\b.*max_completion_tokens/is
const STREAM_USAGE = /stream_options|include_usage/i
const STREAM = /\bstream(ing)?\b/i
const TEMPERATURE = /\btemperature\b/i

/** What a refusal says of fields that were sent, beside what is known of them; null: nothing that was not heeded yet. */
export function fieldsWanted(
  { code, detail }: ModelFailure,
  spec: ModelSpec,
  known: RequestFields = {},
): RequestFields | null {
  const found = code === 'model_rejected' ? fieldRefused(detail, spec) : null
  const isNew = found !== null && Object.keys(found).some((name) => !Object.hasOwn(known, name))
  return isNew ? { ...known, ...found } : null
}

function fieldRefused(said: string, { stream, temperature }: ModelSpec): RequestFields | null {
  if (COMPLETION_TOKENS.test(said)) return { maxTokensField: 'max_completion_tokens' }
  if (!NOT_TAKEN.test(said)) return null
  if (stream && STREAM_USAGE.test(said)) return { streamUsage: false }
  if (stream && STREAM.test(said)) return { stream: false }
  return temperature !== null && TEMPERATURE.test(said) ? { temperature: false } : null
}

export function askedWith<S extends EncodedRequest>(said: S, fields: RequestFields): S {
  return { ...said, request: { ...said.request, fields } }
}
