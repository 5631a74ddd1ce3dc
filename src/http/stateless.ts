import { statelessInput } from '../domain/session-input.ts'
import type { StreamResponseData } from '../domain/session.ts'
import type { Spent } from '../domain/usage.ts'
import { engineOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { report } from '../objects/report.ts'
import { sessionWatch } from '../objects/telemetry.ts'
import { runStateless } from '../session/stateless.ts'
import { textStream } from '../lib/text-stream.ts'
import { originOf, payerOf, SSE_HEADERS, wantsEvents } from './answer.ts'
import { atOnce } from './middleware/at-once.ts'
import { needs } from './middleware/auth.ts'
import { body } from './middleware/body.ts'
import { factory } from './context.ts'
import { describe } from './openapi/describe.ts'
import { answeredOnce } from './middleware/idempotency.ts'
import { problem } from './problem.ts'

/** The stateless call of seed 001: a session comes in, its answer goes out, nothing is stored. */
export const stateless = factory.createApp().post(
  '/',
  describe({
    summary: 'Run a session that the caller keeps',
    audit: { action: 'agent.run' },
    body: statelessInput,
    answers: 'stateless_run',
    errors: ['no_user_message', 'session_completed', 'unpriced_model'],
  }),
  needs('run'),
  answeredOnce,
  body(statelessInput),
  atOnce,
  async (c) => {
    const ports = {
      engine: engineOf(c.env),
      now: Date.now,
      keepAlive: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
      report,
      watch: sessionWatch(c.executionCtx, c.env),
      tenant: c.get('principal').tenant,
      payer: payerOf(c),
      origin: originOf(c),
      rested: async () => await c.get('place')?.giveBack().catch(report),
      spend: (spent: Spent) => directoryObject(c.env, c.get('principal').tenant).spend(spent),
    }
    const answered = await runStateless(ports, c.req.valid('json'), wantsEvents(c) ? 'stream' : 'wait')
    if (!answered.ok) return problem(c, answered.error)
    return answered.value.form === 'stream'
      ? c.body(textStream(texts(answered.value.chunks)), 200, SSE_HEADERS)
      : c.json(answered.value.response)
  },
)

async function* texts(chunks: AsyncIterable<StreamResponseData | null>): AsyncGenerator<string, void, void> {
  for await (const chunk of chunks) yield chunk === null ? ': beat\n\n' : `data: ${JSON.stringify(chunk)}\n\n`
}
