import type { ModelSpec } from '../domain/model.ts'

type Keyed = Pick<ModelSpec, 'apiKey' | 'spareKeys' | 'extraHeaders'>

/** A shorter value is a word of many a text. */
const REFUSAL_CHARS_MIN = 4
/** A reply is what was asked for: what stands for no key (`ollama`, `not-needed`) is a word that it may well say. */
const REPLY_CHARS_MIN = 12
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i

/** What no refusal of a service may repeat. */
export function secretsInRefusal(spec: Keyed): string[] {
  return [...keysOf(spec), ...Object.values(spec.extraHeaders)].filter(({ length }) => length >= REFUSAL_CHARS_MIN)
}

/** What no reply of a service may repeat: its keys, and the headers whose names say that they are secret, without a scheme such as `Bearer`. */
export function secretsInReply(spec: Keyed): string[] {
  const headers = Object.entries(spec.extraHeaders).filter(([name]) => SECRET_HEADER.test(name))
  const values = headers.map(([, value]) => value.replace(/^\w+ /, ''))
  return [...keysOf(spec), ...values].filter(({ length }) => length >= REPLY_CHARS_MIN)
}

function keysOf({ apiKey, spareKeys }: Keyed): string[] {
  return apiKey === null ? [...spareKeys] : [apiKey, ...spareKeys]
}
