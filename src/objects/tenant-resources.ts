import type { KeptConnection } from '../domain/connection.ts'
import {
  grantOfUser,
  grantsOf,
  type McpGrantChange,
  type McpProbe,
  type McpRedirect,
  type McpReturnProof,
  type McpServer,
} from '../domain/mcp.ts'
import type { ApiCatalogue, ApiSource } from '../domain/openapi-tools.ts'
import type { HeldSettings, SettingsVersion } from '../domain/settings.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { WorkflowDefinition } from '../domain/workflow.ts'
import type { FolderFile } from '../skills/folder.ts'
import { keepClaimAnswer, makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import { hasUserConnections, listConnections, putConnection, removeConnection } from '../store/kept-connections.ts'
import {
  getMcpGrant,
  keepMcpGrant,
  keepMcpRedirect,
  leaseMcpGrant,
  listMcpGrants,
  removeMcpGrant,
  removeMcpGrantOfUser,
  takeMcpRedirect,
} from '../store/mcp-grants.ts'
import { getMcpProbe, keepMcpProbe, listMcpServers, putMcpServer, removeMcpServer } from '../store/mcp-servers.ts'
import { getCatalogue, keepCatalogue, listApis, listCatalogueHeads, putApi, removeApi } from '../store/openapi-tools.ts'
import { getSettings, listSettings, putSettings } from '../store/settings.ts'
import {
  getSkill,
  getSkillFile,
  listSkillFiles,
  listSkillNames,
  listSkills,
  listWorkers,
  putSkill,
  removeSkill,
} from '../store/skills.ts'
import {
  getWorkflow,
  listWorkflowNames,
  listWorkflows,
  listWorkflowVersions,
  putWorkflow,
  removeWorkflow,
} from '../store/workflows.ts'
import { TenantAccess } from './tenant-access.ts'

/** What a tenant added or set: MCP servers, APIs, skills, workflows, connections and settings. */
export class TenantResources extends TenantAccess {
  // MCP servers: what they offered last, and what they let us in with.

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

  // APIs whose operations are tools.

  apis() {
    return listApis(this.db)
  }

  /** Its tools would be called as those of an MCP server of its name. */
  putApi(source: ApiSource, catalogue: ApiCatalogue, mayReplace: boolean, done: StoredResponse | null = null) {
    return makeWithAnswer(this.db, done, () =>
      listMcpServers(this.db).some(({ name }) => name === source.name)
        ? 'known'
        : putApi(this.db, source, catalogue, mayReplace),
    )
  }

  removeApi(name: string) {
    return this.db.transaction(() => removeApi(this.db, name))
  }

  apiCatalogue(name: string) {
    return getCatalogue(this.db, name)
  }

  apiCatalogueHeads() {
    return listCatalogueHeads(this.db)
  }

  keepApiCatalogue(name: string, catalogue: ApiCatalogue) {
    this.db.transaction(() => keepCatalogue(this.db, name, catalogue))
  }

  // Skills, with their folders.

  skill(name: string) {
    return getSkill(this.db, name)
  }

  skills(after: string, limit: number) {
    return listSkills(this.db, after, limit)
  }

  skillSummaries(limit: number) {
    return listSkillNames(this.db, limit)
  }

  workerSkills(limit: number) {
    return listWorkers(this.db, limit)
  }

  /** `files`: see `putSkill` of the store. */
  putSkill(
    skill: SkillDefinition,
    mayReplace: boolean,
    files: readonly FolderFile[] | null = null,
    done: StoredResponse | null = null,
  ) {
    return makeWithAnswer(this.db, done, () => putSkill(this.db, skill, mayReplace, files))
  }

  removeSkill(name: string) {
    return this.db.transaction(() => removeSkill(this.db, name))
  }

  skillFile(name: string, path: string) {
    return getSkillFile(this.db, name, path)
  }

  skillFiles(name: string) {
    return listSkillFiles(this.db, name)
  }

  // Workflows, with their versions.

  workflow(name: string, version: number | null) {
    return getWorkflow(this.db, name, version)
  }

  workflows(after: string, limit: number) {
    return listWorkflows(this.db, after, limit)
  }

  workflowNames() {
    return listWorkflowNames(this.db)
  }

  workflowVersions(name: string) {
    return listWorkflowVersions(this.db, name)
  }

  putWorkflow(definition: WorkflowDefinition, mayReplace: boolean, done: StoredResponse | null = null) {
    return makeWithAnswer(this.db, done, () => putWorkflow(this.db, definition, mayReplace, Date.now()))
  }

  removeWorkflow(name: string) {
    return this.db.transaction(() => removeWorkflow(this.db, name))
  }

  // Connections: secrets, encrypted, each for its origin. `user` null: the tenant's own.

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

  // Settings in the place of the config, with their versions.

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
