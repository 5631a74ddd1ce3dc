import type { Context } from 'hono'
import * as z from 'zod'
import { callbackFrom } from '../callbacks/change.ts'
import { shownCallback, shownDelivery, wholeDelivery as wholeOf } from '../callbacks/shown.ts'
import { newSecret } from '../callbacks/payload.ts'
import { callbackPatch, callbackRotation, newCallback } from '../domain/callback-input.ts'
import { invalid, type AppError } from '../domain/errors.ts'
import { isId } from '../lib/id.ts'
import { serverOf } from '../objects/engine.ts'
import { outboxObject } from '../objects/env.ts'
import type { OutboxApi } from '../objects/outbox-api.ts'
import type { KeptCallback } from '../store/callbacks.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { idCursor } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, keepDone } from './middleware/idempotency.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { limit } from './queries.ts'
import { REPLAYED } from './middleware/replayed.ts'
import { DELIVERY_STATUSES } from '../domain/callback.ts'

const callbackListQuery = z.strictObject({ limit, cursor: idCursor('cbk') })
const deliveryListQuery = z.strictObject({
  limit,
  cursor: idCursor('dlv'),
  status: z.enum(DELIVERY_STATUSES).optional(),
})

const outbox = (c: Context<AppEnv>): OutboxApi => outboxObject(c.env, c.get('principal').tenant)
const idOf = (c: Context<AppEnv>): string => c.req.param('id') ?? ''
const deliveryOf = (c: Context<AppEnv>): string => c.req.param('delivery') ?? ''
const keyOf = (c: Context<AppEnv>): string | null => c.get('once')?.key ?? null

/** Ids that no callback can have are answered here. */
const knownId = factory.createMiddleware(async (c, next) =>
  isId('cbk', idOf(c)) ? next() : problem(c, { code: 'not_found', what: 'callback' }),
)

