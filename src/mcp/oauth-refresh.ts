import { refreshAuthorization, type OAuthDiscoveryState, type StoredOAuthTokens } from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import { sleep } from '../lib/wait.ts'
import { authorisationFetch } from './server-fetch.ts'
import type { Grant, GrantKeeper } from './oauth-grant.ts'

/** Whose turn it is to refresh a token: of all who have it, in whatever process, one does and the others use what that one brings. */
export class RefreshTurn {
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

  /**
   * What to send in place of a token that its server takes no more: the one that somebody has brought meanwhile, or is about to
   * bring. Null: nobody does, and the caller is the one to get another. Rejects with the reason of `signal`.
   */
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
