import * as z from 'zod'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { startOurs } from '../harness/sides.ts'
import type { Workerd } from '../harness/workerd.ts'

const REQUESTS_PER_BLOCK = 300
const RATIO_MAX = 1.3

const MADE = {
  name: 'bench',
  scopes: ['read'],
  limits: { requests_per_minute: 60_000, day: { max_total_tokens: 1_000_000 } },
}
const made = z.looseObject({ id: z.string(), key: z.string().optional() })

interface Side {
  server: Workerd
  headers: Record<string, string>
  path: string
}

/** What a made key adds to the reading of a session, beside the same request under the configured one. */
export const access: Case = {
  name: 'access',
  run: async (rounds) => {
    const peers = await startPeers()
    const server = await startOurs(peers.url)
    const { key = '' } = await make(server, '/v1/keys', MADE, {})
    const configured = await sideOf(server, {})
    const withLimits = { ...configured, headers: { authorization: `Bearer ${key}` } }
    const pairs = await measurePairs(
      rounds,
      () => measure(withLimits),
      () => measure(configured),
    )
    await server.stop()
    peers.stop()
    return [
      resultOf('access: made key with limits, wall', RATIO_MAX, pairs, (block) => block.wallMs),
      resultOf('access: made key with limits, processor', RATIO_MAX, pairs, (block) => block.cpuMs),
    ]
  },
}

async function sideOf(server: Workerd, headers: Record<string, string>): Promise<Side> {
  const { id } = await make(server, '/v1/sessions', { title: 'read again and again' }, headers)
  return { server, headers, path: `/v1/sessions/${id}` }
}

async function make(server: Workerd, path: string, body: unknown, headers: Record<string, string>) {
  const { text } = await ask(`${server.url}${path}`, { body, headers })
  return made.parse(JSON.parse(text))
}

function measure({ server, headers, path }: Side) {
  const read = async () => (await ask(`${server.url}${path}`, { method: 'GET', headers })).wallMs
  return measureBlock(REQUESTS_PER_BLOCK, server.cpuMs, read)
}
