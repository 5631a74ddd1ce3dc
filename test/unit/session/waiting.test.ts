import { describe, test } from 'vitest'
import type { SessionSummary } from '../../../src/domain/session.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { responseOf } from '../../support/play.ts'

const COUNT = 1_000
const TTL_MS = 3_600_000

/** A service that always wants to visit a page. Without a network, so that every timer there is belongs to a session. */
const visits = async () =>
  Response.json({
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'a',
              type: 'function',
              function: { name: 'web_access', arguments: '{"url":"https://example.com/"}' },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 10 },
  })

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

describe('a thousand sessions that wait for an approval', () => {
  test('hold no timer and no open request, and have one alarm each: at its expiry', async ({ expect }) => {
    const config = {
      models: {
        m: { api_url: 'https://model.example/v1', model: 'm', protocol: 'native' as const, retry: { times: 0 } },
      },
      default_model: 'm',
      limits: { approval_ttl_ms: TTL_MS },
    }
    const { engine } = createEngine(config, {
      publicFetch: visits,
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: 'Node.js',
    })
    const alarms = new Map<string, number>()
    const listed = new Map<string, SessionSummary>()
    const before = timers()
    const wait = async (number: number) => {
      const id = `ses_${number}`
      const kept: Promise<unknown>[] = []
      const session = new Session(
        {
          log: memoryLog(),
          now: Date.now,
          engine,
          compacts: true,
          alarm: { set: (time) => void alarms.set(id, time), clear: () => void alarms.delete(id) },
          directory: {
            put: async (_tenant, { summary }) => {
              listed.set(id, summary)
              return null
            },
            remove: async () => null,
          },
          outbox: null,
          keepAlive: (work) => void kept.push(work),
          destroy: async () => {},
          report: (error) => void kept.push(Promise.reject(error)),
        },
        NATIVE,
      )
      await session.create(id, 'default', { config: { llm: { stream: false } } }, { form: 'wait' })
      const { pending } = responseOf(await session.addMessage({ content: 'Look' }, { form: 'wait' }))
      await Promise.all(kept)
      expect(alarms.get(id)).toBe(Date.parse(pending[0]?.expires_time ?? ''))
      return session
    }
    const sessions = await Promise.all(Array.from({ length: COUNT }, (_, number) => wait(number)))
    expect(timers()).toBeLessThanOrEqual(before)
    expect(alarms.size).toBe(COUNT)
    expect([...listed.values()].every(({ status }) => status === 'interrupted')).toBe(true)
    expect(sessions.every(({ exists }) => exists)).toBe(true)
  })
})
