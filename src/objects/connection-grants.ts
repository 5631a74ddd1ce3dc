import { CONNECTION_STATE, newOAuthState } from '../access/marks.ts'
import { ConnectionGrant } from '../connections/grants.ts'
import { authorizeAddress, newProof } from '../connections/oauth.ts'
import type { OAuthClient } from '../domain/connection.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { grantsOf } from '../domain/mcp.ts'
import type { TenantParty } from '../engine/work.ts'
import { sha256Hex } from '../lib/hash.ts'
import { CALLBACK_PATH } from '../mcp/oauth-grant.ts'
import { directoryObject, type Env } from './env.ts'
import { sealOf } from './seal.ts'
import type { GuardedFetch } from '../net/outcome.ts'
import { secretOf } from './secret.ts'
import type { OpenedConnection } from './tenant-views.ts'

type Client = Pick<OpenedConnection, 'name' | 'oauth2' | 'value'>

/** The tokens of a connection: the tenant's, or a user's. Throws for one that has none. */
export function grantOf(env: Env, party: TenantParty, connection: Client, fetch: GuardedFetch): ConnectionGrant {
  const { client, secret, ports } = grantPartsOf(env, connection, fetch)
  return new ConnectionGrant({ ...party, name: connection.name }, { client, secret }, ports)
}

export function grantPartsOf(env: Env, { oauth2: client, value }: Client, fetch: GuardedFetch) {
  if (client === undefined) throw new Error('a connection of an authorization server was expected')
  const directory = (name: string) => directoryObject(env, name)
  const grants = {
    read: (of: string, name: string) => directory(of).mcpGrant(name),
    keep: (of: string, name: string, change: { from: string | null; to: string }) =>
      directory(of).keepMcpGrant(name, change),
    lease: (of: string, name: string, from: string) => directory(of).leaseMcpGrant(name, from),
  }
  return {
    client,
    secret: value ?? null,
    ports: { fetch, now: Date.now, grants, seal: sealOf(env) },
  }
}

/** What one who was sent away comes back to. */
export interface AwayForConnection {
  name: string
  user: string | null
  verifier: string
  redirect: string
  language: Language
  /** The account of who began it; null: nobody did by a key or token. */
  by: string | null
}

interface Sent extends Pick<AwayForConnection, 'user' | 'language' | 'by'> {
  tenant: string
  /** Where our server is reached. */
  base: string
  /** Whose call needs it; null: no session's. */
  session: string | null
}

/** Send somebody to grant access: to which address, and until when they are awaited. */
export async function sendToAuthorize(
  env: Env,
  { name, oauth2: client }: { name: string; oauth2: OAuthClient },
  { tenant, user, language, by, base, session }: Sent,
): Promise<{ url: string; until: number }> {
  const { verifier, challenge } = await newProof()
  const state = await newOAuthState(await secretOf(env), tenant, CONNECTION_STATE)
  const redirect = base + CALLBACK_PATH
  const until = Date.now() + LIMITS.mcp.redirectMs
  const away: AwayForConnection = { name, user, verifier, redirect, language, by }
  const text = JSON.stringify(away)
  await directoryObject(env, tenant).keepMcpRedirect({
    state: await sha256Hex(state),
    server: grantsOf(name),
    session,
    text,
    until,
  })
  return { url: authorizeAddress(client, { redirect, state, challenge }), until }
}
