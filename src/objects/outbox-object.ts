import { DurableObject } from 'cloudflare:workers'
import { Outbox } from '../callbacks/outbox.ts'
import type { CallbackPatch } from '../domain/callback-input.ts'
import type { Callback, News } from '../domain/callback.ts'
import { languageOf } from '../domain/language.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { OUTBOX_SCHEMA } from '../store/callbacks.ts'
import type { DeliveryQuery } from '../store/delivery-log.ts'
import { lazyDatabase } from './database.ts'
import { privateFetch, serverOf } from './engine.ts'
import { auditObject, directoryObject, type Env } from './env.ts'
import { linkOf, mintLink } from './mint-link.ts'
import { report } from './report.ts'

/** Who in one tenant is told of runs, and what still is to be told. Everything is forwarded; nothing is decided here. */
export class OutboxObject extends DurableObject<Env> {
  readonly #db = lazyDatabase(this.ctx.storage, OUTBOX_SCHEMA)
  readonly #outbox = this.#open()

  put(news: readonly News[]) {
    return this.#outbox.put(news)
  }

  forget(sessionId: string) {
    this.#outbox.forget(sessionId)
  }

  create(callback: Callback, key: string | null) {
    return this.#outbox.create(callback, key)
  }

  list(before: string | null, limit: number) {
    return this.#db.isThere() ? this.#outbox.list(before, limit) : []
  }

  get(id: string) {
    return this.#outbox.get(id)
  }

  patch(id: string, patch: CallbackPatch) {
    return this.#outbox.patch(id, patch)
  }

  rotate(id: string, secret: string, key: string | null) {
    return this.#outbox.rotate(id, secret, key)
  }

  remove(id: string) {
    return this.#outbox.remove(id)
  }

  deliveries(id: string, query: DeliveryQuery) {
    return this.#outbox.deliveries(id, query)
  }

  delivery(id: string, of: string) {
    return this.#outbox.delivery(id, of)
  }

  retry(id: string, of: string, key: string | null) {
    return this.#outbox.retry(id, of, key)
  }

  sendTest(id: string, key: string | null) {
    return this.#outbox.sendTest(id, key)
  }

  override alarm() {
    this.#outbox.wake()
  }

  /** Nobody asked for it: the server itself did it, for what the receiver answered. */
  async #tellAudit({ id, tenant }: Callback, delivery: string): Promise<void> {
    const fact = { action: 'callback.disable', target: id, outcome: 'done', status: null, request_id: null } as const
    const actor = { kind: 'server', id: 'outbox' } as const
    await auditObject(this.env, tenant)
      .tell({ ...fact, actor, details: { reason: 'gone', delivery } })
      .catch(report)
  }

  #open(): Outbox {
    const { config } = serverOf(this.env)
    return new Outbox({
      db: this.#db,
      now: Date.now,
      random: Math.random,
      fetch: createGuardedFetch({
        publicFetch: (url, init) => fetch(url, init),
        privateFetch: privateFetch(this.env),
        allowPrivateHosts: config.web?.allow_private_hosts ?? [],
      }),
      language: languageOf(config.language ?? 'zh-CN'),
      publicUrl: config.public_url?.replace(/\/+$/, '') ?? null,
      alarm: { set: (time) => this.ctx.waitUntil(this.ctx.storage.setAlarm(time)) },
      keepAlive: (work) => this.ctx.waitUntil(work),
      watch: (tenant, on) => directoryObject(this.env, tenant).noteCallbacks(on),
      mintLink: async (tenant, sessionId, { id, expires_time: until }) => {
        const terms = {
          scope: 'decide',
          sessionId,
          pendingId: id,
          createdBy: 'server',
          expiresTime: Date.parse(until),
        } as const
        return (await mintLink(this.env, tenant, linkOf(terms)))?.path ?? null
      },
      switchedOff: (callback, delivery) => this.ctx.waitUntil(this.#tellAudit(callback, delivery)),
      report,
    })
  }
}
