import { describe, test } from 'vitest'
import type { Fetch } from '../../../src/domain/ports.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { createModels } from '../../../src/models/try.ts'
import { serverConfigWith } from '../../../src/domain/server-config.ts'
import { PROVIDER_NAMES, PROVIDERS, serverConfig } from '../../../src/models/providers.ts'
import { runStateless } from '../../../src/session/stateless.ts'
import { sleep } from '../../../src/lib/wait.ts'
import { parrot } from '../../support/parrot/parrot.ts'
import { failureIn, replyOf, specFor, tryCall, WEB_ACCESS } from './call.ts'
import { TEST_SECRET } from '../../support/test-secret.ts'

/** What the registry would be with one line more. */
const providers = { ...PROVIDERS, parrot }
const spec = specFor('https://parrot.example/', { retry: { times: 1 } }, { provider: 'parrot' })

/** A service that answers with these texts, one a request; and what it was asked. */
function service(...answers: string[]) {
  const asked: string[] = []
  const ask: Fetch = async (_url, init) => {
    asked.push(typeof init?.body === 'string' ? init.body : '')
    return new Response(answers[asked.length - 1] ?? 'busy')
  }
  return { asked, fetchFor: () => ask }
}

describe('a provider that is added with its folder and one line', () => {
  test('is one that a config may name; without the line it is refused', ({ expect }) => {
    const config = { models: { polly: { provider: 'parrot' } } }
    expect(serverConfigWith(Object.keys(providers)).safeParse(config).success).toBe(true)
    expect(serverConfig.safeParse(config).error?.issues).toMatchObject([
      { path: ['models', 'polly', 'provider'], message: expect.stringContaining('built-in') },
    ])
    expect(PROVIDER_NAMES).not.toContain('parrot')
  })

  test('is asked in its own wire, and its text is heard as it comes', async ({ expect }) => {
    const { asked, fetchFor } = service('say Hello\nsay , there')
    const trial = await tryCall(spec, {}, { providers, fetchFor })
    expect(asked).toEqual(['user 你好'])
    expect(trial.told).toEqual({ content: 'Hello, there', reasoning: '', pieces: 2 })
    expect(replyOf(trial)).toMatchObject({ content: 'Hello, there', stopReason: 'stop' })
  })

  test('is offered tools and calls them', async ({ expect }) => {
    const { asked, fetchFor } = service('call web_access {"url":"https://a.example/"}')
    const trial = await tryCall(spec, { tools: [WEB_ACCESS] }, { providers, fetchFor })
    expect(asked).toEqual(['user 你好\ntool web_access'])
    expect(replyOf(trial).toolCalls).toEqual([
      { id: 'parrot_0', name: 'web_access', arguments: '{"url":"https://a.example/"}' },
    ])
  })

  test('is tried again when it fails, and its last failure is the outcome', async ({ expect }) => {
    const { asked, fetchFor } = service('busy', 'busy')
    const trial = await tryCall(spec, {}, { providers, fetchFor })
    expect(failureIn(trial)).toMatchObject({ code: 'model_unavailable', detail: 'The parrot is busy.' })
    expect(asked).toHaveLength(2)
  })

  test('does a whole task', async ({ expect }) => {
    const { asked, fetchFor } = service('busy', 'say Thinking.\ncall finish {"reason":"42"}')
    const { engine } = createEngine(
      {},
      {
        publicFetch: fetch,
        privateFetch: null,
        models: { secret: () => undefined, workersAi: false },
        workersAi: null,
        runtime: 'test',
      },
    )
    const models = createModels({ providers, fetchFor, sleep, random: () => 0, now: Date.now })
    const ports = {
      engine: { ...engine, models, chooseModel: () => ({ ok: true as const, spec }) },
      now: Date.now,
      secret: async () => TEST_SECRET,
      keepAlive: () => {},
      report: (error: unknown) => console.error(error),
    }
    const answered = await runStateless(ports, { messages: [{ role: 'user', content: '你好' }], config: {} }, 'wait')
    expect(answered).toMatchObject({ ok: true, value: { response: { status: 'completed', result: '42' } } })
    expect(asked).toHaveLength(2)
  })
})
