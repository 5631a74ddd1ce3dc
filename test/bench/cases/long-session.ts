import * as z from 'zod'
import { longDocument } from '../../support/long-document.ts'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs, type Block } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'

const RUNS_PER_BLOCK = 10
const WALL_MAX = 1.3
const MESSAGES = { long: 3_000, short: 10 }

const made = z.looseObject({ id: z.string() })

/** Runs in a session of 3,000 earlier messages (ours), summarised but for the newest, and in one of 10 (floor). Each block has
 *  a session of its own; rows and bytes are counted in test/worker/session/long-cost.test.ts. */
export const longSession: Case = {
  name: 'long-session',
  run: async (rounds) => {
    const peers = await startPeers()
    const server = await startOurs(peers.url)
    const block = async (messages: number): Promise<Block> => {
      const { text } = await ask(`${server.url}/v1/sessions/import`, { body: longDocument(messages, {}) })
      const { id } = made.parse(JSON.parse(text))
      const once = async () =>
        (await ask(`${server.url}/v1/sessions/${id}/messages`, { body: { content: TASKS.pages.text } })).wallMs
      return measureBlock(RUNS_PER_BLOCK, server.cpuMs, once)
    }
    const pairs = await measurePairs(
      rounds,
      () => block(MESSAGES.long),
      () => block(MESSAGES.short),
    )
    await server.stop()
    peers.stop()
    return [
      resultOf('3,000 messages (to 10): wall time', WALL_MAX, pairs, ({ wallMs }) => wallMs),
      resultOf('3,000 messages (to 10): processor time', WALL_MAX, pairs, ({ cpuMs }) => cpuMs),
    ]
  },
}
