import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'

/** How the name of a secret is written where its value is to be. */
export const PLACEHOLDER = /\{\{\s*secret\s*:\s*([^{}\s]{1,64})\s*\}\}/g

/** A secret of the config or a connection: where it may go, and its value, if there is one. */
export interface KnownSecret {
  name: string
  origin: string
  /** How it stands in an `authorization` header; absent: as a bearer. */
  scheme?: 'Basic'
  /** `user`: whom the call is for; null: nobody in particular. */
  value(user: string | null): string | undefined | Promise<string | undefined>
  /** What whom a session works for gives where there is no value; absent: nothing, an administrator does. */
  wants?: 'secret' | 'grant'
  /** Where a user goes to grant access; null: they cannot be sent there. */
  readonly authorize?: Authorize
}

/** Whom access is granted for, and whose call needs it. */
type Authorize = (whose: {
  user: string
  sessionId: string
  by: string | null
  language: Language
}) => Promise<string | null>

/** What is to be sent, as the model wrote it. */
export interface WrittenRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | null
}

export type SecretProblem =
  | { code: 'unknown' | 'no_value' | 'place'; name: string }
  | { code: 'wanted'; name: string; origin: string; wants: 'secret' | 'grant'; authorize?: Authorize }
  | { code: 'origin'; name: string; origin: string }

export type Filled = { ok: true; request: WrittenRequest; values: string[] } | { ok: false; problem: SecretProblem }

const UNSENDABLE = /[\p{Cc}]/u

/** Put the values in the place of their names. Each goes to its own origin or nowhere: one that does not belong there, or has no
 *  value, and nothing is filled in. */
export async function fillSecrets(
  written: WrittenRequest,
  known: readonly KnownSecret[],
  user: string | null,
): Promise<Filled> {
  const names = secretNames([written.url, ...Object.values(written.headers), written.body ?? ''])
  // What stands for a value in an address cannot change where the address leads.
  const origin = URL.parse(written.url.replaceAll(PLACEHOLDER, 'x'))?.origin
  const values = new Map<string, string>()
  for (const name of names) {
    const secret = known.find((one) => one.name === name)
    if (!secret) return problem({ code: 'unknown', name })
    const own = new URL(secret.origin).origin
    if (origin !== own) return problem({ code: 'origin', name, origin: own })
    const value = await secret.value(user)
    if (value === undefined && secret.wants) {
      const { wants, authorize } = secret
      return problem({ code: 'wanted', name, origin: own, wants, ...(authorize ? { authorize } : {}) })
    }
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

/** Names of secrets that texts name, each once. */
export function secretNames(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '')))]
}

/** Shorter words are no secrets, and stand in many an answer. */
const SECRET_CHARS_MIN = 8

/** What of written credentials is to be taken out of what comes back: each as a whole, and its words. */
export function secretTexts(written: readonly string[]): string[] {
  const texts = written.flatMap((value) => [value, ...value.split(/\s+/)])
  return [...new Set(texts.filter((text) => text.length >= SECRET_CHARS_MIN))]
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

const WORDS = {
  'zh-CN': {
    unknown: (name: string) => `没有名为 ${name} 的密钥；没有发送请求。`,
    no_value: (name: string) => `服务器上没有密钥 ${name} 的值；请告知管理员。没有发送请求。`,
    wanted: (name: string) => `密钥 ${name} 由各用户自己提供，而这里还没有；没有发送请求。`,
    origin: (name: string, origin: string) => `密钥 ${name} 只能发往 ${origin}；没有发送请求。`,
    place: (name: string) => `密钥 ${name} 不能放在这个位置；没有发送请求。`,
  },
  en: {
    unknown: (name: string) => `There is no secret called ${name}; nothing was sent.`,
    no_value: (name: string) =>
      `The server has no value for the secret ${name}; tell the administrator. Nothing was sent.`,
    wanted: (name: string) => `Every user gives the secret ${name}, and there is none of this one; nothing was sent.`,
    origin: (name: string, origin: string) => `The secret ${name} goes to ${origin} only; nothing was sent.`,
    place: (name: string) => `The secret ${name} cannot be sent in this place; nothing was sent.`,
  },
} as const satisfies Record<Language, unknown>

/** Why nothing was sent, for people and models. */
export function describeSecretProblem(found: SecretProblem, language: Language): string {
  return WORDS[language][found.code](found.name, 'origin' in found ? found.origin : '')
}
