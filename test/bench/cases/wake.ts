import { startScriptedModel } from '../../support/scripted-model.ts'
import { MortalServer } from '../../chaos/server.ts'
import { ask } from '../harness/request.ts'
import { ms, type Case } from '../harness/result.ts'
import { median } from '../harness/rounds.ts'

const WAKE_MS_MAX = 5_000
const ROUNDS_MAX = 5

/** From the restart of a server that was killed in the middle of a model call to the same call made again; nobody asks for it. */
export const wake: Case = {
  name: 'wake',
  run: async (rounds) => {
    const times: number[] = []
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) times.push(await wakeOnce())
    const longest = Math.max(...times)
    return [
      {
        name: 'wake after a restart (to its limit)',
        ours: ms(median(times)),
        floor: ms(WAKE_MS_MAX),
        ratio: longest / WAKE_MS_MAX,
        spread: [Math.min(...times) / WAKE_MS_MAX, longest / WAKE_MS_MAX],
        goal: 1,
      },
    ]
  },
}

async function wakeOnce(): Promise<number> {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let requests = 0
  const model = await startScriptedModel({
    script: [{ hang: true }, { content: 'Done.' }],
    onRequest: () => asked[requests++]?.resolve(),
  })
  const config = { models: { m: { api_url: model.url, model: 'm' } }, default_model: 'm' }
  const server = await MortalServer.start(config, () => {})
  const cut = ask(`${server.url}/v1/sessions`, { body: { task: 'Wait' } }).catch(() => null)
  await asked[0]?.promise
  const restarted = server.restart().then(() => performance.now())
  await Promise.all([cut, asked[1]?.promise])
  const waitedMs = performance.now() - (await restarted)
  await server.stop()
  await model.close()
  return waitedMs
}
