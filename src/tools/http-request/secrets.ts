import { LIMITS } from '../../domain/limits.ts'
import { PLACEHOLDER } from './input.ts'

/** A secret of the config: where it may go, and its value, if the server has one. */
export interface KnownSecret {
  name: string
  origin: string
  value(): string | undefined
}

/** What is to be sent, as the model wrote it. */
export interface WrittenRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | null
}

export type SecretProblem =
  | { code: 'unknown' | 'no_value' | 'place'; name: string }
  | { code: 'origin'; name: string; origin: string }

export type Filled = { ok: true; request: WrittenRequest; values: string[] } | { ok: false; problem: SecretProblem }

const UNSENDABLE = /[\p{Cc}]/u

/** Put the values in the place of their names. Each goes to its own origin or nowhere: one that does not belong there, or has no
 *  value, and nothing is filled in. */
export function fillSecrets(written: WrittenRequest, known: readonly KnownSecret[]): Filled {
  const names = namesIn([written.url, ...Object.values(written.headers), written.body ?? ''])
  // What stands for a value in an address cannot change where the address leads.
  const origin = URL.parse(written.url.replaceAll(PLACEHOLDER, 'x'))?.origin
  const values = new Map<string, string>()
  for (const name of names) {
    const secret = known.find((one) => one.name === name)
    if (!secret) return problem({ code: 'unknown', name })
    const own = new URL(secret.origin).origin
    if (origin !== own) return problem({ code: 'origin', name, origin: own })
    const value = secret.value()
    if (value === undefined || value === '' || value.length > LIMITS.request.secretCharsMax)
      return problem({ code: 'no_value', name })
    if (UNSENDABLE.test(value)) return problem({ code: 'place', name })
    values.set(name, value)
  }
  const request = withValues(written, values)
  const [first] = names
  if (first !== undefined && URL.parse(request.url)?.origin !== origin) return problem({ code: 'place', name: first })
  return { ok: true, request, values: [...values.values()] }
}

function namesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '')))]
}

function withValues({ url, headers, body }: WrittenRequest, values: ReadonlyMap<string, string>): WrittenRequest {
  const fill = (text: string, spell: (value: string) => string) =>
    text.replaceAll(PLACEHOLDER, (_, name: string) => spell(values.get(name) ?? ''))
  const plain = (value: string) => value
  return {
    url: fill(url, encodeURIComponent),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, plain)])),
    body: body === null ? null : fill(body, spellingFor(headers['content-type'] ?? '')),
  }
}

/** How a value is written within a body of this type. */
function spellingFor(contentType: string): (value: string) => string {
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return encodeURIComponent
  if (/^[a-z]+\/(?:[a-z0-9.+-]+\+)?json/i.test(contentType)) return (value) => JSON.stringify(value).slice(1, -1)
  return (value) => value
}

function problem(found: SecretProblem): Filled {
  return { ok: false, problem: found }
}
