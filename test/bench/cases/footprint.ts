import { startSides } from '../harness/sides.ts'
import { ask, type Answered } from '../harness/request.ts'
import type { Case, Ratio } from '../harness/result.ts'
import { median } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import type { Workerd } from '../harness/workerd.ts'

const SESSIONS = 500
/** So few that none is put away before the last one is made: what is put away takes less. */
const ON_DISK = 50
const AT_ONCE = 16
const ROUNDS_MAX = 2
const KB = 1_000
/** Ours by what the floor had when the goals were set: 300 of 224 MB, 80 of 40 KB, 90 of 64 KB. */
const GOALS = { memory: 1.34, written: 2, kept: 1.41 }

interface Footprint {
  memoryMb: number
  writtenKb: number
  keptKb: number
}

/** What 500 sessions of one run each take: memory of the process while they are new, bytes written to the disk and kept there a session.
 *  What is written for the tenant is among it. */
export const footprint: Case = {
  name: 'footprint',
  run: async (rounds) => {
    const pairs: { ours: Footprint; floor: Footprint }[] = []
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) {
      const { ours, floor, stop } = await startSides()
      pairs.push({
        ours: await footprintOf(ours, () => ask(`${ours.url}/v1/sessions`, { body: { task: TASKS.finish.text } })),
        floor: await footprintOf(floor, (n) => ask(`${floor.url}/${n}`, { body: { task: TASKS.reply.text } })),
      })
      await stop()
    }
    const row = (name: string, of: (one: Footprint) => number, unit: string, goal: number): Ratio => {
      const ratios = pairs.map(({ ours, floor }) => of(ours) / of(floor)).toSorted((a, b) => a - b)
      const shown = (values: number[]) => `${median(values).toFixed(0)} ${unit}`
      return {
        name,
        ours: shown(pairs.map(({ ours }) => of(ours))),
        floor: shown(pairs.map(({ floor }) => of(floor))),
        ratio: median(ratios),
        spread: [ratios[0] ?? NaN, ratios.at(-1) ?? NaN],
        goal,
      }
    }
    return [
      row(`${SESSIONS} sessions: memory`, ({ memoryMb }) => memoryMb, 'MB', GOALS.memory),
      row('a session of one run: written', ({ writtenKb }) => writtenKb, 'KB', GOALS.written),
      row('a session of one run: kept', ({ keptKb }) => keptKb, 'KB', GOALS.kept),
    ]
  },
}

async function footprintOf(server: Workerd, run: (n: number) => Promise<Answered>): Promise<Footprint> {
  let n = 0
  await run(n)
  const before = server.diskBytes()
  let answered = 0
  while (n < ON_DISK) answered += Buffer.byteLength((await run(++n)).text)
  const after = server.diskBytes()
  const oneAfterTheOther = async () => {
    while (n < SESSIONS) await run(++n)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther))
  const aSession = (bytes: number) => bytes / ON_DISK / KB
  return {
    memoryMb: server.memoryMb().now,
    // Answers are written to sockets by calls that are counted with those to files.
    writtenKb: aSession(after.written - before.written - answered),
    keptKb: aSession(after.kept - before.kept),
  }
}
