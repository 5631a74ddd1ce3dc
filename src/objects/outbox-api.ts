import type { LoggedDelivery, Once } from '../callbacks/outbox.ts'
import type { CallbackPatch } from '../domain/callback-input.ts'
import type { Callback, Delivery, News } from '../domain/callback.ts'
import type { Result } from '../domain/errors.ts'
import type { KeptCallback } from '../store/callbacks.ts'
import type { DeliveryQuery } from '../store/delivery-log.ts'

/** What a tenant's outbox answers over RPC. `key`: of a request that may come again; what it did is then answered again. */
export interface OutboxApi {
  put(news: readonly News[]): Promise<void>
  forget(sessionId: string): Promise<void>
  create(callback: Callback, key: string | null): Promise<Result<Once<KeptCallback>>>
  /** Newest first, those before the id. */
  list(before: string | null, limit: number): Promise<KeptCallback[]>
  get(id: string): Promise<Result<KeptCallback>>
  patch(id: string, patch: CallbackPatch): Promise<Result<KeptCallback>>
  rotate(id: string, secret: string, key: string | null): Promise<Result<Once<KeptCallback>>>
  remove(id: string): Promise<Result<null>>
  deliveries(id: string, query: DeliveryQuery): Promise<Result<Delivery[]>>
  delivery(id: string, of: string): Promise<Result<LoggedDelivery>>
  retry(id: string, of: string, key: string | null): Promise<Result<Once<LoggedDelivery>>>
  sendTest(id: string, key: string | null): Promise<Result<Once<LoggedDelivery>>>
}
