import type { Context } from 'hono'
import * as z from 'zod'
import { callbackFrom, callbackView, deliveryView, wholeDeliveryView } from '../callbacks/callback.ts'
import { newSecret } from '../callbacks/payload.ts'
import { callbackPatch, callbackRotation, newCallback } from '../domain/callback-input.ts'
import { type AppError, invalid, ok } from '../domain/errors.ts'
import { isId } from '../lib/id.ts'
import { serverOf } from '../objects/engine.ts'
import { outboxObject } from '../objects/env.ts'
import type { KeptCallback } from '../store/callbacks.ts'
import { type AppEnv, factory } from './context.ts'
import { idCursor, limit } from './queries.ts'
import { listOf } from './openapi/describe.ts'
import { type Answer, type Call, json, lastId, noFields, nothing, page, query, route } from './route.ts'
import { DELIVERY_STATUSES } from '../domain/callback.ts'

const callbackListQuery = z.strictObject({ limit, cursor: idCursor('cbk') })
const deliveryListQuery = z.strictObject({
  limit,
  cursor: idCursor('dlv'),
  status: z.enum(DELIVERY_STATUSES).optional(),
})

const outbox = ({ c, tenant }: Call<unknown>) => outboxObject(c.env, tenant)

/** Ids that no callback can have are refused without waking an object. */
function refuse(c: Context<AppEnv>): AppError | null {
  return isId('cbk', c.req.param('id') ?? '') ? null : { code: 'not_found', what: 'callback' }
}

/** Who is told of the tenant's runs, and what they were told. */
export const callbackRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Callbacks, newest first',
        scope: 'admin',
        reads: query(callbackListQuery),
        returns: listOf('Callback'),
      },
      async (call) => {
        const { limit: max, cursor: before = null } = call.input
        const found = (await outbox(call).list(before, max + 1)).map((kept) => callbackView(kept, Date.now()))
        return ok(page(found, max, lastId))
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Add a callback; a secret that is made is in this answer alone',
        scope: 'admin',
        reads: json(newCallback),
        returns: 'Callback',
        status: [201],
        errors: ['too_many'],
        audit: { action: 'callback.create' },
      },
      async (call) => {
        const { c, tenant, input, key } = call
        const refused = await refusedAddress(c, input.url)
        if (refused) return refused
        const made = callbackFrom(input, { tenant, origin: new URL(c.req.url).origin }, Date.now())
        const kept = await outbox(call).create(made, key)
        if (!kept.ok) return kept
        const location = `/v1/callbacks/${kept.value.value.callback.id}`
        return ok({ ...withSecret(kept.value, input.secret === undefined), location, status: 201 })
      },
    ),
  )

  .get(
    '/:id',
    route({ summary: 'A callback', scope: 'admin', refuse, reads: nothing, returns: 'Callback' }, async (call) => {
      const found = await outbox(call).get(call.param('id'))
      return found.ok ? ok({ body: callbackView(found.value, Date.now()) }) : found
    }),
  )

  .patch(
    '/:id',
    route(
      {
        summary: 'Change a callback; switched on again it goes on with what was held',
        scope: 'admin',
        refuse,
        reads: json(callbackPatch),
        returns: 'Callback',
        audit: { action: 'callback.update', fields: true },
      },
      async (call) => {
        const refused = call.input.url === undefined ? null : await refusedAddress(call.c, call.input.url)
        if (refused) return refused
        const patched = await outbox(call).patch(call.param('id'), call.input)
        return patched.ok ? ok({ body: callbackView(patched.value, Date.now()) }) : patched
      },
    ),
  )

  .delete(
    '/:id',
    route(
      {
        summary: 'Delete a callback with its deliveries',
        scope: 'admin',
        refuse,
        reads: nothing,
        answers: 'none',
        audit: { action: 'callback.delete' },
      },
      async (call) => {
        const removed = await outbox(call).remove(call.param('id'))
        return removed.ok ? ok({}) : removed
      },
    ),
  )

  .post(
    '/:id/rotate',
    route(
      {
        summary: 'Give a callback another secret; the one before signs along for a day',
        scope: 'admin',
        refuse,
        reads: json(callbackRotation),
        returns: 'Callback',
        audit: { action: 'callback.rotate' },
      },
      async (call) => {
        const { secret } = call.input
        const rotated = await outbox(call).rotate(call.param('id'), secret ?? newSecret(), call.key)
        return rotated.ok ? ok(withSecret(rotated.value, secret === undefined)) : rotated
      },
    ),
  )

  .post(
    '/:id/test',
    route(
      {
        summary: 'Send a delivery marked as a test, and see what came back',
        scope: 'admin',
        refuse,
        reads: noFields,
        returns: 'WholeDelivery',
        audit: { action: 'callback.test' },
      },
      async (call) => {
        const tested = await outbox(call).sendTest(call.param('id'), call.key)
        if (!tested.ok) return tested
        const { value, again } = tested.value
        return ok({ body: wholeDeliveryView(value.delivery, value.attempts), replayed: again })
      },
    ),
  )

  .get(
    '/:id/deliveries',
    route(
      {
        summary: 'What a callback was told, newest first',
        scope: 'admin',
        refuse,
        reads: query(deliveryListQuery),
        returns: listOf('Delivery'),
      },
      async (call) => {
        const { limit: max, ...rest } = call.input
        const found = await outbox(call).deliveries(call.param('id'), { ...rest, limit: max + 1 })
        return found.ok ? ok(page(found.value, max, lastId, deliveryView)) : found
      },
    ),
  )

  .get(
    '/:id/deliveries/:delivery',
    route(
      { summary: 'A delivery with its tries', scope: 'admin', refuse, reads: nothing, returns: 'WholeDelivery' },
      async (call) => {
        const found = await outbox(call).delivery(call.param('id'), call.param('delivery'))
        return found.ok ? ok({ body: wholeDeliveryView(found.value.delivery, found.value.attempts) }) : found
      },
    ),
  )

  .post(
    '/:id/deliveries/:delivery/retry',
    route(
      {
        summary: 'Send a delivery once more, one that is over too',
        scope: 'admin',
        refuse,
        reads: noFields,
        returns: 'Delivery',
        status: [202],
        audit: { action: 'delivery.retry', target: 'delivery' },
      },
      async (call) => {
        const retried = await outbox(call).retry(call.param('id'), call.param('delivery'), call.key)
        if (!retried.ok) return retried
        const { value, again } = retried.value
        return ok({ body: deliveryView(value.delivery), status: 202, replayed: again })
      },
    ),
  )

/** Why nobody is told at an address; null: it may be told. */
export async function refusedAddress(c: Context<AppEnv>, url: string) {
  const message = await serverOf(c.env).engine.refuseAddress(url)
  return message === null ? null : invalid([{ path: 'url', message }])
}

/** A callback with its new secret, if it was made here; when the request comes again, without. */
function withSecret({ value, again }: { value: KeptCallback; again: boolean }, isMade: boolean): Answer {
  const secret = again || !isMade ? {} : { secret: value.callback.secret }
  return { body: callbackView(value, Date.now()), secret, replayed: again }
}
