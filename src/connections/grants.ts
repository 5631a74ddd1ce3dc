import type { OAuthClient } from '../domain/connection.ts'
import { LIMITS } from '../domain/limits.ts'
import { grantOfUser, grantsOf, type McpGrantChange } from '../domain/mcp.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { Seal } from '../lib/seal.ts'
import { sleep } from '../lib/wait.ts'
import {
  type Granted,
  type KnownClient,
  type OAuthPorts,
  revokeToken,
  type GivenTokens,
  tokensAnew,
  tokensOfClient,
} from './oauth.ts'

/** Where a tenant's tokens are kept, sealed, by name. */
export interface KeptGrants {
  read(tenant: string, name: string): Promise<string | null>
  /** False: what is kept is another than `from` by now. */
  keep(tenant: string, name: string, change: McpGrantChange): Promise<boolean>
  /** True: the caller is the one who refreshes the grant now. */
  lease(tenant: string, name: string, from: string): Promise<boolean>
}

export interface GrantPorts extends OAuthPorts {
  grants: KeptGrants
  seal: Seal | null
}

/** Whose tokens of which connection. `user` null: the tenant's. */
export interface GrantPlace {
  tenant: string
  name: string
  user: string | null
}

const nameOf = ({ name, user }: GrantPlace) => `${grantsOf(name)}${user === null ? '' : grantOfUser(user)}`
const sealedFor = ({ tenant, name, user }: GrantPlace) => JSON.stringify(['grant', tenant, name, user])

/** The tokens of one connection, kept sealed with the tenant and refreshed in good time, by one at a time. */
export class ConnectionGrant {
  readonly #place: GrantPlace
  readonly #known: KnownClient
  readonly #ports: GrantPorts

  constructor(place: GrantPlace, known: { client: OAuthClient; secret: string | null }, ports: GrantPorts) {
    this.#place = place
    this.#known = known
    this.#ports = ports
  }

  /** The token that is good now; undefined: there is none, somebody has to authorise the connection. */
  async token(): Promise<string | undefined> {
    const { now, grants } = this.#ports
    const lease = (from: string) => grants.lease(this.#place.tenant, nameOf(this.#place), from)
    for (let waited = 0; waited <= LIMITS.mcp.refreshLeaseMs; waited += LIMITS.mcp.refreshLookMs) {
      const text = await this.#read()
      const tokens = text === null ? null : await this.#opened(text)
      if (text === null || tokens === null) {
        if (this.#known.client.grant !== 'client_credentials') return undefined
        if (text === null) await this.#put(null, '')
        if (await lease(text ?? '')) return this.#begun(text ?? '')
        await sleep(LIMITS.mcp.refreshLookMs)
        continue
      }
      const { until } = tokens
      if (until === null || until - LIMITS.mcp.refreshAheadMs > now()) return tokens.access
      const isOver = until <= now()
      if (await lease(text)) return this.#refreshed(text, tokens, isOver)
      if (!isOver) return tokens.access
      await sleep(LIMITS.mcp.refreshLookMs)
    }
    return undefined
  }

  /** Whether there are tokens. */
  async isThere(): Promise<boolean> {
    const text = await this.#read()
    return text !== null && (await this.#opened(text)) !== null
  }

  /** Keep what somebody's code was changed for. False: the server has no key to seal it with. */
  async keep(tokens: GivenTokens): Promise<boolean> {
    const to = await this.#sealed(tokens)
    if (to === null) return false
    while (!(await this.#put(await this.#read(), to)));
    return true
  }

  /** Tell the authorization server that what is kept is used no more. */
  async revoke(text: string): Promise<void> {
    const tokens = await this.#opened(text)
    if (tokens !== null) await revokeToken(this.#known, tokens.refresh ?? tokens.access, this.#ports)
  }

  /** A client that speaks for itself needs nobody. */
  async #begun(from: string): Promise<string | undefined> {
    return this.#taken(from, await tokensOfClient(this.#known, this.#ports), undefined)
  }

  async #refreshed(from: string, tokens: GivenTokens, isOver: boolean): Promise<string | undefined> {
    const { client } = this.#known
    const still = isOver ? undefined : tokens.access
    if (tokens.refresh !== null)
      return this.#taken(from, await tokensAnew(this.#known, tokens.refresh, this.#ports), still)
    if (client.grant === 'client_credentials')
      return this.#taken(from, await tokensOfClient(this.#known, this.#ports), still)
    if (isOver) await this.#put(from, '')
    return still
  }

  /** Keep what was granted. What counts no more goes; where there was no answer the next one may try. */
  async #taken(from: string, granted: Granted, still: string | undefined): Promise<string | undefined> {
    if (granted.ok) {
      await this.#put(from, (await this.#sealed(granted.tokens)) ?? from)
      return granted.tokens.access
    }
    await this.#put(from, granted.code === 'gone' && still === undefined ? '' : from)
    return still
  }

  #read(): Promise<string | null> {
    return this.#ports.grants.read(this.#place.tenant, nameOf(this.#place))
  }

  #put(from: string | null, to: string): Promise<boolean> {
    return this.#ports.grants.keep(this.#place.tenant, nameOf(this.#place), { from, to })
  }

  async #sealed(tokens: GivenTokens): Promise<string | null> {
    return (await this.#ports.seal?.seal(JSON.stringify(tokens), sealedFor(this.#place))) ?? null
  }

  async #opened(text: string): Promise<GivenTokens | null> {
    const opened = text === '' ? null : await this.#ports.seal?.open(text, sealedFor(this.#place))
    const tokens = opened ? parseJson(opened) : null
    return isObject(tokens) ? (tokens as unknown as GivenTokens) : null
  }
}
