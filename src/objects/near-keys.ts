import type { KeyRegistry } from '../access/keys.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Env } from './env.ts'

/** What may be asked of a registry of keys from outside of its object: nothing that reads or writes. */
type NearKeys = Pick<KeyRegistry, 'admitFromMemory' | 'takeFromMemory'>

/** Registries of tenants whose object lives in this isolate, as all do in `yaa serve`, by the object's id. `heardAt`: when the object
 *  last let somebody in (Unix ms). The newest is last. */
const near = new Map<string, { registry: NearKeys; heardAt: number }>()

/** An object begins to live here: what was known of one before it is void. */
export function forgetNearKeys(id: DurableObjectId): void {
  near.delete(id.toString())
}

/** The object lets somebody in: for a moment it is known to be the one that lives. */
export function keysAreNear(id: DurableObjectId, registry: NearKeys, now: number): void {
  near.delete(id.toString())
  near.set(id.toString(), { registry, heardAt: now })
  const [oldest] = near.keys()
  if (near.size > LIMITS.access.nearMax && oldest !== undefined) near.delete(oldest)
}

/** The keys of a tenant, to be asked without a call; null: they are elsewhere, or the object was not heard of lately, so that it
 *  may have moved. */
export function nearKeys(env: Pick<Env, 'DIRECTORY'>, tenant: string, now: number): NearKeys | null {
  const known = near.get(env.DIRECTORY.idFromName(tenant).toString())
  return known && now - known.heardAt < LIMITS.access.nearMs ? known.registry : null
}
