import type { Context } from 'hono'
import type * as z from 'zod'
import { inputWords } from '../domain/content-input.ts'
import { ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { inRequestLanguage } from './language.ts'
import { statelessInput } from '../domain/session-input.ts'
import type { Engine } from '../engine/engine.ts'
import { textStream } from '../lib/streams.ts'
import { serverFor } from '../objects/engine.ts'
import { report } from '../objects/report.ts'
import { sessionWatch } from '../objects/telemetry.ts'
import { AGENT, type AgentPorts, runAgent } from '../service/agent.ts'
import { frameTexts } from '../session/queries/projection.ts'
import { shownResponse } from './money.ts'
import { inPlace, wantsEvents } from './route.ts'
import { callerOf, serviceOf } from './caller.ts'
import { type AppEnv, factory, problem } from './context.ts'
import { jsonWithParts } from './body.ts'
import { again, idempotencyOf, keptUnder } from './idempotency.ts'
import { described } from './openapi/describe.ts'
import { statelessStream } from './projections.ts'
import { TenantLists } from '../objects/tenant-lists.ts'

/** The stateless call of seed 001: a session comes in, its answer goes out, nothing is stored. */
export const statelessRoutes = factory.createApp().post(
  '/',
  described(
    {
      summary: 'Run a session that the caller keeps',
      scope: AGENT.scope,
      body: statelessInput,
      answers: 'stateless_run',
      errors: ['no_user_message', 'session_completed', 'unpriced_model'],
      audit: { action: AGENT.action },
    },
    runOnce,
  ),
)

function runOnce(c: Context<AppEnv>): Promise<Response> {
  const mayStream = wantsEvents(c)
  return inPlace(c, mayStream, async ({ taken, streamed }) => {
    const { engine } = await serverFor(c.env, c.get('principal').tenant)
    const done = await runAgent(serviceOf(c), portsOf(c, engine), callerOf(c), {
      id: c.get('requestId'),
      idempotency: idempotencyOf(c, LIMITS.parts.bodyBytesMax),
      read: async () => {
        const input = await taken(() => jsonWithParts(c, statelessInput))
        return input.ok ? ok(inRequestLanguage(c, input.value, wordsOf(input.value))) : input
      },
      form: mayStream ? 'stream' : 'wait',
    })
    if (!done.ok) return problem(c, done.error)
    if (done.value.stored) return again(c, done.value.stored)
    const {
      done: { answer },
      key,
    } = done.value
    const response =
      answer.form === 'wait'
        ? c.json(shownResponse(answer.response))
        : streamed(textStream(frameTexts(answer.observed, statelessStream(answer.about), { goesAhead: false })))
    return key === null ? response : keptUnder(c, key, response)
  })
}

/** What the user said last, which is what is answered. */
function wordsOf({ messages }: z.infer<typeof statelessInput>): string {
  return inputWords(messages.findLast(({ role }) => role === 'user')?.content ?? '')
}

function portsOf(c: Context<AppEnv>, engine: Engine): AgentPorts {
  const { tenant } = c.get('principal')
  return {
    engine,
    now: Date.now,
    keepAlive: (work) => c.executionCtx.waitUntil(work),
    report,
    watch: sessionWatch(c.executionCtx, c.env),
    spend: (spent) => new TenantLists(c.env, tenant).spend(spent),
  }
}
