import { describe, test } from 'vitest'
import { NATIVE } from '../../../src/http/projections.ts'
import { sessionPorts } from '../../../src/objects/session-ports.ts'
import { asInvocation, countedFetch } from '../../../src/objects/subrequests.ts'
import { Session } from '../../../src/session/session.ts'
import { WORDS } from '../../support/words.ts'
import { stage } from '../http/http.ts'
import { env, within } from './worker-home.ts'

const words = WORDS.en
const TURNS = 12

describe('an invocation', () => {
  test('rests before the bound of the platform, and the next goes on with the run', async ({ expect }) => {
    const thoughts = Array.from({ length: TURNS }, (_, index) => words.rethink(`Thought ${index}`))
    const { model, config } = await stage([...thoughts, words.finish('done')])
    const bounded = {
      ...env,
      YAA_CONFIG: JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), subrequests_max: 8 }),
    }
    const told = await within('ses_bounded', async (_object, state) => {
      let due: number | null = null
      const alarm = { set: (time: number) => void (due = time), clear: () => void (due = null) }
      const session = new Session({ ...sessionPorts(state, bounded), alarm }, NATIVE)
      const input = { task: 'Think', config: { ...config, limits: { max_iterations: TURNS + 1 } } }
      await session.create('ses_bounded', 'default', input, { form: 'background' })
      const status = () => {
        const head = session.head()
        return head.ok ? head.value.status : head.error.code
      }
      const asked: number[] = []
      while (status() === 'in_progress') {
        expect(due).toBeLessThanOrEqual(Date.now())
        await session.wake()
        asked.push((await model.asked()).length)
      }
      return { asked, status: status() }
    })
    const each = told.asked.map((count, index) => count - (told.asked[index - 1] ?? 0))
    expect(told.status).toBe('completed')
    expect(told.asked.at(-1)).toBe(TURNS + 1)
    expect(Math.max(...each)).toBeLessThanOrEqual(4)
  })

  test('counts its own requests only, whatever runs beside it', async ({ expect }) => {
    const nowhere = countedFetch(async () => new Response())
    const send = async (times: number) => {
      for (let sent = 0; sent < times; sent++) await nowhere('https://a.example', {})
    }
    const ends = [2, 3].map((times) => asInvocation(3, async (isSpent) => send(times).then(isSpent)))
    expect(await Promise.all(ends)).toEqual([false, true])
  })
})
