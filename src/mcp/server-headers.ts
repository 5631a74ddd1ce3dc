import type { McpServer } from '../domain/mcp.ts'
import { maskOf } from '../lib/mask.ts'
import { isObject } from '../lib/json.ts'
import { fillSecrets, type KnownSecret, PLACEHOLDER, type SecretProblem, secretTexts } from '../net/secrets.ts'

/** A secret that headers of a server name cannot be filled in. */
export class SecretLacking extends Error {
  override readonly name = 'SecretLacking'
  readonly problem: SecretProblem

  constructor(problem: SecretProblem) {
    super(`the secret ${problem.name} cannot be filled in`)
    this.problem = problem
  }
}

/** Whether headers of a server name secrets, so that they are another tenant's in the place of ours. */
export function namesSecrets({ headers }: Pick<McpServer, 'headers'>): boolean {
  return Object.values(headers).some((value) => value.search(PLACEHOLDER) >= 0)
}

type HeaderedServer = Pick<McpServer, 'name' | 'url' | 'headers' | 'sealed'>

/** The headers of a server, with the secrets that they name as these are at the moment. */
export class ServerHeaders {
  readonly #server: HeaderedServer
  readonly #secrets: (() => Promise<readonly KnownSecret[]>) | null
  readonly #user: string | null
  readonly #isForLists: boolean
  #values: readonly string[]

  /** `user`: whom calls are for. `isForLists`: nobody's calls, but what is offered to all is read, so that a header which every user gives the
   *  secret of is left out. */
  constructor(
    server: HeaderedServer,
    secrets: (() => Promise<readonly KnownSecret[]>) | null,
    { user = null, isForLists = false }: { user?: string | null; isForLists?: boolean } = {},
  ) {
    this.#user = user
    this.#isForLists = isForLists
    this.#server = server
    this.#values = secretsIn(server.headers)
    this.#secrets = namesSecrets(server) ? (secrets ?? (async () => [])) : null
  }

  /** Rejects with `SecretLacking`. */
  async filled(): Promise<Readonly<Record<string, string>>> {
    const { name, url, headers, sealed } = this.#server
    if (sealed !== undefined) throw new SecretLacking({ code: 'no_value', name: `headers of ${name}` })
    if (this.#secrets === null) return headers
    const known = await this.#secrets()
    const written = { url, headers: this.#isForLists ? withoutUsers(headers, known) : headers, body: null }
    const filled = await fillSecrets(written, known, this.#user)
    if (!filled.ok) throw new SecretLacking(filled.problem)
    this.#values = [...new Set([...secretsIn(headers), ...filled.values])]
    return filled.request.headers
  }

  /** What came back, without the secrets. */
  masked<T>(answer: T): T {
    if (this.#values.length === 0) return answer
    return within(answer, maskOf(this.#values)) as T
  }
}

/** Headers whose name speaks of a secret; others say such things as a version, which stands in many an answer. */
const SECRET_HEADER = /auth|key|token|secret|cookie|passw|credential|session/i

/** What is written in headers themselves and is secret. */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const written = Object.entries(headers).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value] : []))
  return secretTexts(written.filter((value) => value.search(PLACEHOLDER) < 0))
}

/** Without those that name what every user gives. */
function withoutUsers(headers: Readonly<Record<string, string>>, known: readonly KnownSecret[]) {
  const ofUsers = known.filter(({ wants }) => wants !== undefined).map(({ name }) => name)
  const isOfUser = (value: string) => [...value.matchAll(PLACEHOLDER)].some(([, name = '']) => ofUsers.includes(name))
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => !isOfUser(value)))
}

/** Every text in a value, in its place. */
function within(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((one) => within(one, mask))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [mask(key), within(one, mask)]))
}
