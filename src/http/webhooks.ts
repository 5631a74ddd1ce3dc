import type { Context } from 'hono'
import { fail, ok, type Result } from '../domain/errors.ts'
import { newHookId, newWebhook, secretRotation, type Webhook, webhookPatch, webhookTest } from '../domain/webhook.ts'
import type { TriggerApi } from '../objects/api.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject, triggerObject } from '../objects/env.ts'
import { checkStart } from '../session/commands/check-start.ts'
import { shownDelivery, shownTrial } from '../triggers/shown.ts'
import { patchedWebhook, shownWebhook, webhookFrom } from '../triggers/webhook-spec.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { type AppEnv, factory } from './context.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, doneWith } from './middleware/idempotency.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { deliveryListQuery, paged, pageOf, webhookListQuery } from './trigger-page.ts'

/** Webhooks that start runs. What comes to them is in hooks.ts. */
export const webhooks = factory
  .createApp()

  .get(
    '/',
    describe({ summary: 'Webhooks of the tenant, newest first', returns: listOf('Webhook'), query: webhookListQuery }),
    needs('read'),
    query(webhookListQuery),
    async (c) => {
      const asked = c.req.valid('query')
      const { data, next } = paged(await triggers(c).webhooks(pageOf(asked)), asked.limit)
      return list(
        c,
        data.map((one) => shown(c, one)),
        next,
      )
    },
  )

  .post(
    '/',
    describe({
      summary: 'Add a webhook; a secret that is made for it is in this answer and never again',
      body: newWebhook,
      returns: 'Webhook',
      status: [201],
      errors: ['too_many', 'unpriced_model'],
      audit: { action: 'webhook.create' },
    }),
    needs('admin'),
    answeredOnce,
    body(newWebhook),
    async (c) => {
      const input = c.req.valid('json')
      const made = webhookFrom(input, newHookId(tenantOf(c), Date.now()), Date.now())
      const checked = made.ok ? await startable(c, made.value) : made
      if (!checked.ok) return problem(c, checked.error)
      const kept = await triggers(c).addWebhook(tenantOf(c), checked.value, c.get('once')?.key ?? null)
      if (!kept.ok) return problem(c, kept.error)
      const isNew = kept.value.id === checked.value.id
      const secret = isNew && input.secret === undefined ? kept.value.secret : undefined
      const location = `/v1/webhooks/${kept.value.id}`
      await keepAnswer(c, shown(c, kept.value), location, 201)
      c.header('location', location)
      c.header('cache-control', 'no-store')
      return c.json(shown(c, kept.value, secret), 201)
    },
  )

  .get('/:id', describe({ summary: 'A webhook', returns: 'Webhook' }), needs('read'), async (c) => {
    const found = await triggers(c).webhook(c.req.param('id'))
    return found.ok ? c.json(shown(c, found.value)) : problem(c, found.error)
  })

  .patch(
    '/:id',
    describe({
      summary:
        'Change a webhook; a new secret takes over at once, the present one holds on for a day or previous_secret_ms',
      body: webhookPatch,
      returns: 'Webhook',
      errors: ['unpriced_model'],
      audit: { action: 'webhook.update', fields: true },
    }),
    needs('admin'),
    body(webhookPatch),
    async (c) => {
      const patch = c.req.valid('json')
      const known = await triggers(c).webhook(c.req.param('id'))
      const changed = known.ok ? patchedWebhook(known.value, patch, Date.now()) : known
      const checked = changed.ok ? await startable(c, changed.value) : changed
      const kept = checked.ok ? await triggers(c).patchWebhook(c.req.param('id'), patch) : checked
      return kept.ok ? c.json(shown(c, kept.value)) : problem(c, kept.error)
    },
  )

  .delete(
    '/:id',
    describe({ summary: 'Delete a webhook and its log; its sessions stay', audit: { action: 'webhook.delete' } }),
    needs('admin'),
    async (c) => {
      const removed = await triggers(c).removeWebhook(c.req.param('id'))
      return removed.ok ? c.body(null, 204) : problem(c, removed.error)
    },
  )

  .post(
    '/:id/rotate',
    describe({
      summary: 'Replace the secret: both hold for a while',
      body: secretRotation,
      returns: 'Webhook',
      audit: { action: 'webhook.rotate' },
    }),
    needs('admin'),
    answeredOnce,
    body(secretRotation),
    async (c) => {
      const rotation = c.req.valid('json')
      const before = await triggers(c).webhook(c.req.param('id'))
      if (!before.ok) return problem(c, before.error)
      const rotated = await triggers(c).rotateWebhook(c.req.param('id'), rotation, c.get('once')?.key ?? null)
      if (!rotated.ok) return problem(c, rotated.error)
      const isMade = rotation.secret === undefined && rotated.value.secret !== before.value.secret
      await keepAnswer(c, shown(c, rotated.value), `/v1/webhooks/${rotated.value.id}`, 200)
      c.header('cache-control', 'no-store')
      return c.json(shown(c, rotated.value, isMade ? rotated.value.secret : undefined))
    },
  )

  .get(
    '/:id/deliveries',
    describe({
      summary: 'What came, what it did and why not, newest first',
      returns: listOf('WebhookDelivery'),
      query: deliveryListQuery,
    }),
    needs('read'),
    query(deliveryListQuery),
    async (c) => {
      const asked = c.req.valid('query')
      const found = await triggers(c).deliveries(c.req.param('id'), pageOf(asked))
      if (!found.ok) return problem(c, found.error)
      const { data, next } = paged(found.value, asked.limit)
      return list(c, data.map(shownDelivery), next)
    },
  )

  .post(
    '/:id/test',
    describe({
      summary: 'Say what a delivery would do; with run it does it',
      body: webhookTest,
      returns: 'WebhookTrial',
      audit: { action: 'webhook.test' },
    }),
    needs('admin'),
    answeredOnce,
    body(webhookTest),
    async (c) => {
      const request = c.get('once')?.key ?? null
      const tried = await triggers(c).testWebhook(c.req.param('id'), c.req.valid('json'), request)
      return tried.ok ? c.json(shownTrial(tried.value)) : problem(c, tried.error)
    },
  )

const tenantOf = (c: Context<AppEnv>): string => c.get('principal').tenant

/** Ids of other tenants are none here. */
function triggers(c: Context<AppEnv>): TriggerApi {
  return triggerObject(c.env, tenantOf(c))
}

/** The webhook, if a session that it makes could be made now. */
async function startable(c: Context<AppEnv>, given: Webhook): Promise<Result<Webhook>> {
  const { engine } = serverOf(c.env)
  const refused = await checkStart(engine, tenantOf(c), { ...given.with, task: given.taskTemplate })
  return refused ? fail(refused) : ok(given)
}

function shown(c: Context<AppEnv>, one: Webhook, secret?: string) {
  const base = serverOf(c.env).config.public_url?.replace(/\/+$/, '') ?? new URL(c.req.url).origin
  return shownWebhook(one, base, Date.now(), secret)
}

/** What a repeat of the request is answered: all but the secret. */
async function keepAnswer(c: Context<AppEnv>, answer: unknown, location: string, status: number): Promise<void> {
  const done = doneWith(c, { body: answer, location })
  if (!done) return
  await directoryObject(c.env, tenantOf(c)).keepAnswer(done.key, { ...done.answer, status })
}
