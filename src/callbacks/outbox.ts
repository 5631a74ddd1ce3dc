import {
  TEST_EVENT,
  type Attempt,
  type Callback,
  type Delivery,
  type News,
  type NotifiedPending,
} from '../domain/callback.ts'
import type { CallbackPatch } from '../domain/callback-input.ts'
import { fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { newId, idFrom } from '../lib/id.ts'
import {
  answerOfRequest,
  countCallbacks,
  enabledCallbacks,
  getCallback,
  keepRequest,
  listCallbacks,
  putCallback,
  removeCallback,
  type KeptCallback,
} from '../store/callbacks.ts'
import { putDelivery, putEnded, release, retryDelivery, type NewDelivery } from '../store/deliveries.ts'
import { bindPush, countPushes, getPush, putPush, pushesOf, removePush } from '../store/pushes.ts'
import { attemptsOf, forgetSession, getDelivery, listDeliveries, type DeliveryQuery } from '../store/delivery-log.ts'
import { patchedCallback, withSecret } from './callback.ts'
import { Dispatch, type DispatchPorts } from './dispatch.ts'
import { sendDelivery } from './send.ts'

interface OutboxPorts extends DispatchPorts {
  /** Have sessions tell of their runs, or not: there are callbacks, or there are none. */
  readonly watch: (tenant: string, on: boolean) => Promise<void>
  readonly mintLink: MintLink
}

/** What was made; `again`: by an earlier sending of the same keyed request. */
export interface Once<T> {
  value: T
  again: boolean
}

/** A delivery and its newest tries. */
export interface LoggedDelivery {
  delivery: Delivery
  attempts: Attempt[]
}

/** Who in a tenant wants to be told of runs, and what they are told. */
export class Outbox {
  readonly #ports: OutboxPorts
  readonly #dispatch: Dispatch
  /** One after the other: that sessions are watched holds before the first callback is there, and until the last is gone. */
  #changing: Promise<unknown> = Promise.resolve()

  constructor(ports: OutboxPorts) {
    this.#ports = ports
    this.#dispatch = new Dispatch(ports)
  }

  wake(): void {
    this.#dispatch.wake()
  }

  /** Keep news for whoever wants them. The same news again change nothing. */
  async put(news: readonly News[]): Promise<void> {
    const { db, now } = this.#ports
    const made = await this.#deliveriesOf(news)
    if (made.length === 0) return
    db.transaction(() => {
      for (const delivery of made) if (this.#isFor(delivery)) putDelivery(db, delivery, now())
    })
    this.#dispatch.poke()
  }

  /** Whether its callback is still there, and of the run that this is of. */
  #isFor({ callbackId, data }: NewDelivery): boolean {
    const { db } = this.#ports
    const push = getPush(db, callbackId)?.callback.push
    if (!push) return getCallback(db, callbackId) !== null
    return bindPush(db, { id: callbackId, push }, 'run_id' in data ? data.run_id : null)
  }

  /** What these news are to the callbacks that want them, but for what is there already. */
  async #deliveriesOf(news: readonly News[]): Promise<NewDelivery[]> {
    const { db, mintLink } = this.#ports
    const callbacks = enabledCallbacks(db).map(({ callback }) => callback)
    const pushes = new Map(news.map(({ sessionId }) => [sessionId, pushesOf(db, sessionId)]))
    const wanted = news.flatMap((item) => {
      const all = [...callbacks, ...(pushes.get(item.sessionId) ?? [])]
      return all.filter((one) => wants(one, item)).map((one) => ({ one, item }))
    })
    const named = await Promise.all(
      wanted.map(async (pair) => ({ ...pair, id: await deliveryId(pair.one.id, pair.item) })),
    )
    const missing = named.filter(({ one, id }) => getDelivery(db, one.id, id) === null)
    const linked = linkedBy(mintLink, callbacks[0]?.tenant ?? '')
    // Who is told of a task may not be one who decides: a link would let them.
    const told = async (one: Callback, item: News) => (one.push ? item : linked(item))
    return Promise.all(
      missing.map(async ({ one, item, id }) => ({ id, callbackId: one.id, ...(await told(one, item)) })),
    )
  }

  /** A session is deleted: nothing of what was said in it stays. */
  forget(sessionId: string): void {
    const { db } = this.#ports
    db.transaction(() => {
      forgetSession(db, sessionId)
      for (const { id } of pushesOf(db, sessionId)) removePush(db, id)
    })
  }

  /** Have somebody told of one task of a door, once under its id. */
  putPush(callback: Callback & Required<Pick<Callback, 'push'>>): Promise<Result<null>> {
    const { db, now, watch } = this.#ports
    return this.#inOrder(async () => {
      await watch(callback.tenant, true)
      const isKept = db.transaction(() => putPush(db, callback, now()))
      return isKept
        ? ok(null)
        : fail({ code: 'too_many', what: 'push notification configs', max: LIMITS.push.perTaskMax })
    })
  }

  /** Who is told of tasks of a session. */
  pushes(sessionId: string): Callback[] {
    return pushesOf(this.#ports.db, sessionId)
  }

  removePush(id: string): Promise<boolean> {
    const { db, watch } = this.#ports
    return this.#inOrder(async () => {
      const known = getPush(db, id)
      if (!known) return false
      db.transaction(() => removePush(db, id))
      if (countCallbacks(db) + countPushes(db) === 0) await watch(known.callback.tenant, false)
      return true
    })
  }

  create(callback: Callback, key: string | null): Promise<Result<Once<KeptCallback>>> {
    const { db, now, watch } = this.#ports
    return this.#inOrder(async () => {
      await watch(callback.tenant, true)
      return db.transaction(() => {
        const before = key === null ? null : answerOfRequest(db, key)
        const known = before === null ? null : getCallback(db, before)
        if (known) return ok({ value: known, again: true })
        const max = LIMITS.callback.callbacksMax
        if (!putCallback(db, callback)) return fail({ code: 'too_many', what: 'callbacks', max })
        if (key !== null) keepRequest(db, key, callback.id, now())
        return ok({ value: { callback, failing: null }, again: false })
      })
    })
  }

  list(before: string | null, limit: number): KeptCallback[] {
    return listCallbacks(this.#ports.db, before, limit)
  }

  get(id: string): Result<KeptCallback> {
    const kept = getCallback(this.#ports.db, id)
    return kept ? ok(kept) : fail({ code: 'not_found', what: 'callback' })
  }

  /** Change a callback. One that is switched on again goes on with what was held. */
  patch(id: string, patch: CallbackPatch): Result<KeptCallback> {
    const { db, now } = this.#ports
    const known = this.get(id)
    if (!known.ok) return known
    const { callback, failing } = known.value
    const patched = patchedCallback(callback, patch, now())
    db.transaction(() => {
      putCallback(db, patched)
      if (patched.enabled && !callback.enabled) release(db, id, now())
    })
    if (patched.enabled) this.#dispatch.poke()
    return ok({ callback: patched, failing })
  }

  /** Give a callback another secret; the present one signs along for a while. */
  rotate(id: string, secret: string, key: string | null): Result<Once<KeptCallback>> {
    const { db, now } = this.#ports
    const known = this.get(id)
    if (!known.ok) return known
    if (key !== null && answerOfRequest(db, key) !== null) return ok({ value: known.value, again: true })
    const callback = withSecret(known.value.callback, secret, now())
    db.transaction(() => {
      putCallback(db, callback)
      if (key !== null) keepRequest(db, key, id, now())
    })
    return ok({ value: { ...known.value, callback }, again: false })
  }

  /** Forget a callback with all that it was to be told. */
  remove(id: string): Promise<Result<null>> {
    const { db, watch } = this.#ports
    return this.#inOrder(async () => {
      const known = this.get(id)
      if (!known.ok) return known
      db.transaction(() => removeCallback(db, id))
      if (countCallbacks(db) + countPushes(db) === 0) await watch(known.value.callback.tenant, false)
      return ok(null)
    })
  }

  deliveries(id: string, query: DeliveryQuery): Result<Delivery[]> {
    const known = this.get(id)
    return known.ok ? ok(listDeliveries(this.#ports.db, id, query)) : known
  }

  delivery(id: string, of: string): Result<LoggedDelivery> {
    const delivery = getDelivery(this.#ports.db, id, of)
    if (!delivery) return fail({ code: 'not_found', what: 'delivery' })
    return ok({ delivery, attempts: attemptsOf(this.#ports.db, of) })
  }

  /** Have a delivery sent once more, one that is over too. */
  retry(id: string, of: string, key: string | null): Result<Once<LoggedDelivery>> {
    const { db, now } = this.#ports
    const again = key !== null && answerOfRequest(db, key) !== null
    db.transaction(() => {
      if (!again && retryDelivery(db, id, of, now()) && key !== null) keepRequest(db, key, of, now())
    })
    const delivery = this.delivery(id, of)
    if (!delivery.ok) return delivery
    this.#dispatch.poke()
    return ok({ value: delivery.value, again })
  }

  /** Send a callback a delivery that is marked as a test, here and now, one that is switched off too. */
  async sendTest(id: string, key: string | null): Promise<Result<Once<LoggedDelivery>>> {
    const { db, now } = this.#ports
    const known = this.get(id)
    if (!known.ok) return known
    const before = key === null ? null : answerOfRequest(db, key)
    const sent = before === null ? null : this.delivery(id, before)
    if (sent?.ok) return ok({ value: sent.value, again: true })
    const test = { id: newId('dlv', now()), callbackId: id, sessionId: null, event: TEST_EVENT, time: now() } as const
    const delivery = { ...test, data: { test: true as const } }
    const { attempt } = await sendDelivery(this.#ports, known.value.callback, delivery)
    db.transaction(() => {
      if (getCallback(db, id)) putEnded(db, delivery, attempt.error === null ? 'delivered' : 'dead', attempt)
      if (key !== null) keepRequest(db, key, delivery.id, now())
    })
    const logged = this.delivery(id, delivery.id)
    return logged.ok ? ok({ value: logged.value, again: false }) : logged
  }

  #inOrder<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(change, change)
    this.#changing = done.catch(() => {})
    return done
  }
}

/** News of before a callback was made are not for it. */
function wants({ events, createdTime, push }: Callback, { event, time, data }: News): boolean {
  const isOfRun = push === undefined || push.run === null || push.run === data.run_id
  return isOfRun && events.includes(event) && time >= createdTime
}

/** The id of what a callback is told by this news: the same each time that it is told. */
export async function deliveryId(callbackId: string, { sessionId, seq, event, time }: News): Promise<string> {
  const name = new TextEncoder().encode([callbackId, sessionId, seq, event].join('\n'))
  return idFrom('dlv', time, new Uint8Array(await crypto.subtle.digest('SHA-256', name)))
}

/** Makes a signed link by which a human decides a pending item: a path of this server; null: there can be no more of them. */
type MintLink = (tenant: string, sessionId: string, item: NotifiedPending) => Promise<string | null>

/** Gives each pending item of some news its link, one an item. */
function linkedBy(mint: MintLink, tenant: string): (news: News) => Promise<News> {
  const minted = new Map<string, Promise<string | null>>()
  const pathOf = (sessionId: string, item: NotifiedPending): Promise<string | null> => {
    const known = minted.get(item.id) ?? mint(tenant, sessionId, item)
    minted.set(item.id, known)
    return known
  }
  return async (news) => {
    const { pending } = news.data
    if (pending === undefined) return news
    const linked = await Promise.all(
      pending.map(async (item) => {
        // A human has nothing to decide there.
        if (item.type === 'tool_call') return item
        const path = await pathOf(news.sessionId, item)
        return path === null ? item : { ...item, decide_path: path }
      }),
    )
    return { ...news, data: { ...news.data, pending: linked } }
  }
}
