import { LIMITS } from '../domain/limits.ts'
import type { ApiCatalogue, ApiSource } from '../domain/openapi-tools.ts'
import type { Now } from '../domain/ports.ts'
import { ShortMemory } from '../lib/short-memory.ts'
import type { GuardedFetch } from '../net/outcome.ts'
import type { ReadCatalogue } from './read.ts'
import { type ConfiguredApi, failedCatalogue, addressOrigin } from './sources.ts'

/** Where tenants keep their APIs, and what was read of those and of the config's. */
export interface TenantApis {
  apis(tenant: string): Promise<ApiSource[]>
  catalogue(tenant: string, name: string): Promise<ApiCatalogue | null>
  keepCatalogue(tenant: string, name: string, catalogue: ApiCatalogue): Promise<void>
}

interface ApiRegistryPorts {
  config: readonly ConfiguredApi[]
  tenants: TenantApis | null
  fetch: GuardedFetch
  now: Now
}

/** An API, and what is known of its operations. */
export interface ApiOffer {
  source: ApiSource
  catalogue: ApiCatalogue
}

/** The APIs whose operations sessions may use as tools. */
export class ApiRegistry {
  readonly #ports: ApiRegistryPorts
  readonly #added: ShortMemory<readonly ApiSource[]>
  /** By tenant, name and version: another version is another list. */
  readonly #lists = new Map<string, { catalogue: ApiCatalogue; triedTime: number }>()

  constructor(ports: ApiRegistryPorts) {
    this.#ports = ports
    const { keptMs, tenantsMax: keysMax } = LIMITS.openapi
    const read = async (tenant: string) => ports.tenants?.apis(tenant) ?? []
    this.#added = new ShortMemory({ read, keptMs, keysMax, now: ports.now })
  }

  /** Whether a tenant's sessions can have APIs at all, as far as is known without asking. */
  isEmpty(tenant: string): boolean {
    const { config, tenants } = this.#ports
    const hasNone = () => this.#added.isFresh(tenant) && !this.#added.at(tenant)?.length
    return config.length === 0 && (tenants === null || hasNone())
  }

  /** All APIs of a tenant, those that are switched off too; the config's go before one of the same name. */
  async sources(tenant: string): Promise<ApiSource[]> {
    return this.#withConfig(this.#ports.tenants === null ? [] : ((await this.#added.load(tenant)) ?? []))
  }

  /** Read what the tenant has added anew before it is too old; null: there is no need. */
  refreshSources(tenant: string): Promise<void> | null {
    return this.#added.refresh(tenant)
  }

  /** The API of a name as it is at this moment. Rejects where the tenant cannot be asked. */
  async sourceNow(tenant: string, name: string): Promise<ApiSource | undefined> {
    return this.#withConfig((await this.#ports.tenants?.apis(tenant)) ?? []).find((source) => source.name === name)
  }

  #withConfig(added: readonly ApiSource[]): ApiSource[] {
    const own = this.#ports.config.map(({ source }) => source)
    const named = new Set(own.map(({ name }) => name))
    return [...own, ...added.filter(({ name }) => !named.has(name))]
  }

  /** What a tenant's sessions may use. */
  async load(tenant: string): Promise<ApiOffer[]> {
    const sources = (await this.sources(tenant)).filter(({ enabled }) => enabled)
    return Promise.all(sources.map((source) => this.offer(tenant, source)))
  }

  /** What is known of an API. A document of the config is read when it is first needed. */
  async offer(tenant: string, source: ApiSource): Promise<ApiOffer> {
    const known = this.#at(tenant, source)
    if (known) return offerOf(source, known)
    const stored = await this.#ports.tenants?.catalogue(tenant, source.name).catch(() => null)
    if (stored && stored.version === source.version) return offerOf(source, this.#remember(tenant, source, stored))
    if (source.origin === 'tenant')
      return offerOf(source, failedCatalogue(source, null, 'Its operations could not be loaded.', this.#ports.now()))
    return (await this.refresh(tenant, source)).offer
  }

  /** Read the document of an API anew. One that cannot be read keeps what was known of it. */
  async refresh(tenant: string, source: ApiSource): Promise<{ offer: ApiOffer; read: ReadCatalogue }> {
    const { tenants, now } = this.#ports
    const read = await this.read(source, this.#documentOf(source))
    const known = this.#at(tenant, source) ?? (await tenants?.catalogue(tenant, source.name).catch(() => null)) ?? null
    const catalogue = read.ok ? read.catalogue : failedCatalogue(source, known, read.issue.message, now())
    this.#remember(tenant, source, catalogue)
    if (read.ok) await tenants?.keepCatalogue(tenant, source.name, catalogue).catch(() => {})
    return { offer: offerOf(source, catalogue), read }
  }

  /** What the API of a source offers, by the document that is given, else by the one at its address. `fetch`: the tenant's own way there. */
  async read(source: ApiSource, document: unknown, fetch = this.#ports.fetch): Promise<ReadCatalogue> {
    const { readCatalogue } = await import('./read.ts')
    return readCatalogue(source, document, { fetch, now: this.#ports.now() })
  }

  #documentOf({ name, origin }: ApiSource): unknown {
    return origin === 'config' ? this.#ports.config.find(({ source }) => source.name === name)?.document : null
  }

  /** A failure is remembered for a while only. */
  #at(tenant: string, source: ApiSource): ApiCatalogue | null {
    const kept = this.#lists.get(keyOf(tenant, source))
    const isOld = kept && kept.catalogue.error !== null && this.#ports.now() >= kept.triedTime + LIMITS.openapi.retryMs
    return kept && !isOld ? kept.catalogue : null
  }

  #remember(tenant: string, source: ApiSource, catalogue: ApiCatalogue): ApiCatalogue {
    const key = keyOf(tenant, source)
    const operations = [...this.#lists.values()].reduce((sum, one) => sum + one.catalogue.operations.length, 0)
    const { listsMax, operationsKeptMax } = LIMITS.openapi
    if (this.#lists.size >= listsMax || operations + catalogue.operations.length > operationsKeptMax)
      this.#lists.clear()
    this.#lists.set(key, { catalogue, triedTime: this.#ports.now() })
    return catalogue
  }

  /** The tenant's APIs have changed. */
  forget(tenant: string): void {
    this.#added.forget(tenant)
  }
}

/** An API of the config that gives its document there is where that says. */
function offerOf(source: ApiSource, catalogue: ApiCatalogue): ApiOffer {
  const isOwn = source.origin === 'config' && source.url === null
  return { source: isOwn ? { ...source, trustedOrigin: addressOrigin(catalogue.baseUrl) } : source, catalogue }
}

function keyOf(tenant: string, { origin, url, name, version }: ApiSource): string {
  return JSON.stringify([origin === 'config' && url === null ? '' : tenant, name, version])
}
