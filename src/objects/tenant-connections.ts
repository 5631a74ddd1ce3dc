import type { KeptConnection } from '../domain/connection.ts'
import { grantOfUser, grantsOf } from '../domain/mcp.ts'
import { makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import { listConnections, putConnection, removeConnection } from '../store/kept-connections.ts'
import { listMcpGrants, removeMcpGrant, removeMcpGrantOfUser } from '../store/mcp-grants.ts'
import { TenantWorkflows } from './tenant-workflows.ts'

/** The secrets of a tenant and its users, encrypted, each for its origin. `user` null: the tenant's own. */
export class TenantConnections extends TenantWorkflows {
  connections(user: string | null) {
    return listConnections(this.db, user)
  }

  putConnection(connection: KeptConnection, mayReplace: boolean, done: StoredResponse | null = null) {
    return makeWithAnswer(this.db, done, () => putConnection(this.db, connection, mayReplace))
  }

  removeConnection(name: string, user: string | null) {
    return this.db.transaction(() => {
      const grants = listMcpGrants(this.db, grantsOf(name)).filter(
        ({ holder }) => user === null || holder === grantOfUser(user),
      )
      if (user === null) removeMcpGrant(this.db, grantsOf(name))
      else removeMcpGrantOfUser(this.db, grantsOf(name), user)
      return { isRemoved: removeConnection(this.db, name, user), grants }
    })
  }
}
