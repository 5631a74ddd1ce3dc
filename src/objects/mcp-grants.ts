import { newOAuthState } from '../access/marks.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { TenantGrants } from '../mcp/oauth-grant.ts'
import { directoryObject, type Env } from './env.ts'
import { sealOf } from './seal.ts'
import { secretOf } from './secret.ts'

/** What authorisation servers gave for the MCP servers of tenants, and who was sent to one: encrypted where the server has a key for that.
 *  What older releases kept is read as it is. */
export function sealedGrants(env: Env): TenantGrants {
  const ofGrant = (tenant: string, server: string) => JSON.stringify(['mcp grant', tenant, server])
  const ofRedirect = (tenant: string, state: string) => JSON.stringify(['mcp redirect', tenant, state])

  /** What is kept, and what it says. */
  async function read(tenant: string, server: string): Promise<{ kept: string | null; text: string | null }> {
    const kept = await directoryObject(env, tenant).mcpGrant(server)
    return { kept, text: kept === null ? null : await opened(env, kept, ofGrant(tenant, server)) }
  }

  return {
    read: async (tenant, server) => (await read(tenant, server)).text,
    keep: async (tenant, server, { from, to }) => {
      const { kept, text } = await read(tenant, server)
      if (text !== from) return false
      const sealed = await closed(env, to, ofGrant(tenant, server))
      return directoryObject(env, tenant).keepMcpGrant(server, { from: kept, to: sealed })
    },
    lease: async (tenant, server, from) => {
      const { kept, text } = await read(tenant, server)
      return kept !== null && text === from && directoryObject(env, tenant).leaseMcpGrant(server, kept)
    },
    newState: async (tenant) => newOAuthState(await secretOf(env), tenant),
    sendAway: async (tenant, redirect) => {
      const { by = null } = JSON.parse(redirect.text) as { by?: string | null }
      const text = await closed(env, redirect.text, ofRedirect(tenant, redirect.state), { by })
      await directoryObject(env, tenant).keepMcpRedirect({ ...redirect, text })
    },
    comeBack: async (tenant, state, proof) => {
      const redirect = await directoryObject(env, tenant).takeMcpRedirect(state, proof)
      if (redirect === null || redirect === 'other') return redirect
      const text = await opened(env, redirect.text, ofRedirect(tenant, state))
      return text === null ? null : { ...redirect, text }
    },
  }
}

/** JSON without any version: older releases take it for a grant that counts no more. `open`: what has to be read without the key. */
async function closed(env: Env, text: string, about: string, open: Record<string, unknown> = {}): Promise<string> {
  const seal = sealOf(env)
  return seal === null ? text : JSON.stringify({ ...open, sealed: await seal.seal(text, about) })
}

/** Null: it cannot be opened here, and counts no more. */
async function opened(env: Env, kept: string, about: string): Promise<string | null> {
  const given = parseJson(kept)
  if (!isObject(given) || typeof given.sealed !== 'string') return kept
  return (await sealOf(env)?.open(given.sealed, about)) ?? null
}
