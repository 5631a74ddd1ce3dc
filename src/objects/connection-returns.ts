import { ConnectionGrant } from '../connections/grants.ts'
import { tokensOfCode } from '../connections/oauth.ts'
import type { McpReturnProof } from '../domain/mcp.ts'
import type { GivenConnection } from '../domain/wanted-connection.ts'
import type { TenantParty } from '../engine/work.ts'
import { sha256Hex } from '../lib/hash.ts'
import type { CameBack, ReturnEnd } from '../mcp/oauth-grant.ts'
import { type AwayForConnection, grantPartsOf } from './connection-grants.ts'
import { serverFor, serverOf } from './engine.ts'
import { directoryObject, type Env } from './env.ts'
import { forgetTenant, type OpenedConnection } from './tenant-views.ts'

/** Somebody comes back with what an authorization server said. */
export async function backFromAuthorize(
  env: Env,
  tenant: string,
  { state, code }: CameBack,
  proof: McpReturnProof,
): Promise<ReturnEnd> {
  const taken = await directoryObject(env, tenant).takeMcpRedirect(await sha256Hex(state), proof)
  if (taken === null) return { outcome: 'unknown' }
  if (taken === 'other') return { outcome: 'other' }
  const { name, user, verifier, redirect, language } = JSON.parse(taken.text) as AwayForConnection
  const connection = await connectionFor(env, { tenant, user }, name)
  if (!connection?.oauth2) return { outcome: 'unknown' }
  const given: GivenConnection = { of: 'connection', name, user, session: null }
  const place = { language, given }
  if (code === undefined) return { outcome: 'refused', ...place }
  const { engine } = await serverFor(env, tenant)
  const { client, secret, ports } = grantPartsOf(env, connection, engine.fetchGuarded)
  const granted = await tokensOfCode({ client, secret }, { code, verifier, redirect }, ports)
  const grant = new ConnectionGrant({ tenant, user, name }, { client, secret }, ports)
  if (!granted.ok || !(await grant.keep(granted.tokens))) return { outcome: 'failed', ...place }
  forgetTenant(tenant, user)
  return { outcome: 'authorised', ...place }
}

/** The connection that a user, or the tenant, has a grant of: their own, else that of the tenant. */
export async function connectionFor(
  env: Env,
  { tenant, user }: TenantParty,
  name: string,
): Promise<OpenedConnection | null> {
  const { tenants } = serverOf(env)
  forgetTenant(tenant, user)
  await tenants.load({ tenant, user })
  return tenants.connection({ tenant, user }, name)
}
