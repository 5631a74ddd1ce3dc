import type { Engine } from '../../engine/engine.ts'
import type { TenantParty } from '../../engine/work.ts'
import type { Journal } from '../../log/journal.ts'
import type { KeepAlive } from '../../mcp/offers.ts'
import type { SessionPorts, SettingsCopy } from '../ports.ts'
import { ClientTools } from './client-tools.ts'
import { type Patience, SessionTools, type Whose } from './session-tools.ts'
import { TenantEngine } from './tenant-engine.ts'

/** The engine of one session: the server's, with the tools of the MCP servers and APIs that the session may use. */
export interface SessionEngine extends Engine {
  /** Whether the tools are at hand. */
  readonly isLoaded: boolean
  /** Have the tools at hand as they are now; null: there are no servers. Gives why servers cannot be used, or not as they are now.
   *  Rejects with the reason of the signal. */
  load(whose: Whose, patience?: Patience): Promise<string[]> | null
  /** Have at hand what the tenant has set. False: it cannot be read, and was never known. Null: it is at hand. */
  renew(party: TenantParty): Promise<boolean> | null
  /** What was read of the tenant lately does not count any more. */
  forget(party: TenantParty): void
  /** The same between two moves, for a moment at most. Null: it is at hand. */
  renewInTime(): Promise<unknown> | null
  /** Have the tools of the caller of the newest run at hand; null: they are, or there are none. */
  loadClientTools(): Promise<void> | null
}

export type LivePorts = Omit<SessionPorts, 'engine'> & { engine: SessionEngine }

/** The ports of a session with an engine of its own. */
export function livePorts(ports: SessionPorts, journal: Journal): LivePorts {
  const hold: KeepAlive = (work) => ports.keepAlive(work)
  const client = new ClientTools(() => journal)
  const engine = sessionEngine(ports.engine, hold, { client, settings: ports.settings })
  return { ...ports, engine }
}

interface EngineParts {
  /** The tools of the caller. */
  client?: ClientTools
  /** What was known last of the tenant's settings. */
  settings?: SettingsCopy | undefined
}

/** `hold`: keeps the process alive while servers are asked. */
export function sessionEngine(
  base: Engine,
  hold: KeepAlive,
  { client = new ClientTools(() => null), settings }: EngineParts = {},
): SessionEngine {
  const own = new TenantEngine(base, hold, settings)
  const added = new SessionTools(base, own, hold)
  return {
    ...base,
    get config() {
      return own.now.config
    },
    get models() {
      return own.now.models
    },
    get skills() {
      return own.now.skills
    },
    chooseModel: (wish) => own.now.chooseModel(wish),
    refuseAddress: (url) => own.now.refuseAddress(url),
    get fetchGuarded() {
      return own.now.fetchGuarded
    },
    get budgets() {
      return own.now.budgets
    },
    get tools() {
      return client.beside(added.toolsNow)
    },
    get workers() {
      return added.workers
    },
    get missing() {
      return added.missing
    },
    get isLoaded() {
      return added.isLoaded
    },
    loadClientTools: () => client.load(),
    renew: (party) => own.renew(party),
    forget: (party) => own.forget(party),
    renewInTime: () => own.renewInTime(),
    load: (whose, patience = {}) => {
      const renewing = own.renew(whose)
      return renewing
        ? renewing.then(async () => (await added.load(whose, patience)) ?? [])
        : added.load(whose, patience)
    },
  }
}
