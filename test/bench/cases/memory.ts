import { fileURLToPath, URL } from 'node:url'
import { bundleWorker } from '../../../src/build/bundle.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { startWorkerd } from '../harness/workerd.ts'

const FOLDER = fileURLToPath(new URL('../memory/', import.meta.url))
const LOADS_PER_BLOCK = 300
const RATIO_MAX = 1.2
const ROUNDS = { many: 10_000, few: 10 }

/** What a run is told of a user with 10,000 stored rounds (ours), and of one with 10 (floor). */
export const memory: Case = {
  name: 'memory',
  run: async (rounds) => {
    const server = await startWorkerd({
      config: `${FOLDER}config.capnp`,
      bundle: await bundleWorker(`${FOLDER}worker.ts`),
    })
    const get = (path: string) => ask(`${server.url}/${path}`, { method: 'GET' })
    const block = (count: number) =>
      measureBlock(LOADS_PER_BLOCK, server.cpuMs, async () => (await get(`load/${count}`)).wallMs)
    for (const count of Object.values(ROUNDS)) await get(`fill/${count}`)
    const pairs = await measurePairs(
      rounds,
      () => block(ROUNDS.many),
      () => block(ROUNDS.few),
    )
    await server.stop()
    return [
      resultOf('memory of 10,000 rounds (to 10): wall time', RATIO_MAX, pairs, ({ wallMs }) => wallMs),
      resultOf('memory of 10,000 rounds (to 10): processor time', RATIO_MAX, pairs, ({ cpuMs }) => cpuMs),
    ]
  },
}
