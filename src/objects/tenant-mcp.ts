import type { McpGrantChange, McpProbe, McpRedirect, McpReturnProof, McpServer } from '../domain/mcp.ts'
import { makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import {
  getMcpGrant,
  keepMcpGrant,
  keepMcpRedirect,
  leaseMcpGrant,
  removeMcpGrant,
  takeMcpRedirect,
} from '../store/mcp-grants.ts'
import { getMcpProbe, keepMcpProbe, listMcpServers, putMcpServer, removeMcpServer } from '../store/mcp-servers.ts'
import { listApis } from '../store/openapi-tools.ts'
import { TenantAccess } from './tenant-access.ts'

/** The MCP servers of a tenant: what they offered last, and what they let us in with. */
export class TenantMcp extends TenantAccess {
  mcpServers() {
    return listMcpServers(this.db)
  }

  putMcpServer(server: McpServer, mayReplace: boolean, done: StoredResponse | null = null) {
    return makeWithAnswer(this.db, done, () => {
      if (listApis(this.db).some(({ name }) => name === server.name)) return 'known'
      const kept = putMcpServer(this.db, server, mayReplace)
      if (kept === 'replaced') removeMcpGrant(this.db, server.name)
      return kept
    })
  }

  removeMcpServer(name: string) {
    removeMcpGrant(this.db, name)
    return removeMcpServer(this.db, name)
  }

  mcpProbe(name: string) {
    return getMcpProbe(this.db, name)
  }

  keepMcpProbe(name: string, probe: McpProbe) {
    keepMcpProbe(this.db, name, probe)
  }

  mcpGrant(server: string) {
    return getMcpGrant(this.db, server)
  }

  keepMcpGrant(server: string, change: McpGrantChange) {
    return this.db.transaction(() => keepMcpGrant(this.db, server, change))
  }

  leaseMcpGrant(server: string, from: string) {
    return leaseMcpGrant(this.db, server, from, Date.now())
  }

  keepMcpRedirect(redirect: McpRedirect) {
    this.db.transaction(() => keepMcpRedirect(this.db, redirect, Date.now()))
  }

  takeMcpRedirect(state: string, proof: McpReturnProof) {
    return this.db.isThere() ? takeMcpRedirect(this.db, state, proof, Date.now()) : null
  }
}
