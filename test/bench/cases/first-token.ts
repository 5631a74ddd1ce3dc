import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { startSides, TASKS } from '../harness/sides.ts'

const RUNS_PER_BLOCK = 50
const WALL_MAX = 1.5

let count = 0

/** A new session each, streamed: from the request to the first piece of the model's text. */
export const firstToken: Case = {
  name: 'first-token',
  run: async (rounds) => {
    const { ours, floor, stop } = await startSides()
    const asked = { body: { task: TASKS.talk }, accept: 'text/event-stream' }
    const oursOnce = async () => (await ask(`${ours.url}/v1/sessions`, asked, '"delta":"')).markMs
    const floorOnce = async () => (await ask(`${floor.url}/talk/${++count}`, asked, '"content":"All')).markMs
    const pairs = await measurePairs(
      rounds,
      () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, oursOnce),
      () => measureBlock(RUNS_PER_BLOCK, floor.cpuMs, floorOnce),
    )
    await stop()
    return [resultOf('first streamed token', WALL_MAX, pairs, (block) => block.wallMs)]
  },
}
