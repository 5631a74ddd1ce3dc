import type { ApiCatalogue, ApiSource } from '../domain/openapi-tools.ts'
import { makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import { listMcpServers } from '../store/mcp-servers.ts'
import { getCatalogue, keepCatalogue, listApis, listCatalogueHeads, putApi, removeApi } from '../store/openapi-tools.ts'
import { TenantSkillStore } from './tenant-skill-store.ts'

/** The APIs of a tenant whose operations are tools. */
export class TenantOpenApi extends TenantSkillStore {
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
}
