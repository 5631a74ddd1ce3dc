import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { newWebhook, secretRotation, type Webhook, webhookPatch, webhookTest } from '../domain/webhook.ts'
import type { Engine } from '../engine/engine.ts'
import { serverFor } from '../objects/engine.ts'
import { triggerObject } from '../objects/env.ts'
import { checkStart } from '../session/commands/create.ts'
import { webhookDeliveryView, webhookTrialView } from '../triggers/view.ts'
import { patchedWebhook, webhookFrom, webhookView } from '../triggers/webhook-spec.ts'
import { serviceOf } from './caller.ts'
import { type AppEnv, factory, originOf, problem } from './context.ts'
import { described, listOf } from './openapi/describe.ts'
import { deliveryListQuery, pageOf, webhookListQuery } from './queries.ts'
import { type Call, json, lastId, nothing, page, query, route } from './route.ts'
import { newHookId } from '../access/marks.ts'
import { end } from '../service/audit.ts'
import { tenantOfDelivery } from '../service/given-out.ts'
import type { Principal } from '../service/caller.ts'
import type { Received } from '../triggers/deliveries.ts'
import { bodyBytes } from './body.ts'
import { REPLAYED } from './idempotency.ts'
import type { Context } from 'hono'

/** Ids of other tenants are none here. */
const triggers = ({ c, tenant }: Call<unknown>) => triggerObject(c.env, tenant)

/** Webhooks that start runs. What comes to them is in hooks.ts. */
export const webhookRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Webhooks of the tenant, newest first',
        scope: 'read',
        reads: query(webhookListQuery),
        returns: listOf('Webhook'),
      },
      async (call) => {
        const found = await triggers(call).webhooks(pageOf(call.input))
        return ok(page(found, call.input.limit, lastId, (one) => shown(call, one)))
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Add a webhook; a secret that is made for it is in this answer and never again',
        scope: 'admin',
        reads: json(newWebhook),
        returns: 'Webhook',
        status: [201],
        errors: ['too_many', 'unpriced_model'],
        audit: { action: 'webhook.create' },
      },
      async (call) => {
        const { input, tenant } = call
        const now = Date.now()
        const made = webhookFrom(input, await newHookId(await serviceOf(call.c).secret(), tenant, now), now)
        const checked = made.ok ? await startable(call, made.value) : made
        if (!checked.ok) return checked
        const kept = await triggers(call).addWebhook(tenant, checked.value, call.key)
        if (!kept.ok) return kept
        const { id, secret } = kept.value
        const isMade = id === checked.value.id && input.secret === undefined
        const answer = { body: shown(call, kept.value), location: `/v1/webhooks/${id}`, status: 201 } as const
        return ok(isMade ? { ...answer, secret: { secret } } : answer)
      },
    ),
  )

  .get(
    '/:id',
    route({ summary: 'A webhook', scope: 'read', reads: nothing, returns: 'Webhook' }, async (call) => {
      const found = await triggers(call).webhook(call.param('id'))
      return found.ok ? ok({ body: shown(call, found.value) }) : found
    }),
  )

  .patch(
    '/:id',
    route(
      {
        summary:
          'Change a webhook; a new secret takes over at once, the present one holds on for a day or previous_secret_ms',
        scope: 'admin',
        reads: json(webhookPatch),
        returns: 'Webhook',
        errors: ['unpriced_model'],
        audit: { action: 'webhook.update', fields: true },
      },
      async (call) => {
        const known = await triggers(call).webhook(call.param('id'))
        const changed = known.ok ? patchedWebhook(known.value, call.input, Date.now()) : known
        const checked = changed.ok ? await startable(call, changed.value) : changed
        const kept = checked.ok ? await triggers(call).patchWebhook(call.param('id'), call.input) : checked
        return kept.ok ? ok({ body: shown(call, kept.value) }) : kept
      },
    ),
  )

  .delete(
    '/:id',
    route(
      {
        summary: 'Delete a webhook and its log; its sessions stay',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'webhook.delete' },
      },
      async (call) => {
        const removed = await triggers(call).removeWebhook(call.param('id'))
        return removed.ok ? ok({}) : removed
      },
    ),
  )

  .post(
    '/:id/rotate',
    route(
      {
        summary: 'Replace the secret: both hold for a while',
        scope: 'admin',
        reads: json(secretRotation),
        returns: 'Webhook',
        audit: { action: 'webhook.rotate' },
      },
      async (call) => {
        const before = await triggers(call).webhook(call.param('id'))
        if (!before.ok) return before
        const rotated = await triggers(call).rotateWebhook(call.param('id'), call.input, call.key)
        if (!rotated.ok) return rotated
        const { secret } = rotated.value
        const isMade = call.input.secret === undefined && secret !== before.value.secret
        return ok({ body: shown(call, rotated.value), secret: isMade ? { secret } : {} })
      },
    ),
  )

  .get(
    '/:id/deliveries',
    route(
      {
        summary: 'What came, what it did and why not, newest first',
        scope: 'read',
        reads: query(deliveryListQuery),
        returns: listOf('WebhookDelivery'),
      },
      async (call) => {
        const found = await triggers(call).deliveries(call.param('id'), pageOf(call.input))
        return found.ok ? ok(page(found.value, call.input.limit, lastId, webhookDeliveryView)) : found
      },
    ),
  )

  .post(
    '/:id/test',
    route(
      {
        summary: 'Say what a delivery would do; with run it does it',
        scope: 'admin',
        reads: json(webhookTest),
        returns: 'WebhookTrial',
        audit: { action: 'webhook.test' },
      },
      async (call) => {
        const tried = await triggers(call).testWebhook(call.param('id'), call.input, call.key)
        return tried.ok ? ok({ body: webhookTrialView(tried.value) }) : tried
      },
    ),
  )

