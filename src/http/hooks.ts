import type { Context } from 'hono'
import { tenantOfHook } from '../domain/webhook.ts'
import type { AppError, Result } from '../domain/errors.ts'
import { triggerObject } from '../objects/env.ts'
import type { Received } from '../triggers/deliveries.ts'
import { servedToAll } from './middleware/auth.ts'
import { bodyBytes } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { describe } from './openapi/describe.ts'
import { problem } from './problem.ts'
import { REPLAYED } from './middleware/replayed.ts'

/** Where webhooks are sent to. They carry their own proof; an id that there is not looks like any other, and writes nothing. */
export const hooks = factory
  .createApp()

  .post(
    '/:id',
    describe({
      summary: 'Deliver a webhook: starts its run, once',
      id: 'deliverWebhook',
      returns: 'Received',
      status: [200, 202],
      errors: ['bad_signature', 'webhook_disabled', 'queue_full', 'unpriced_model', 'not_configured'],
      open: "The proof is that of the webhook's scheme, such as its signature.",
      takesBytes: true,
      audit: { action: 'webhook.deliver' },
    }),
    servedToAll,
    async (c) => {
      const id = c.req.param('id')
      const tenant = tenantOfHook(id)
      if (tenant === null) return problem(c, UNKNOWN)
      const bytes = await bodyBytes(c)
      if (!bytes.ok) return problem(c, bytes.error)
      const headers = Object.fromEntries(c.req.raw.headers)
      const result = await triggerObject(c.env, tenant).receive(id, headers, bytes.value)
      if (isWorthTelling(result)) c.set('principal', { kind: 'trigger', id, tenant, scopes: [] })
      return answer(c, result)
    },
  )

const UNKNOWN: AppError = { code: 'not_found', what: 'webhook' }

/** The audit hears of what started a run, and of who could not prove to be the sender. */
function isWorthTelling(result: Result<Received>): boolean {
  return result.ok ? result.value.outcome === 'accepted' : result.error.code === 'bad_signature'
}

function answer(c: Context<AppEnv>, result: Result<Received>): Response {
  if (!result.ok) return problem(c, result.error)
  const { value } = result
  if (value.outcome === 'answered') return c.json(value.body)
  if (value.outcome === 'ignored')
    return c.json({ session_id: null, run_id: null, ignored: true, reason: value.reason }, 202)
  c.header('location', `/v1/sessions/${value.sessionId}`)
  if (value.repeated) c.header(REPLAYED, 'true')
  return c.json({ session_id: value.sessionId, run_id: value.runId }, 202)
}
