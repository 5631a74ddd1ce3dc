import { SKILL_FILES } from '../../configs/skills/index.ts'
import { TEAM_FILES } from '../../configs/teams/index.ts'
import type { Fetch, Log } from '../../src/domain/ports.ts'
import { createEngine } from '../../src/run/setup/create-engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { NATIVE } from '../../src/http/projections.ts'
import { Session } from '../../src/session/session.ts'
import { memoryLog } from '../../src/store/memory-log.ts'
import { RECORDED_HOST } from './record/stage.ts'

const MODEL_URL = 'http://model.test/v1'
const alias = { api_url: MODEL_URL, model: 'recorded', max_tokens: 300, retry: { times: 0 }, stream: false }
const priced = { ...alias, price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' } }

/** What a model is asked, as far as these answers look at it. */
export interface AskedModel {
  messages: { role: string; content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] }[]
  tools?: { function: { name: string } }[]
}

/** A message of the model as its service sends it. */
export interface Said {
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
}

/** The server on which the runs of test/contract/replay were recorded, without a network: its model is a function, and pages are
 *  counted. */
export interface Offline {
  engine: Engine
  /** Addresses that tools read or wrote to. */
  visits: string[]
  /** How often the model was asked. */
  asked: () => number
  /** A session of a log; of none: nobody made it yet, and its log lives in memory. */
  session: (log?: Log) => { session: Session; log: Log }
}

export function offline(answer: (asked: AskedModel, index: number) => Said): Offline {
  const visits: string[] = []
  let asked = 0
  const world: Fetch = async (url, init) => {
    if (!url.startsWith(MODEL_URL)) {
      visits.push(url)
      return new Response('<p>A page.</p>', { headers: { 'content-type': 'text/html' } })
    }
    const message = {
      role: 'assistant',
      ...answer(JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as AskedModel, asked++),
    }
    const finish = message.tool_calls ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    return Response.json({ id: 'x', choices: [{ index: 0, message, finish_reason: finish }], usage })
  }
  const tenants = {
    find: async () => null,
    summaries: async () => [],
    workers: async () => [],
    file: async () => null,
    files: async () => [],
  }
  const { engine } = createEngine(
    {
      models: { m: { ...alias, context_tokens: 100_000 }, small: { ...alias, context_tokens: 100_000 }, priced },
      default_model: 'm',
      web: { allow_private_hosts: [RECORDED_HOST] },
    },
    {
      publicFetch: world,
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: 'Node.js',
      teams: async () => TEAM_FILES,
      skills: { files: async () => SKILL_FILES, tenants },
    },
  )
  const session = (log: Log = memoryLog()) => {
    const ports = {
      log,
      now: Date.now,
      engine,
      compacts: true,
      alarm: { set: () => {}, clear: () => {} },
      directory: { put: async () => null, remove: async () => null },
      outbox: null,
      keepAlive: (work: Promise<unknown>) => void work,
      destroy: async () => {},
      report: (error: unknown) => {
        throw error
      },
    }
    return { session: new Session(ports, NATIVE), log }
  }
  return { engine, visits, asked: () => asked, session }
}
