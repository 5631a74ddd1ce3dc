import { fileURLToPath, URL } from 'node:url'
import { bundleWorker, type WorkerModule } from '../../../src/build/bundle.ts'
import { ask } from '../harness/request.ts'
import { ms, type Case, type Ratio } from '../harness/result.ts'
import { measurePairs, type Block, type Pair } from '../harness/rounds.ts'
import { SERVE } from '../harness/sides.ts'
import { startWorkerd } from '../harness/workerd.ts'

const RATIO_MAX = 2
const BARE = fileURLToPath(new URL('../hono/worker.ts', import.meta.url))

/** From the start of the process to the first answer of /healthz, of the same workerd config with our Worker and with a bare
 *  one of Hono. The best of the rounds counts: what else the machine does only ever adds. */
export const startup: Case = {
  name: 'startup',
  run: async (rounds) => {
    const [ours, bare] = await Promise.all([bundleWorker(), bundleWorker(BARE)])
    const pairs = await measurePairs(
      rounds,
      () => startOnce(ours),
      () => startOnce(bare),
    )
    return [row('start-up, to /healthz', pairs, 'wallMs'), row('start-up, processor', pairs, 'cpuMs')]
  },
}

function row(name: string, pairs: readonly Pair[], time: keyof Block): Ratio {
  const ratios = pairs.map(({ ours, floor }) => ours[time] / floor[time]).toSorted((a, b) => a - b)
  const best = (side: 'ours' | 'floor') => Math.min(...pairs.map((pair) => pair[side][time]))
  return {
    name,
    ours: ms(best('ours')),
    floor: ms(best('floor')),
    ratio: best('ours') / best('floor'),
    spread: [ratios[0] ?? NaN, ratios.at(-1) ?? NaN],
    goal: RATIO_MAX,
  }
}

async function startOnce(bundle: readonly WorkerModule[]): Promise<Block> {
  const workerd = await startWorkerd({ config: SERVE, bundle })
  await ask(`${workerd.url}/healthz`, { method: 'GET' })
  const block = { wallMs: performance.now() - workerd.startedMs, cpuMs: workerd.cpuMs() }
  await workerd.stop()
  return block
}
