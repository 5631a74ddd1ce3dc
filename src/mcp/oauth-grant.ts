import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
  OAuthClientMetadata,
} from '@modelcontextprotocol/client'
import type { Language } from '../domain/language.ts'
import {
  grantOfSession,
  grantOfUser,
  type McpGrantChange,
  type McpRedirect,
  type McpReturnProof,
  type McpServer,
} from '../domain/mcp.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { GivenConnection } from '../domain/wanted-connection.ts'
import { sha256Hex } from '../lib/hash.ts'

/** Where a tenant's grants are kept, and who was sent to an authorisation server. All of it is secret. */
export interface TenantGrants {
  read(tenant: string, server: string): Promise<string | null>
  /** False: what is kept is another than `from` by now. */
  keep(tenant: string, server: string, change: McpGrantChange): Promise<boolean>
  /** True: the caller is the one who refreshes the grant now. False: somebody does, or has made another of `from`. */
  lease(tenant: string, server: string, from: string): Promise<boolean>
  /** A new state, which says whose it is. */
  newState(tenant: string): Promise<string>
  sendAway(tenant: string, redirect: McpRedirect): Promise<void>
  /** Counts once; null: nobody is awaited with this state. `other`: somebody else than who comes back was sent; they still may come. */
  comeBack(tenant: string, state: string, proof: McpReturnProof): Promise<McpRedirect | 'other' | null>
}

/** What is known of a tenant's standing with the authorisation server of an MCP server. */
export interface Grant {
  /** Of the MCP server: with another version nothing of it counts. */
  version: string
  /** Where our own server is reached, as an administrator reached it; null: not known. */
  base: string | null
  client: StoredOAuthClientInformation | null
  /** What the client was registered with. */
  redirectUrl: string | null
  tokens: StoredOAuthTokens | null
  /** Unix ms when the access token ends; null: not known. */
  until: number | null
  /** Where the tokens come from. */
  discovery: OAuthDiscoveryState | null
}

/** What one who was sent away comes back to. */
export interface Away {
  version: string
  base: string
  client: StoredOAuthClientInformation
  verifier: string
  discovery: OAuthDiscoveryState
  language: Language
  /** Whose grant it will be; absent in what older versions kept. */
  holder?: string | null
  /** The account of who began it; null: nobody did by a key or token. */
  by?: string | null
}

const NONE = { base: null, client: null, redirectUrl: null, tokens: null, until: null, discovery: null }

/** The grant of a server of one tenant, as it is kept. */
export class GrantKeeper {
  readonly #grants: TenantGrants
  readonly #tenant: string
  readonly #server: McpServer
  /** The name that the grant is kept by. */
  readonly #name: string

  constructor(grants: TenantGrants, { tenant, holder }: Pick<Asker, 'tenant' | 'holder'>, server: McpServer) {
    this.#grants = grants
    this.#tenant = tenant
    this.#server = server
    this.#name = holder === null ? server.name : `${server.name}${holder}`
  }

  async read(): Promise<Grant> {
    return this.#grantOf(await this.#grants.read(this.#tenant, this.#name))
  }

