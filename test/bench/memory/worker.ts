import { type Env, memoryObject } from '../../../src/objects/env.ts'
import { endedRun } from '../../support/ended-run.ts'

export { MemoryObject } from '../../../src/objects/memory-object.ts'

const RUNS_PER_SAVE = 500
const WORDS = 200

/** `/fill/COUNT` has the user COUNT remember so many rounds; `/load/COUNT` loads as many times as the query says. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url)
    const [, verb, user = ''] = url.pathname.split('/')
    const memory = memoryObject(env, 'default', user)
    if (verb === 'fill') {
      for (let from = 0; from < Number(user); from += RUNS_PER_SAVE) {
        const count = Math.min(RUNS_PER_SAVE, Number(user) - from)
        await memory.save(
          user,
          Array.from({ length: count }, (_, index) => round(from + index)),
        )
      }
    }
    const { rounds, tasks } = await memory.load('ses_of_no_round')
    return Response.json({ rounds: rounds.length, tasks: tasks.length })
  },
}

function round(number: number) {
  const said = (what: string) => `${what} ${number} `.repeat(WORDS / 2)
  return endedRun(number, { task: said('question'), result: said('答复') })
}
