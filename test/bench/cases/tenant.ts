import { randomUUID } from 'node:crypto'
import { fileURLToPath, URL } from 'node:url'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import type { Case, Result } from '../harness/result.ts'
import { median } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'

const WORKER = fileURLToPath(new URL('../tenant/worker.ts', import.meta.url))
const RUNS = 4_096
/** The first is of cold code. */
const ROUNDS_MIN = 2

const PARTS: readonly (readonly [what: string, query: string])[] = [
  ['its directory', ''],
  ['its directory and its audit', '?acts'],
]

/** Where a tenant ends: how many runs a second its objects can be told of. On the platform each object has a thread of its own; here both, and
 *  who tells them, share one, so that a tenant carries at least so much. */
export const tenant: Case = {
  name: 'tenant',
  run: async (rounds) => {
    const peers = await startPeers()
    const server = await startOurs(peers.url, { entry: WORKER })
    await ask(`${server.url}/v1/sessions`, { body: { task: TASKS.finish.text } }, /"status":"completed"/)
    const results: Result[] = []
    for (const [what, query] of PARTS) {
      const perSecond: number[] = []
      for (let round = 0; round < Math.max(rounds, ROUNDS_MIN); round++) {
        const { wallMs } = await ask(`${server.url}/tenant/t-${randomUUID()}/${RUNS}${query}`, {})
        if (round > 0) perSecond.push((RUNS * 1_000) / wallMs)
      }
      results.push({
        name: `tenant: runs/s that ${what} can be told of`,
        count: Math.round(median(perSecond)),
        goal: null,
      })
    }
    await server.stop()
    peers.stop()
    return results
  },
}
