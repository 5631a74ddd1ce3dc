import type { KeptConnection } from '../domain/connection.ts'
import type { McpServer } from '../domain/mcp.ts'
import type { HeldSettings, SettingsVersion } from '../domain/settings.ts'
import { keepClaimAnswer, type StoredResponse } from '../store/claims.ts'
import { hasUserConnections } from '../store/kept-connections.ts'
import { listMcpServers } from '../store/mcp-servers.ts'
import { getSettings, listSettings, putSettings } from '../store/settings.ts'
import { TenantConnections } from './tenant-connections.ts'

/** What a tenant has set in the place of the config, with its versions. */
export class TenantSettings extends TenantConnections {
  /** What runs need to know of the tenant. `known`: the version of settings that the asker has; then they are not told again. */
  snapshot(known: number): {
    servers: McpServer[]
    settings: HeldSettings | 'known' | null
    connections: KeptConnection[]
    hasUserConnections: boolean
  } {
    const held = getSettings(this.db)
    const settings = held && (held.version === known ? 'known' : heldOf(held))
    const connections = this.connections(null)
    return {
      servers: listMcpServers(this.db),
      settings,
      connections,
      hasUserConnections: hasUserConnections(this.db),
    }
  }

  settings(version: number | null) {
    return getSettings(this.db, version)
  }

  settingsVersions(before: number | null, limit: number) {
    return listSettings(this.db, before, limit)
  }

  /** False: another change was there first. */
  putSettings(given: SettingsVersion, done: StoredResponse | null = null) {
    return this.db.transaction(() => {
      const isKept = putSettings(this.db, given)
      if (isKept && done) keepClaimAnswer(this.db, done)
      return isKept
    })
  }
}

function heldOf({ version, settings }: SettingsVersion): HeldSettings {
  return { version, settings }
}
