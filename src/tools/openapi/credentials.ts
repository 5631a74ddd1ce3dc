import type { ApiAuth, ApiSource } from '../../domain/openapi-tools.ts'
import { toBase64 } from '../../lib/base64.ts'
import { fillSecrets, type KnownSecret, type SecretProblem, secretTexts } from '../../net/secrets.ts'

/** What says who we are to one origin. */
export interface Credentials {
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** Taken out of whatever comes back. */
  secrets: readonly string[]
}

export type FoundCredentials = { ok: true; credentials: Credentials } | { ok: false; problem: SecretProblem }

/** Whom a call is made for. */
export interface CallOwner {
  tenant: string
  user: string | null
  sessionId: string
}

/** What to show an origin for a call of an API. Whoever keeps secrets gives one of these. */
export type CredentialsFor = (source: ApiSource, origin: string, owner: CallOwner) => Promise<FoundCredentials>

const NONE: FoundCredentials = { ok: true, credentials: { headers: {}, query: {}, secrets: [] } }

/** The `auth` of the API itself, with secrets of the config where it names them. It is for one origin. */
export function ownCredentials(known: readonly KnownSecret[]): CredentialsFor {
  return async ({ name, auth, sealedAuth, trustedOrigin }, origin, { user }) => {
    if (trustedOrigin === null || origin !== trustedOrigin) return NONE
    if (auth === null)
      return sealedAuth === undefined ? NONE : { ok: false, problem: { code: 'no_value', name: `auth of ${name}` } }
    const { texts, rest } = textsOf(auth, known)
    const written = { url: origin, headers: texts, body: null }
    const filled = await fillSecrets(written, known, user)
    if (!filled.ok) return filled
    return {
      ok: true,
      credentials: { ...rest(filled.request.headers), secrets: secretsIn(auth, filled.request.headers, filled.values) },
    }
  }
}

/** Every text of an `auth` under a key of its own, and what they are for once they are filled in. */
function textsOf({ connection, bearer, basic, headers = {}, query = {} }: ApiAuth, known: readonly KnownSecret[]) {
  const within = (place: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => [`${place} ${name}`, value] as const)
  const texts: Record<string, string> = Object.fromEntries([
    ...(connection === undefined ? [] : [['connection', authorisationBy(connection, known)] as const]),
    ...(bearer === undefined ? [] : [['bearer', bearer] as const]),
    ...(basic === undefined ? [] : [['username', basic.username] as const, ['password', basic.password] as const]),
    ...within('header', headers),
    ...within('query', query),
  ])
  const rest = (filled: Readonly<Record<string, string>>) => {
    const of = (place: string, values: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.keys(values).map((name) => [name, filled[`${place} ${name}`] ?? '']))
    const { connection: whole, bearer: token, username = '', password = '' } = filled
    const pair = new TextEncoder().encode(`${username}:${password}`)
    return {
      headers: {
        ...of('header', headers),
        ...(whole === undefined ? {} : { authorization: whole }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(basic === undefined ? {} : { authorization: `Basic ${toBase64(pair)}` }),
      },
      query: of('query', query),
    }
  }
  return { texts, rest }
}

/** An `authorization` header by a connection. */
function authorisationBy(name: string, known: readonly KnownSecret[]): string {
  const { scheme = 'Bearer' } = known.find((one) => one.name === name) ?? {}
  return `${scheme} {{secret:${name}}}`
}

/** A user name is none, unless it stands alone: so Stripe takes its keys. */
function secretsIn({ basic }: ApiAuth, filled: Readonly<Record<string, string>>, values: readonly string[]): string[] {
  const isNamed = basic !== undefined && basic.password !== ''
  const written = Object.entries(filled).flatMap(([key, value]) => (key === 'username' && isNamed ? [] : [value]))
  return [...new Set([...values, ...secretTexts(written)])]
}
