import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { startSides, TASKS } from '../harness/sides.ts'

const RUNS_PER_BLOCK = 50
const WALL_MAX = 2
const CPU_MAX = 2.5

let count = 0

/** A new session each: 4 model calls, 3 pages, the whole session as the answer. */
export const run: Case = {
  name: 'run',
  run: async (rounds) => {
    const { ours, floor, stop } = await startSides()
    const body = { task: TASKS.run }
    const oursOnce = async () => (await ask(`${ours.url}/v1/sessions`, { body })).wallMs
    const floorOnce = async () => (await ask(`${floor.url}/run/${++count}`, { body })).wallMs
    const pairs = await measurePairs(
      rounds,
      () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, oursOnce),
      () => measureBlock(RUNS_PER_BLOCK, floor.cpuMs, floorOnce),
    )
    await stop()
    return [
      resultOf('run: wall time', WALL_MAX, pairs, (block) => block.wallMs),
      resultOf('run: processor time', CPU_MAX, pairs, (block) => block.cpuMs),
    ]
  },
}
