import { fail, ok, type Result } from '../domain/errors.ts'
import { newHookId, newWebhook, secretRotation, type Webhook, webhookPatch, webhookTest } from '../domain/webhook.ts'
import { serverOf } from '../objects/engine.ts'
import { triggerObject } from '../objects/env.ts'
import { checkStart } from '../session/commands/create.ts'
import { webhookDeliveryView, webhookTrialView } from '../triggers/view.ts'
import { patchedWebhook, webhookView, webhookFrom } from '../triggers/webhook-spec.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { deliveryListQuery, pageOf, webhookListQuery } from './queries.ts'
import { type Call, json, lastId, nothing, page, query, route } from './route.ts'

/** Ids of other tenants are none here. */
const triggers = ({ c, tenant }: Call<unknown>) => triggerObject(c.env, tenant)

/** Webhooks that start runs. What comes to them is in hooks.ts. */
export const webhooks = factory
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
        const made = webhookFrom(input, newHookId(tenant, Date.now()), Date.now())
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
  const { engine } = serverOf(c.env)
  const refused = await checkStart(engine, tenant, { ...given.with, task: given.taskTemplate })
  return refused ? fail(refused) : ok(given)
}

/** A webhook without its secret. */
function shown({ c }: Call<unknown>, one: Webhook) {
  const base = serverOf(c.env).config.public_url?.replace(/\/+$/, '') ?? new URL(c.req.url).origin
  return webhookView(one, base, Date.now())
}
