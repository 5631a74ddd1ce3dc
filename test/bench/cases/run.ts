import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureAtOnce, measureBlock, measurePairs } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startSides, type Sides } from '../harness/sides.ts'

const RUNS_PER_BLOCK = 50
const WALL_MAX = 2
const CPU_MAX = 2.5

const SESSIONS = 16
const RUNS_PER_SESSION = 8
/** 110 of the 177 runs a second that the floor made when the goal was set. */
const AT_ONCE_MAX = 1.6

let count = 0

/** A run: a task in a new session, four calls of the model, three of a tool, an answer of 50 tokens, told as JSON. */
export const run: Case = {
  name: 'run',
  run: async (rounds) => {
    const sides = await startSides()
    const { ours, floor, stop } = sides
    const { oursOnce, floorOnce } = runsOf(sides)
    const alone = await measurePairs(
      rounds,
      () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, oursOnce),
      () => measureBlock(RUNS_PER_BLOCK, floor.cpuMs, floorOnce),
    )
    const crowd = await measurePairs(
      rounds,
      () => measureAtOnce(SESSIONS, RUNS_PER_SESSION, ours.cpuMs, oursOnce),
      () => measureAtOnce(SESSIONS, RUNS_PER_SESSION, floor.cpuMs, floorOnce),
    )
    await stop()
    return [
      resultOf('run: wall time', WALL_MAX, alone, ({ wallMs }) => wallMs),
      resultOf('run: processor time', CPU_MAX, alone, ({ cpuMs }) => cpuMs),
      resultOf(`run: wall time, ${SESSIONS} sessions at once`, AT_ONCE_MAX, crowd, ({ wallMs }) => wallMs, perSecond),
    ]
  },
}

function runsOf({ ours, floor }: Sides) {
  const oursOnce = async () => {
    const body = { task: TASKS.finish.text }
    return (await ask(`${ours.url}/v1/sessions`, { body }, /"status":"completed".*"model_calls":4\b/s)).wallMs
  }
  const floorOnce = async () =>
    (await ask(`${floor.url}/${++count}`, { body: { task: TASKS.reply.text } }, /word50/)).wallMs
  return { oursOnce, floorOnce }
}

const perSecond = (wallMs: number) => `${(1_000 / wallMs).toFixed(0)} runs/s`
