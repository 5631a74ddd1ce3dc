import * as z from 'zod'
import { teamDocument } from '../../support/team-document.ts'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { type Block, measureBlock, measurePairs } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'

const ROLES = 50
const RUNS_PER_BLOCK = 4
const RATIO_MAX = 1.3
const MESSAGES = { long: 2_000, short: 10 }

const made = z.looseObject({ id: z.string() })
const ended = z.looseObject({ status: z.literal('completed'), usage: z.looseObject({ model_calls: z.number() }) })

/** A round in which 50 roles act: with 2,000 messages on the bus (ours) and with 10 (floor), and with 50 roles that have news
 *  (ours) to 50 rounds in which one has (floor). */
export const team: Case = {
  name: 'team',
  run: async (rounds) => {
    const peers = await startPeers()
    const server = await startOurs(peers.url)
    const newTeam = async (messages: number): Promise<string> => {
      const config = { limits: { max_iterations: ROLES } }
      const body = teamDocument({ roles: ROLES, messages, instruction: TASKS.talk.text }, config)
      return made.parse(JSON.parse((await ask(`${server.url}/v1/sessions/import`, { body })).text)).id
    }
    const tell = async (id: string, body: object, calls: number) => {
      const { text, wallMs } = await ask(`${server.url}/v1/sessions/${id}/team/messages`, { body })
      if (ended.parse(JSON.parse(text)).usage.model_calls !== calls) throw new Error(`${calls} calls were expected`)
      return wallMs
    }
    const toAll = async (messages: number): Promise<Block> => {
      const id = await newTeam(messages)
      return measureBlock(RUNS_PER_BLOCK, server.cpuMs, () => tell(id, { content: 'go' }, ROLES))
    }
    const toEach = async (): Promise<Block> => {
      const id = await newTeam(MESSAGES.short)
      let wallMs = 0
      const block = await measureBlock(1, server.cpuMs, async () => {
        for (let role = 0; role < ROLES; role++)
          wallMs += await tell(id, { content: 'go', cause_by: 'Hint', send_to: [`Role${role}`] }, 1)
        return wallMs
      })
      return block
    }
    const history = await measurePairs(
      rounds,
      () => toAll(MESSAGES.long),
      () => toAll(MESSAGES.short),
    )
    const news = await measurePairs(rounds, () => toAll(MESSAGES.short), toEach)
    await server.stop()
    peers.stop()
    return [
      resultOf('round of 50 roles, 2,000 messages (to 10): wall time', RATIO_MAX, history, ({ wallMs }) => wallMs),
      resultOf('round of 50 roles, 2,000 messages (to 10): processor time', RATIO_MAX, history, ({ cpuMs }) => cpuMs),
      resultOf('round of 50 roles (to 50 of one): processor time', RATIO_MAX, news, ({ cpuMs }) => cpuMs),
    ]
  },
}
