import { isObject } from '../../lib/json.ts'
import { SECRET_MASK } from '../../lib/text.ts'

/** Headers that a server is sent, by their names. */
export type Headers = Readonly<Record<string, string>>

export const AUTHORIZATION = 'Authorization'
const BEARER = 'Bearer '

/** What of an entry, or of pairs that are typed, is a header: all that has a name. */
export function headersOf(value: unknown): Headers {
  const given = Array.isArray(value)
    ? value.flatMap((one: unknown) => (isObject(one) ? [[one['name'], one['value']] as const] : []))
    : Object.entries(isObject(value) ? value : {})
  return Object.fromEntries(
    given.flatMap(([name, one]) =>
      typeof name === 'string' && name.trim() !== '' && typeof one === 'string' ? [[name.trim(), one]] : [],
    ),
  )
}

/** The header that holds the token; undefined: none does. One of another scheme is a header like others. */
function nameOfToken(headers: Headers): string | undefined {
  return Object.keys(headers).find(
    (name) =>
      name.toLowerCase() === 'authorization' &&
      (headers[name] === SECRET_MASK || headers[name]?.startsWith(BEARER) === true),
  )
}

/** The token among headers; masked: one is stored; empty: none. */
export function tokenIn(headers: Headers): string {
  const value = headers[nameOfToken(headers) ?? ''] ?? ''
  return value === SECRET_MASK ? value : value.slice(BEARER.length)
}

/** The same headers with this token; empty: without any. A header that is there keeps its name and place. */
export function withToken(headers: Headers, token: string): Headers {
  const name = nameOfToken(headers)
  const { [name ?? '']: _, ...others } = headers
  if (token === '') return others
  const value = token === SECRET_MASK ? token : BEARER + token
  return name === undefined ? { ...others, [AUTHORIZATION]: value } : { ...headers, [name]: value }
}

/** What is sent of headers that were changed: null for those that are gone. */
export function changedHeaders(before: unknown, after: unknown): Record<string, string | null> {
  const gone = Object.keys(headersOf(before)).map((name) => [name, null] as const)
  return { ...Object.fromEntries(gone), ...headersOf(after) }
}
