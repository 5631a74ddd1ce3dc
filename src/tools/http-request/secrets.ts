import { LIMITS } from '../../domain/limits.ts'
import { toBase64 } from '../../lib/base64.ts'
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

export const MASK = '***'
/** A shorter piece of an encoded value would be found in every text. */
const FORM_CHARS_MIN = 4

/** Takes values out of a text, in every spelling that an answer gives them back in: as they are, percent-encoded, escaped for JSON
 *  or HTML (more than once, too), in Base64 (alone or within a longer text) and in hex. */
export function maskOf(values: readonly string[]): (text: string) => string {
  const escaped = values.map((value) => new RegExp(escapedPattern(value), 'gu'))
  const encoded = [...new Set(values.flatMap(encodedForms))].toSorted((one, other) => other.length - one.length)
  return (text) => {
    const masked = escaped.reduce((left, pattern) => left.replaceAll(pattern, MASK), text)
    return encoded.reduce((left, form) => left.replaceAll(form, MASK), masked)
  }
}

/** Backslashes that escaping puts in front of a character, again and again. */
const ESCAPES = '\\\\{0,8}'

function escapedPattern(value: string): string {
  const units = value.replaceAll(/\\+/g, '\\').match(/[A-Za-z0-9]+|./gsu) ?? []
  return units
    .map((unit, index) => {
      if (/^[A-Za-z0-9]+$/.test(unit)) return unit
      if (unit === '\\') return '(?:\\\\+|%(?:25)*5[cC])'
      return `${units[index - 1] === '\\' ? '' : ESCAPES}(?:${spellingsOf(unit).join('|')})`
    })
    .join('')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** Ways to write a character that is no letter and no digit, as patterns. */
function spellingsOf(character: string): string[] {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, '0'),
  )
  const entity = ENTITIES[character]
  return [
    `\\u{${code}}`,
    bytesOf(character)
      .map((byte) => `%(?:25)*${anyCase(byte)}`)
      .join(''),
    units.map((unit) => `u${anyCase(unit)}`).join('\\\\{1,8}'),
    `&(?:amp;)*#(?:0*${character.codePointAt(0)}|[xX]0*${anyCase(code)});`,
    ...(entity === undefined ? [] : [`&(?:amp;)*${entity};`]),
    ...(character === ' ' ? ['\\+'] : []),
  ]
}

function bytesOf(text: string): string[] {
  return [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0'))
}

function anyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

function encodedForms(value: string): string[] {
  const base64 = [0, 1, 2].map((offset) => base64Within(new TextEncoder().encode(value), offset))
  const hex = bytesOf(value).join('')
  const forms = [
    ...base64.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
    hex,
    hex.toUpperCase(),
  ]
  return forms.filter((form) => form.length >= FORM_CHARS_MIN)
}

/** The characters that all stand for bytes of the value when it begins `offset` bytes into a group of three. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const padded = new Uint8Array(offset + bytes.length)
  padded.set(bytes, offset)
  return toBase64(padded).slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6))
}
