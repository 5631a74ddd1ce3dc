import { DurableObject } from 'cloudflare:workers'
import type { Outbox } from '../callbacks/outbox.ts'
import type { CallbackPatch } from '../domain/callback-input.ts'
import type { Callback, News } from '../domain/callback.ts'
import { languageOf } from '../domain/language.ts'
import { onDemand } from '../lib/shape.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import type { DeliveryQuery } from '../store/delivery-log.ts'
import { lazyDatabase } from './storage.ts'
import { privateFetch, serverOf } from './engine.ts'
import { auditObject, type Env } from './env.ts'
import { linkOf, mintLink } from './mint-link.ts'
import { report } from './report.ts'
import { TenantLists } from './tenant-lists.ts'

/** Who in one tenant is told of runs, and what still is to be told. Everything is forwarded; nothing is decided here. */
export class OutboxObject extends DurableObject<Env> {
  readonly #opened = onDemand(() => this.#open())
  readonly #outbox = async () => (await this.#opened()).outbox

  async put(news: readonly News[]) {
    return (await this.#outbox()).put(news)
  }

  async forget(sessionId: string) {
    ;(await this.#outbox()).forget(sessionId)
  }

  async create(callback: Callback, key: string | null) {
    return (await this.#outbox()).create(callback, key)
  }

  async list(before: string | null, limit: number) {
    const { outbox, isThere } = await this.#opened()
    return isThere() ? outbox.list(before, limit) : []
  }

  async get(id: string) {
    return (await this.#outbox()).get(id)
  }

  async patch(id: string, patch: CallbackPatch) {
    return (await this.#outbox()).patch(id, patch)
  }

  async rotate(id: string, secret: string, key: string | null) {
    return (await this.#outbox()).rotate(id, secret, key)
  }

  async remove(id: string) {
    return (await this.#outbox()).remove(id)
  }

  async deliveries(id: string, query: DeliveryQuery) {
    return (await this.#outbox()).deliveries(id, query)
  }

  async delivery(id: string, of: string) {
    return (await this.#outbox()).delivery(id, of)
  }

  async retry(id: string, of: string, key: string | null) {
    return (await this.#outbox()).retry(id, of, key)
  }

  async sendTest(id: string, key: string | null) {
    return (await this.#outbox()).sendTest(id, key)
  }

  async putPush(callback: Callback & Required<Pick<Callback, 'push'>>) {
    return (await this.#outbox()).putPush(callback)
  }

  async pushes(sessionId: string) {
    const { outbox, isThere } = await this.#opened()
    return isThere() ? outbox.pushes(sessionId) : []
  }

  async removePush(id: string) {
    return (await this.#outbox()).removePush(id)
  }

  override async alarm() {
    ;(await this.#outbox()).wake()
  }

  /** Nobody asked for it: the server itself did it, for what the receiver answered. */
  async #recordAudit({ id, tenant }: Callback, delivery: string): Promise<void> {
    const fact = { action: 'callback.disable', target: id, outcome: 'done', status: null, request_id: null } as const
    const actor = { kind: 'server', id: 'outbox' } as const
    await auditObject(this.env, tenant)
      .record({ ...fact, actor, details: { reason: 'gone', delivery } })
      .catch(report)
  }

  async #open(): Promise<{ outbox: Outbox; isThere: () => boolean }> {
    const [{ Outbox }, { OUTBOX_SCHEMA }] = await Promise.all([
      import('../callbacks/outbox.ts'),
      import('../store/callbacks.ts'),
    ])
    const db = lazyDatabase(this.ctx.storage, OUTBOX_SCHEMA)
    const { config } = serverOf(this.env)
    const outbox = new Outbox({
      db,
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
      watch: (tenant, on) => new TenantLists(this.env, tenant).noteCallbacks(on),
      mintLink: async (tenant, sessionId, { id, expires_time: until }) => {
        const terms = {
          scope: 'decide',
          sessionId,
          pendingId: id,
          allowEdit: false,
          createdBy: 'server',
          expiresTime: Date.parse(until),
        } as const
        return (await mintLink(this.env, tenant, await linkOf(this.env, tenant, terms)))?.path ?? null
      },
      switchedOff: (callback, delivery) => this.ctx.waitUntil(this.#recordAudit(callback, delivery)),
      report,
    })
    return { outbox, isThere: () => db.isThere() }
  }
}
