import type { TenantGrants } from '../../src/mcp/oauth-grant.ts'
import type { Database } from '../../src/store/database.ts'
import {
  getMcpGrant,
  keepMcpGrant,
  keepMcpRedirect,
  leaseMcpGrant,
  MCP_GRANTS_SCHEMA,
  takeMcpRedirect,
} from '../../src/store/mcp-grants.ts'
import { migrate, schemaOf } from '../../src/store/migrate.ts'
import { newOAuthState } from '../../src/access/marks.ts'
import { nodeDatabase } from './node-database.ts'
import { TEST_SECRET } from './test-secret.ts'

/** Grants of tenants, each in a database of its own as in a tenant's object. */
export function nodeGrants(now: () => number = Date.now): TenantGrants {
  const all = new Map<string, Database>()
  const of = (tenant: string): Database => {
    const known = all.get(tenant) ?? nodeDatabase()
    if (!all.has(tenant)) migrate(known, schemaOf([MCP_GRANTS_SCHEMA]))
    all.set(tenant, known)
    return known
  }
  return {
    read: async (tenant, server) => getMcpGrant(of(tenant), server),
    keep: async (tenant, server, change) => keepMcpGrant(of(tenant), server, change),
    lease: async (tenant, server, from) => leaseMcpGrant(of(tenant), server, from, now()),
    newState: (tenant) => newOAuthState(TEST_SECRET, tenant),
    sendAway: async (tenant, redirect) => keepMcpRedirect(of(tenant), redirect, now()),
    comeBack: async (tenant, state, proof) => takeMcpRedirect(of(tenant), state, proof, now()),
  }
}
