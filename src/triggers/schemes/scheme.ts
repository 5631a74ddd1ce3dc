/** A delivery as it arrived. Names of headers are in lower case; `now`: Unix ms. */
export interface SignedRequest {
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array<ArrayBuffer>
  now: number
}

/** Null: the signature holds. Else why it does not, in words for the webhook's owner. */
export type Refusal = string | null

/** How one kind of sender proves itself, and where it says what it sends. */
export interface Scheme {
  verify: (request: SignedRequest, secret: string) => Promise<Refusal>
  /** What the sender calls this delivery, again when it is sent again; null: nothing. */
  deliveryId: (headers: SignedRequest['headers'], body: unknown) => string | null
  /** The kind of the event; null: it is not said. */
  eventOf: (headers: SignedRequest['headers'], body: unknown) => string | null
  /** A new secret; null: the sender's service makes it. */
  newSecret: (() => string) | null
  /** What is wrong with a secret; null: nothing. */
  secretProblem: (secret: string) => string | null
  /** The answer to a sender that only asks whether it speaks to the right one; null: it does not ask. */
  answerTo: (body: unknown) => Record<string, unknown> | null
}

/** What most schemes have in common. */
export const PLAIN = {
  newSecret: null,
  secretProblem: () => null,
  answerTo: () => null,
} satisfies Partial<Scheme>

export const NO_MATCH = 'no signature fits a secret of this webhook'

/** A member of an object that has to be a text. */
export function textMember(value: unknown, name: string): string | null {
  const member = memberOf(value, name)
  return typeof member === 'string' && member !== '' ? member : null
}

/** A member of an object; undefined: it is none, or has none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
