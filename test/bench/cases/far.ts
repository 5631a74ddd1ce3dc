import { randomUUID } from 'node:crypto'
import { fileURLToPath, URL } from 'node:url'
import * as z from 'zod'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import type { Case, Result } from '../harness/result.ts'
import { measureBlock, measurePairs, median } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'
import type { Workerd } from '../harness/workerd.ts'
import { WITH_KEY } from '../../support/admin-key.ts'

const WORKER = fileURLToPath(new URL('../far/worker.ts', import.meta.url))
const ROUND_TRIP_MS = 100
/** What may differ by chance, so that no part of a round trip is taken for none. */
const CHANCE_MS = 15
const ROUNDS_MAX = 4
const MADE = { name: 'bench', scopes: ['read', 'run'] }

const made = z.looseObject({ id: z.string(), key: z.string().optional() })
const calls = z.looseObject({ underWay: z.number() })

interface Side {
  server: Workerd
  headers: Record<string, string>
  /** A session that takes messages. */
  session: string
}

/** How many milliseconds later an answer is when every call of an object of the tenant takes a round trip of 100 ms more. */
export const far: Case = {
  name: 'far',
  run: async (rounds) => {
    const peers = await startPeers()
    const server = await startOurs(peers.url, { entry: WORKER })
    const { key = '' } = made.parse(JSON.parse((await post(server, '/v1/keys', MADE, WITH_KEY)).text))
    const keys = { 'configured key': [WITH_KEY, 0], 'made key': [{ authorization: `Bearer ${key}` }, 1] } as const
    const results: Result[] = []
    for (const [name, [headers, roundTrips]] of Object.entries(keys)) {
      const { text } = await post(server, '/v1/sessions', { title: 'near and far' }, headers)
      const side = { server, headers, session: made.parse(JSON.parse(text)).id }
      for (const [what, once] of Object.entries(REQUESTS)) {
        const later = await laterMs(side, once, Math.min(rounds, ROUNDS_MAX))
        results.push({
          name: `far: ${what}, ${name}: ms later`,
          count: Math.round(later),
          goal: roundTrips * ROUND_TRIP_MS + CHANCE_MS,
        })
      }
    }
    await server.stop()
    peers.stop()
    return results
  },
}

type Once = (side: Side) => Promise<number>

const REQUESTS: Readonly<Record<string, Once>> = {
  'a message': ({ server, headers, session }) => message(server, session, headers),
  'a keyed message': ({ server, headers, session }) =>
    message(server, session, { ...headers, 'idempotency-key': randomUUID() }),
  'a keyed creation': async ({ server, headers }) =>
    (await post(server, '/v1/sessions', { title: 'new' }, { ...headers, 'idempotency-key': randomUUID() })).wallMs,
  'a creation': async ({ server, headers }) => (await post(server, '/v1/sessions', { title: 'new' }, headers)).wallMs,
}

async function message(server: Workerd, session: string, headers: Record<string, string>): Promise<number> {
  return (await post(server, `/v1/sessions/${session}/messages`, { content: TASKS.finish.text }, headers)).wallMs
}

/** Far and near in turn, so that a machine that slows down slows both. */
async function laterMs(side: Side, once: Once, rounds: number): Promise<number> {
  const block = (roundTripMs: number) => async () => {
    await setFar(side.server, roundTripMs)
    const measured = await measureBlock(1, side.server.cpuMs, () => once(side))
    await allOver(side.server)
    return measured
  }
  const pairs = await measurePairs(rounds, block(ROUND_TRIP_MS), block(0))
  return median(pairs.map(({ ours, floor }) => ours.wallMs - floor.wallMs))
}

const setFar = ({ url }: Workerd, roundTripMs: number) => ask(`${url}/far/${roundTripMs}`, { method: 'PUT' })

/** What is told after an answer is told before the next request. */
async function allOver({ url }: Workerd): Promise<void> {
  for (let quiet = 0; quiet < 3;) {
    const { underWay } = calls.parse(JSON.parse((await ask(`${url}/far`, { method: 'GET' })).text))
    quiet = underWay === 0 ? quiet + 1 : 0
  }
}

const post = ({ url }: Workerd, path: string, body: unknown, headers: Record<string, string>) =>
  ask(`${url}${path}`, { body, headers })
