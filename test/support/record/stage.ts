import { startMockModel } from '../../../src/cli/mock-model/server.ts'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { type Client, createClient } from '../../../src/client/client.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { KnownOrchestrator } from '../../../src/domain/run.ts'
import { startChaosPages } from '../../chaos/pages.ts'
import { MortalServer } from '../../chaos/server.ts'
import { ADMIN_KEY, WITH_KEY } from '../admin-key.ts'

type Session = Awaited<ReturnType<Client['sessions']['get']>>

/** Who does the work: an orchestrator, or a team of one's own. */
export type Cast = KnownOrchestrator | Pick<Parameters<Client['sessions']['create']>[0], 'team' | 'workflow' | 'inputs'>

/** A run worth keeping: plays it, and gives the session's id. */
export type Scene = (stage: Stage) => Promise<string>

/** Where a run is recorded: the real server, a model that plays a script, pages, and a hand on the plug. */
export interface Stage {
  client: Client
  /** Address of a page; every page has two paragraphs of its own. */
  page(name: string): string
  /** A session whose model plays these steps, each request one, from the first on. */
  open(steps: readonly StepInput[], config?: SessionConfig, cast?: Cast): Promise<string>
  /** Resolves once the model of the session's script was asked so often, or a page visited. */
  asked(count: number): Promise<void>
  visited(count: number): Promise<void>
  /** SIGKILL of the server, and a new start on the same data. */
  kill(): Promise<void>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<unknown>
  put(path: string, body: unknown): Promise<unknown>
  get(path: string): Promise<unknown>
  /** Resolves when the session's status is another than `in_progress`. */
  settled(id: string): Promise<void>
  /** Resolves when so many items of the session wait for a decision. */
  waiting(id: string, count: number): Promise<void>
}

/** The host that recorded logs name. */
export const RECORDED_HOST = '127.0.0.1:9002'

const LOOK_PAUSE_MS = 20

/** A stage, the host of its pages, and the folder in which its objects keep their databases. */
export interface OpenStage {
  stage: Stage
  host: string
  dataFolder: string
  close: () => Promise<void>
}

export async function openStage(): Promise<OpenStage> {
  const counts = { asked: 0, visited: 0 }
  const listeners = new Set<() => void>()
  const happens = (what: keyof typeof counts) => {
    counts[what]++
    for (const listener of listeners) listener()
  }
  const happened = (what: keyof typeof counts, count: number) =>
    new Promise<void>((resolve) => {
      const look = () => counts[what] >= count && listeners.delete(look) && resolve()
      listeners.add(look)
      look()
    })
  let script: readonly StepInput[] = []
  const pages = await startChaosPages(() => happens('visited'))
  const model = await startMockModel({
    script: () => script[counts.asked - 1] ?? null,
    onRequest: () => happens('asked'),
  })
  const alias = { api_url: model.url, model: 'recorded', max_tokens: 300, retry: { times: 0 } }
  const server = await MortalServer.start(
    {
      models: {
        m: { ...alias, context_tokens: 100_000 },
        small: { ...alias, context_tokens: 2_000 },
        priced: { ...alias, price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' } },
      },
      default_model: 'm',
      web: { allow_private_hosts: [pages.host] },
    },
    () => {},
  )
  const client = () => createClient({ server: server.url, key: ADMIN_KEY })
  const until = async (id: string, isSo: (session: Session) => boolean) => {
    while (!isSo(await client().sessions.get(id, { messages: 'none' })))
      await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
  }
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...WITH_KEY, accept: 'application/json', 'content-type': 'application/json', ...headers },
      ...sent,
    })
    return response.json()
  }
  const stage: Stage = {
    get client() {
      return client()
    },
    page: (name) => `${pages.url}/read/${name}`,
    open: async (steps, config = {}, cast = 'agent') => {
      script = steps
      Object.assign(counts, { asked: 0, visited: 0 })
      return (await client().sessions.create({ config, ...(typeof cast === 'string' ? { orchestrator: cast } : cast) }))
        .id
    },
    asked: (count) => happened('asked', count),
    visited: (count) => happened('visited', count),
    kill: () => server.restart(),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body) => call('PUT', path, body),
    get: (path) => call('GET', path),
    settled: (id) => until(id, ({ status }) => status !== 'in_progress'),
    waiting: (id, count) => until(id, ({ pending }) => pending.length === count),
  }
  return {
    stage,
    host: pages.host,
    dataFolder: server.dataFolder,
    close: async () => {
      await server.stop()
      await model.close()
      await pages.close()
    },
  }
}
