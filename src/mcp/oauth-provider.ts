import {
  auth,
  checkResourceAllowed,
  resourceUrlFromServerUrl,
  UnauthorizedError,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import { AuthorisationFailed, AuthorisationWanted, authorisationFetch } from './server-fetch.ts'
import {
  GrantKeeper,
  type Away,
  type Grant,
  CALLBACK_PATH,
  CLIENT_PATH,
  clientMetadata,
  type OAuthPlace,
} from './oauth-grant.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import { sleep } from '../lib/wait.ts'

/** Has the SDK's OAuth client act for one server of one tenant; all that lasts is kept with the tenant. */
export class OAuthProvider implements OAuthClientProvider {
  readonly #place: OAuthPlace
  readonly #keeper: GrantKeeper
  readonly #turn: RefreshTurn
  readonly #away: Away | null
  #base: string | null
  /** As it was read for the last request. */
  #sent: Grant | null = null
  #client: StoredOAuthClientInformation | null = null
  #discovery: OAuthDiscoveryState | null = null
  /** Of those who are about to be sent away, in their order. */
  readonly #verifiers: string[] = []

  /** `away`: someone who has come back. */
  constructor(place: OAuthPlace, away: Away | null = null) {
    this.#place = place
    this.#keeper = new GrantKeeper(place.grants, place.asker, place.server)
    this.#turn = new RefreshTurn(this.#keeper, place)
    this.#away = away
    this.#base = away?.base ?? place.publicUrl
  }

  get redirectUrl(): string {
    return this.#knownBase() + CALLBACK_PATH
  }

  get clientMetadata(): OAuthClientMetadata {
    return clientMetadata(this.#knownBase())
  }

  get clientMetadataUrl(): string {
    const { clientDocument } = this.#place
    const base = this.#knownBase()
    return clientDocument ?? (base.startsWith('https:') ? base + CLIENT_PATH : '')
  }

  /** Nobody could come back: then the server's own headers have to do. */
  #knownBase(): string {
    if (this.#base === null) throw new UnauthorizedError('our own address is not known')
    return this.#base
  }

  state(): Promise<string> {
    return this.#place.grants.newState(this.#place.asker.tenant)
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    this.#client = this.#away ? this.#away.client : this.#clientOf(await this.#keeper.read())
    return this.#client ?? undefined
  }

  /** One that was registered by hand is of the authorisation server that it was first used with, and of no other. */
  #clientOf({ client, redirectUrl }: Grant): StoredOAuthClientInformation | null {
    const { oauthClient: given } = this.#place.server
    if (!given) return redirectUrl === this.redirectUrl ? client : null
    const { id, secret } = given
    if (client?.client_id === id) return client
    return { client_id: id, ...(secret === null ? {} : { client_secret: secret }) }
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    const given = this.#place.server.oauthClient
    if (given && given.id !== client.client_id) throw new AuthorisationFailed('the client is of another server')
    this.#client = client
    await this.#keeper.update((grant) => ({ ...grant, client, redirectUrl: this.redirectUrl }))
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    this.#sent = await this.#keeper.read()
    this.#base ??= this.#sent.base
    if (context === undefined) this.#sent = await this.#fresh(this.#sent)
    return this.#sent.tokens ?? undefined
  }

  /** Refreshed in good time, by one of all who have it; others go on with the token as it is. */
  async #fresh(grant: Grant): Promise<Grant> {
    const refreshed = await this.#turn.inTime(grant)
    return refreshed === null ? grant : this.#keep(refreshed.tokens, refreshed.discovery)
  }

  tokenInstead(refused: string, signal: AbortSignal | undefined): Promise<string | null> {
    return this.#turn.tokenInstead(refused, signal)
  }

  /** No token was got. */
  giveUp(): Promise<void> {
    return this.#turn.release()
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#keep(tokens, this.#away?.discovery ?? this.#discovery)
  }

  #keep(tokens: StoredOAuthTokens, discovery: OAuthDiscoveryState | null): Promise<Grant> {
    const until = tokens.expires_in === undefined ? null : this.#place.now() + tokens.expires_in * 1_000
    return this.#keeper.update((grant) => ({
      ...grant,
      tokens,
      until,
      discovery,
      ...(this.#away ? { client: this.#away.client, redirectUrl: this.redirectUrl } : {}),
    }))
  }

  /** What the authorisation server does not take any more goes, unless somebody has brought new tokens since. */
  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier' || scope === 'discovery') return
    const sent = this.#sent?.tokens?.access_token
    await this.#keeper.update((grant) => {
      if (grant.tokens?.access_token !== sent) return null
      const isClientGone = scope !== 'tokens' && !this.#place.server.oauthClient
      return { ...grant, tokens: null, until: null, ...(isClientGone ? { client: null } : {}) }
    })
  }

  /** Looked for anew each time but for one who comes back: a server may have moved to another authorisation server. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#away?.discovery
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    if (!state.authorizationServerMetadata) throw new UnauthorizedError('there is no authorisation server')
    const configuredResource = state.resourceMetadata?.resource
    const requestedResource = resourceUrlFromServerUrl(this.#place.server.url)
    if (configuredResource !== undefined && !checkResourceAllowed({ requestedResource, configuredResource }))
      throw new AuthorisationFailed('the metadata is of another resource')
    this.#discovery = state
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifiers.push(verifier)
  }

  codeVerifier(): string {
    if (this.#away === null) throw new AuthorisationFailed('nobody was sent away')
    return this.#away.verifier
  }

  /** Always throws: the flow goes on when the one who is sent away comes back. */
  async redirectToAuthorization(url: URL): Promise<void> {
    const { server, asker, now } = this.#place
    const verifier = this.#verifiers.shift()
    if (this.#away || !this.#client || !this.#discovery || !verifier)
      throw new AuthorisationFailed('the code was not taken')
    if (!asker.canVisit) throw new UnauthorizedError()
    if (!mayVisit(url)) throw new AuthorisationFailed('the address is not one for browsers')
    const { language, holder, by } = asker
    const known = { client: this.#client, discovery: this.#discovery, verifier, language, holder, by }
    const away: Away = { version: server.version, base: this.#knownBase(), ...known }
    const state = await sha256Hex(url.searchParams.get('state') ?? '')
    const { session } = asker
    const until = now() + LIMITS.mcp.redirectMs
    await this.#keeper.sendAway({ state, session, text: JSON.stringify(away), until })
    throw new AuthorisationWanted(url.href)
  }

  /** Take the code that the one who was sent away has brought. Rejects with the SDK's errors. */
  async finish({ code, iss }: { code: string; iss: string | undefined }): Promise<void> {
    const fetchFn = authorisationFetch(this.#place.fetch)
    const serverUrl = this.#place.server.url
    await auth(this, { serverUrl, authorizationCode: code, fetchFn, ...(iss === undefined ? {} : { iss }) })
  }
}

function mayVisit({ protocol, hostname, href }: URL): boolean {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && href.length <= LIMITS.web.urlCharsMax
}

/** Whose turn it is to refresh a token. Of all who have the token, in whatever process, one refreshes it and the others use the new one. */
class RefreshTurn {
  readonly #keeper: GrantKeeper
  readonly #fetch: Fetch
  readonly #now: Now
  /** It is ours, and the SDK is at it. */
  #held: Grant | null = null
  /** It was ours before the token was refused, and nothing came of it. */
  #early: Grant | null = null

  constructor(keeper: GrantKeeper, { fetch, now }: { fetch: Fetch; now: Now }) {
    this.#keeper = keeper
    this.#fetch = fetch
    this.#now = now
  }

  /** New tokens in good time before those of the grant end; null: there is no need, somebody else is at it, or it failed. */
  async inTime(grant: Grant): Promise<{ tokens: StoredOAuthTokens; discovery: OAuthDiscoveryState } | null> {
    const { until, tokens, discovery } = grant
    const isDue = until !== null && until - LIMITS.mcp.refreshAheadMs <= this.#now()
    if (!isDue || !tokens?.refresh_token || !discovery || !(await this.#keeper.lease(grant))) return null
    const refreshed = await this.#refresh(grant, tokens.refresh_token, discovery).catch(() => null)
    if (refreshed === null) this.#early = grant
    const { issuer } = tokens
    return refreshed && { tokens: { ...refreshed, ...(issuer === undefined ? {} : { issuer }) }, discovery }
  }

  async #refresh({ client }: Grant, refreshToken: string, discovery: OAuthDiscoveryState) {
    if (client === null) return null
    const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery
    return refreshAuthorization(authorizationServerUrl, {
      ...(metadata ? { metadata } : {}),
      clientInformation: client,
      refreshToken,
      ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
      fetchFn: authorisationFetch(this.#fetch),
    })
  }

  /** What to send in place of a token that its server takes no more: the one that somebody else has fetched meanwhile, or is about to
   *  fetch. Null: nobody does, so the caller has to fetch another. Rejects with the reason of `signal`. */
  async tokenInstead(refused: string, signal: AbortSignal | undefined): Promise<string | null> {
    const { refreshLeaseMs, refreshLookMs } = LIMITS.mcp
    for (let waited = 0; waited <= refreshLeaseMs; waited += refreshLookMs) {
      const grant = await this.#keeper.read()
      const token = grant.tokens?.access_token ?? null
      if (token !== refused) return token
      if (!grant.tokens?.refresh_token || (await this.#isOurs(grant))) return null
      await sleep(refreshLookMs, signal)
    }
    return null
  }

  async #isOurs(grant: Grant): Promise<boolean> {
    const wasOurs = this.#early?.tokens?.access_token === grant.tokens?.access_token
    this.#early = null
    if (!wasOurs && !(await this.#keeper.lease(grant))) return false
    this.#held = grant
    return true
  }

  /** Nothing came of it: the next one may try. */
  async release(): Promise<void> {
    const held = this.#held
    this.#held = null
    if (held !== null) await this.#keeper.release(held)
  }
}
