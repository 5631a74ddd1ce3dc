import { describe, test } from 'vitest'
import { NATIVE } from '../../../src/http/projections.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import type { CallOptions } from '../../../src/session/call.ts'
import { Session } from '../../../src/session/session.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { TESTER } from '../../support/home.ts'
import { errorOf, responseOf } from '../../support/play.ts'

const WAIT = { form: 'wait', decider: TESTER } satisfies CallOptions
const FULL = { code: 'too_many', what: "bytes of a tenant's sessions", max: 1 } as const
const VISIT = { name: 'web_access', arguments: '{"url":"https://example.com/"}' }
const FINISH = { name: 'finish', arguments: '{"reason":"Done."}' }

const call = (called: typeof VISIT) => ({
  choices: [
    {
      message: { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: called }] },
      finish_reason: 'tool_calls',
    },
  ],
})

/** A session whose model makes these calls, in a tenant that has no room once `isFull` is set. */
async function sessionThat(...calls: (typeof VISIT)[]) {
  const left = [...calls]
  const model = { api_url: 'https://model.example/v1', model: 'm', protocol: 'native' as const, retry: { times: 0 } }
  const { engine } = createEngine(
    { models: { m: model }, default_model: 'm' },
    {
      publicFetch: async () => Response.json(call(left.shift() ?? FINISH)),
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: 'Node.js',
    },
  )
  const tenant = { isFull: false }
  const session = new Session(
    {
      log: memoryLog(),
      now: Date.now,
      engine,
      compacts: true,
      alarm: { set: () => {}, clear: () => {} },
      directory: { put: async () => null, remove: async () => null },
      outbox: null,
      room: { bytes: () => 1, heard: () => {}, refusal: async () => (tenant.isFull ? FULL : null) },
      keepAlive: () => {},
      destroy: async () => {},
      report: (error) => {
        throw error
      },
    },
    NATIVE,
  )
  await session.create('ses_1', 'default', { config: { llm: { stream: false } } }, WAIT)
  return { session, tenant }
}

describe('a session in a tenant without room', () => {
  test('answers a keyed message again as it did, and takes no other', async ({ expect }) => {
    const { session, tenant } = await sessionThat(FINISH)
    const keyed = { ...WAIT, key: 'k', fingerprint: 'f' }
    const first = responseOf(await session.addMessage({ content: 'Look' }, keyed))
    tenant.isFull = true
    const again = await session.addMessage({ content: 'Look' }, keyed)
    expect(responseOf(again)).toEqual(first)
    expect(again).toMatchObject({ value: { replayed: true } })
    expect(await errorOf(session.addMessage({ content: 'Look' }, { ...keyed, key: 'l' }))).toEqual(FULL)
    expect(await errorOf(session.sendTeamMessage({ content: 'Look' }, { ...keyed, key: 'l' }))).toEqual(FULL)
  })

  test('takes the message that decides on what waits, and no task of a trigger', async ({ expect }) => {
    const { session, tenant } = await sessionThat(VISIT, FINISH)
    const waiting = responseOf(await session.addMessage({ content: 'Look' }, WAIT))
    expect(waiting.status).toBe('interrupted')
    tenant.isFull = true
    const triggered = { ...WAIT, whenBusy: 'queue', triggered: { untrusted: false } } as const
    expect(await errorOf(session.addMessage({ content: 'Look' }, triggered))).toEqual(FULL)
    const decided = responseOf(await session.addMessage({ content: 'Do not.' }, WAIT))
    expect(decided).toMatchObject({ run_id: waiting.run_id, status: 'completed' })
    expect(await errorOf(session.addMessage({ content: 'Look' }, WAIT))).toEqual(FULL)
  })
})