/** Who is told of the tenant's runs, and what they were told. */
export const callbacks = factory
  .createApp()
  .use('/:id/*', knownId)
  .use('/:id', knownId)

  .get(
    '/',
    describe({ summary: 'Callbacks, newest first', returns: listOf('Callback'), query: callbackListQuery }),
    needs('admin'),
    query(callbackListQuery),
    async (c) => {
      const { limit: max, cursor: before = null } = c.req.valid('query')
      const found = await outbox(c).list(before, max + 1)
      const page = found.slice(0, max)
      const data = page.map((kept) => shownCallback(kept, Date.now()))
      return list(c, data, found.length > max ? (data.at(-1)?.id ?? null) : null)
    },
  )

  .post(
    '/',
    describe({
      summary: 'Add a callback; a secret that is made is in this answer alone',
      returns: 'Callback',
      status: [201],
      errors: ['too_many'],
      body: newCallback,
      audit: { action: 'callback.create' },
    }),
    needs('admin'),
    answeredOnce,
    body(newCallback),
    async (c) => {
      const input = c.req.valid('json')
      const refused = refusedAddress(c, input.url)
      if (refused) return problem(c, refused)
      const where = { tenant: c.get('principal').tenant, origin: new URL(c.req.url).origin }
      const made = await outbox(c).create(callbackFrom(input, where, Date.now()), keyOf(c))
      if (!made.ok) return problem(c, made.error)
      c.header('location', `/v1/callbacks/${made.value.value.callback.id}`)
      return withSecretOnce(c, made.value, { isMade: input.secret === undefined, status: 201 })
    },
  )

  .get('/:id', describe({ summary: 'A callback', returns: 'Callback' }), needs('admin'), async (c) => {
    const found = await outbox(c).get(idOf(c))
    return found.ok ? c.json(shownCallback(found.value, Date.now())) : problem(c, found.error)
  })

  .patch(
    '/:id',
    describe({
      summary: 'Change a callback; switched on again it goes on with what was held',
      returns: 'Callback',
      body: callbackPatch,
      audit: { action: 'callback.update', fields: true },
    }),
    needs('admin'),
    body(callbackPatch),
    async (c) => {
      const patch = c.req.valid('json')
      const refused = patch.url === undefined ? null : refusedAddress(c, patch.url)
      if (refused) return problem(c, refused)
      const patched = await outbox(c).patch(idOf(c), patch)
      return patched.ok ? c.json(shownCallback(patched.value, Date.now())) : problem(c, patched.error)
    },
  )

  .delete(
    '/:id',
    describe({
      summary: 'Delete a callback with its deliveries',
      answers: 'none',
      audit: { action: 'callback.delete' },
    }),
    needs('admin'),
    async (c) => {
      const removed = await outbox(c).remove(idOf(c))
      return removed.ok ? c.body(null, 204) : problem(c, removed.error)
    },
  )

  .post(
    '/:id/rotate',
    describe({
      summary: 'Give a callback another secret; the one before signs along for a day',
      returns: 'Callback',
      body: callbackRotation,
      audit: { action: 'callback.rotate' },
    }),
    needs('admin'),
    answeredOnce,
    body(callbackRotation),
    async (c) => {
      const { secret } = c.req.valid('json')
      const rotated = await outbox(c).rotate(idOf(c), secret ?? newSecret(), keyOf(c))
      if (!rotated.ok) return problem(c, rotated.error)
      return withSecretOnce(c, rotated.value, { isMade: secret === undefined, status: 200 })
    },
  )

  .post(
    '/:id/test',
    describe({
      summary: 'Send a delivery marked as a test, and see what came back',
      returns: 'WholeDelivery',
      audit: { action: 'callback.test' },
    }),
    needs('admin'),
    answeredOnce,
    async (c) => {
      const tested = await outbox(c).sendTest(idOf(c), keyOf(c))
      if (!tested.ok) return problem(c, tested.error)
      if (tested.value.again) c.header(REPLAYED, 'true')
      return c.json(wholeOf(tested.value.value.delivery, tested.value.value.attempts))
    },
  )

  .get(
    '/:id/deliveries',
    describe({
      summary: 'What a callback was told, newest first',
      returns: listOf('Delivery'),
      query: deliveryListQuery,
    }),
    needs('admin'),
    query(deliveryListQuery),
    async (c) => {
      const { limit: max, ...rest } = c.req.valid('query')
      const found = await outbox(c).deliveries(idOf(c), { ...rest, limit: max + 1 })
      if (!found.ok) return problem(c, found.error)
      const data = found.value.slice(0, max).map(shownDelivery)
      return list(c, data, found.value.length > max ? (data.at(-1)?.id ?? null) : null)
    },
  )

  .get(
    '/:id/deliveries/:delivery',
    describe({ summary: 'A delivery with its tries', returns: 'WholeDelivery' }),
    needs('admin'),
    async (c) => {
      const found = await outbox(c).delivery(idOf(c), deliveryOf(c))
      return found.ok ? c.json(wholeOf(found.value.delivery, found.value.attempts)) : problem(c, found.error)
    },
  )

  .post(
    '/:id/deliveries/:delivery/retry',
    describe({
      summary: 'Send a delivery once more, one that is over too',
      returns: 'Delivery',
      status: [202],
      audit: { action: 'delivery.retry', target: 'delivery' },
    }),
    needs('admin'),
    answeredOnce,
    async (c) => {
      const retried = await outbox(c).retry(idOf(c), deliveryOf(c), keyOf(c))
      if (!retried.ok) return problem(c, retried.error)
      if (retried.value.again) c.header(REPLAYED, 'true')
      return c.json(shownDelivery(retried.value.value.delivery), 202)
    },
  )

function refusedAddress(c: Context<AppEnv>, url: string): AppError | null {
  const message = serverOf(c.env).engine.refuseAddress(url)
  return message === null ? null : invalid([{ path: 'url', message }]).error
}

/** A callback with its new secret, if it was made here; when the request comes again, without. */
async function withSecretOnce(
  c: Context<AppEnv>,
  { value, again }: { value: KeptCallback; again: boolean },
  { isMade, status }: { isMade: boolean; status: 200 | 201 },
): Promise<Response> {
  const shown = shownCallback(value, Date.now())
  await keepDone(c, { body: shown, status, ...(status === 201 ? { location: `/v1/callbacks/${shown.id}` } : {}) })
  if (again) c.header(REPLAYED, 'true')
  return c.json(again || !isMade ? shown : { ...shown, secret: value.callback.secret }, status)
}