  /** Change the grant; `change` gets it as it is, and null leaves it so. Tried again when somebody else was faster. */
  async update(change: (grant: Grant) => Grant | null): Promise<Grant> {
    for (;;) {
      const from = await this.#grants.read(this.#tenant, this.#name)
      const known = this.#grantOf(from)
      const next = change(known)
      if (next === null) return known
      const to = JSON.stringify(next)
      if (to === from || (await this.#grants.keep(this.#tenant, this.#name, { from, to }))) return next
    }
  }

  /** Whether it is the caller who refreshes the grant that was read. */
  lease(grant: Grant): Promise<boolean> {
    return this.#grants.lease(this.#tenant, this.#name, JSON.stringify(grant))
  }

  /** The grant that the caller was to refresh stays as it is, unless it is another by now. */
  async release(grant: Grant): Promise<void> {
    const text = JSON.stringify(grant)
    await this.#grants.keep(this.#tenant, this.#name, { from: text, to: text })
  }

  sendAway(redirect: Omit<McpRedirect, 'server'>): Promise<void> {
    return this.#grants.sendAway(this.#tenant, { ...redirect, server: this.#server.name })
  }

  #grantOf(text: string | null): Grant {
    const known = text === null ? null : (JSON.parse(text) as Grant)
    return known?.version === this.#server.version ? known : { ...NONE, version: this.#server.version }
  }
}

/** For whom a server is reached. */
export interface Asker {
  tenant: string
  /** Null: no session's, but an administrator's. */
  session: string | null
  /** Whose grant is used, as `holderOf` names them; null: the tenant's. */
  holder: string | null
  /** The account of who began it; null: nobody did by a key or token. */
  by: string | null
  language: Language
  /** Whether somebody is there who can be sent to the authorisation server. */
  canVisit: boolean
}

/** Whose grant the calls of a session use; null: the tenant's. */
export function holderOf(
  { grants }: McpServer,
  { user, sessionId }: { user: string | null; sessionId: string },
): string | null {
  if (grants !== 'user') return null
  return user === null ? grantOfSession(sessionId) : grantOfUser(user)
}

export interface OAuthPlace {
  server: McpServer
  asker: Asker
  grants: TenantGrants
  fetch: Fetch
  now: Now
  /** Where our server is reached from outside; null: as an administrator reached it. */
  publicUrl: string | null
  /** The document that describes the client; null: ours, where it is at an https address. */
  clientDocument?: string
}

export const CALLBACK_PATH = '/oauth/callback'
export const CLIENT_PATH = '/oauth/client.json'

/** What the client says of itself when it is registered, by where it is reached. */
export function clientMetadata(base: string): OAuthClientMetadata {
  return {
    client_name: 'yaa',
    redirect_uris: [base + CALLBACK_PATH],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** What an authorisation server sends back by way of a browser. */
export interface CameBack {
  state: string
  /** Absent: it refused. */
  code: string | undefined
  iss: string | undefined
}

/** `other`: somebody else was sent away. `unknown`: nobody was awaited with that state, or the server is another by now. */
export type ReturnEnd =
  | { outcome: 'unknown' | 'other' }
  | { outcome: 'authorised' | 'refused' | 'failed'; language: Language; given: GivenConnection }

/** What was begun with an authorisation server, and ends with what it sends back. */
interface Authorisation {
  finish(said: { code: string; iss: string | undefined }): Promise<unknown>
}

interface ReturnPorts {
  grants: TenantGrants
  readonly serverOf: (name: string) => Promise<McpServer | undefined>
  readonly authFor: (server: McpServer, asker: Asker, away: Away) => Promise<Authorisation | null>
  /** Ask the server what it offers, now that it may be asked. */
  readonly refresh: (server: McpServer) => Promise<unknown>
}

/** Whom it counts for that a server is authorised. `holder`: as `holderOf` names them; null: the tenant. */
function givenOf(name: string, holder: string | null, session: string | null): GivenConnection {
  const ofUser = grantOfUser('')
  const user = holder?.startsWith(ofUser) ? holder.slice(ofUser.length) : null
  return { of: 'mcp_server', name, user, session: holder === null || user !== null ? null : session }
}

/** Someone of a tenant comes back from an authorisation server with what it said. */
export async function takeReturn(
  tenant: string,
  said: CameBack,
  proof: McpReturnProof,
  ports: ReturnPorts,
): Promise<ReturnEnd> {
  const redirect = await ports.grants.comeBack(tenant, await sha256Hex(said.state), proof)
  if (redirect === null) return { outcome: 'unknown' }
  if (redirect === 'other') return { outcome: 'other' }
  const away = JSON.parse(redirect.text) as Away
  const { language, holder = null, by = null } = away
  const server = await ports.serverOf(redirect.server)
  if (!server?.enabled || server.version !== away.version) return { outcome: 'unknown' }
  const place = { language, given: givenOf(server.name, holder, redirect.session) }
  if (said.code === undefined) return { outcome: 'refused', ...place }
  try {
    const asker = { tenant, session: redirect.session, holder, by, language, canVisit: false }
    const auth = await ports.authFor(server, asker, away)
    await auth?.finish({ code: said.code, iss: said.iss })
    await ports.refresh(server)
    return { outcome: 'authorised', ...place }
  } catch {
    return { outcome: 'failed', ...place }
  }
}
