import type { Context } from 'hono'
import { tenantOfHook } from '../domain/webhook.ts'
import { fail, type Result } from '../domain/errors.ts'
import { triggerObject } from '../objects/env.ts'
import { end } from '../service/audit.ts'
import type { Principal } from '../service/caller.ts'
import type { Received } from '../triggers/deliveries.ts'
import { bodyBytes } from './body.ts'
import { type AppEnv, factory, problem, serviceOf } from './context.ts'
import { REPLAYED } from './idempotency.ts'
import { servedToAll } from './middleware/auth.ts'
import { described } from './openapi/describe.ts'

const ACTION = 'webhook.deliver'

/** Where webhooks are sent to. They carry their own proof; an id that there is not looks like any other, and writes nothing. */
export const hooks = factory.createApp().post(
  '/:id',
  servedToAll,
  described(
    {
      summary: 'Deliver a webhook: starts its run, once',
      id: 'deliverWebhook',
      returns: 'Received',
      status: [200, 202],
      errors: ['bad_signature', 'webhook_disabled', 'queue_full', 'unpriced_model', 'not_configured'],
      open: "The proof is that of the webhook's scheme, such as its signature.",
      takesBytes: true,
      audit: { action: ACTION },
    },
    async (c) => {
      const id = c.req.param('id') ?? ''
      const tenant = tenantOfHook(id)
      const result = tenant === null ? UNKNOWN : await received(c, tenant, id)
      const shown = answer(c, result)
      if (tenant !== null && isWorthTelling(result)) await tell(c, { kind: 'trigger', id, tenant, scopes: [] }, shown)
      return shown
    },
  ),
)

const UNKNOWN = fail({ code: 'not_found', what: 'webhook' })

async function received(c: Context<AppEnv>, tenant: string, id: string): Promise<Result<Received>> {
  const bytes = await bodyBytes(c)
  if (!bytes.ok) return bytes
  const headers = Object.fromEntries(c.req.raw.headers)
  return triggerObject(c.env, tenant).receive(id, headers, bytes.value)
}

/** Tells the audit who delivered: what shows a proof is somebody only now. */
async function tell(c: Context<AppEnv>, sender: Principal, { status, headers }: Response): Promise<void> {
  c.set('principal', sender)
  const sessionId = headers.get('location')?.split('/').at(-1)
  const details = sessionId === undefined ? {} : { made: sessionId }
  const act = { action: ACTION, target: sender.id, requestId: c.get('requestId'), details }
  const how = { status, code: c.get('refusal'), replayed: headers.has(REPLAYED) }
  await end(serviceOf(c), sender, null, act, how)
}

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
