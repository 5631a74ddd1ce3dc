import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'

const RUNS_PER_BLOCK = 50
const RATIO_MAX = 1.1

/** A run of a skill (ours), and a plain session that does the same (floor): 4 model calls, 3 pages each. */
export const skill: Case = {
  name: 'skill',
  run: async (rounds) => {
    const peers = await startPeers()
    const server = await startOurs(peers.url)
    const post = async (path: string, body: unknown) => (await ask(`${server.url}${path}`, { body })).wallMs
    const runSkill = () => post('/v1/skills/web-research/run', { input: TASKS.pages.text })
    const runPlain = () => post('/v1/sessions', { task: TASKS.pages.text })
    const pairs = await measurePairs(
      rounds,
      () => measureBlock(RUNS_PER_BLOCK, server.cpuMs, runSkill),
      () => measureBlock(RUNS_PER_BLOCK, server.cpuMs, runPlain),
    )
    await server.stop()
    peers.stop()
    return [
      resultOf('skill run (to a plain session): wall time', RATIO_MAX, pairs, ({ wallMs }) => wallMs),
      resultOf('skill run (to a plain session): processor time', RATIO_MAX, pairs, ({ cpuMs }) => cpuMs),
    ]
  },
}