/** The webhook, if a session that it makes could be made now. */
async function startable({ c, tenant }: Call<unknown>, given: Webhook): Promise<Result<Webhook>> {
  const { engine } = await serverFor(c.env, tenant)
  const { workflow, inputs, ...others } = given.with
  // What the workflow is given is known once a delivery comes.
  const input = workflow === undefined ? { ...given.with, task: given.taskTemplate } : { ...others, workflow }
  const refused = await checkStart(engine, tenant, input)
  if (refused) return fail(refused)
  const issues = workflow === undefined ? [] : await givenIssues(engine, tenant, { workflow, inputs })
  return issues.length > 0 ? invalid(issues) : ok(given)
}

async function givenIssues(engine: Engine, tenant: string, { workflow = '', inputs }: Webhook['with']) {
  const { templateIssues } = await import('../orchestrators/workflow/inputs.ts')
  const stored = await engine.workflows(tenant, workflow, 'en')
  return stored ? templateIssues(stored.definition, inputs ?? null) : []
}

/** A webhook without its secret. */
function shown({ c }: Call<unknown>, one: Webhook) {
  return webhookView(one, originOf(c), Date.now())
}

const DELIVER = 'webhook.deliver'

/** Where webhooks are sent to. They carry their own proof; an id that there is not looks like any other, and writes nothing. */
export const hookRoutes = factory.createApp().post(
  '/:id',
  described(
    {
      summary: 'Deliver a webhook: starts its run, once',
      id: 'deliverWebhook',
      returns: 'Received',
      status: [200, 202],
      errors: ['bad_signature', 'webhook_disabled', 'queue_full', 'unpriced_model', 'too_many'],
      open: "The proof is that of the webhook's scheme, such as its signature.",
      takesBytes: true,
      audit: { action: DELIVER },
    },
    async (c) => {
      const id = c.req.param('id') ?? ''
      const tenant = await tenantOfDelivery(serviceOf(c), id)
      const result = tenant === null ? UNKNOWN : await received(c, tenant, id)
      const response = senderAnswer(c, result)
      if (tenant !== null && isWorthTelling(result))
        await recordDelivery(c, { kind: 'trigger', id, tenant, scopes: [] }, response, hasBegun(result))
      return response
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
async function recordDelivery(
  c: Context<AppEnv>,
  sender: Principal,
  { status, headers }: Response,
  began: boolean,
): Promise<void> {
  c.set('principal', sender)
  const sessionId = headers.get('location')?.split('/').at(-1)
  const details = sessionId === undefined ? {} : { made: sessionId }
  const act = { action: DELIVER, target: sender.id, requestId: c.get('requestId'), details }
  const how = { status, code: c.get('refusal')?.code, replayed: headers.has(REPLAYED) && !began }
  await end(serviceOf(c), sender, null, act, how)
}

/** The audit hears of what started a run, and of who could not prove to be the sender. */
function isWorthTelling(result: Result<Received>): boolean {
  return result.ok ? result.value.outcome === 'accepted' : result.error.code === 'bad_signature'
}

/** Whether a delivery started its run, though it came again: where it came first its process died. */
const hasBegun = (result: Result<Received>): boolean =>
  result.ok && result.value.outcome === 'accepted' && result.value.began

function senderAnswer(c: Context<AppEnv>, result: Result<Received>): Response {
  if (!result.ok) return problem(c, result.error)
  const { value } = result
  if (value.outcome === 'answered') return c.json(value.body)
  if (value.outcome === 'ignored')
    return c.json({ id: null, session_id: null, run_id: null, ignored: true, reason: value.reason }, 202)
  c.header('location', `/v1/sessions/${value.sessionId}`)
  if (value.repeated) c.header(REPLAYED, 'true')
  return c.json({ id: value.sessionId, session_id: value.sessionId, run_id: value.runId }, 202)
}
