import type { KeptConnection } from '../domain/connection.ts'
import { Seal, SEAL_KEY_CHARS_MIN } from '../lib/seal.ts'
import type { Env } from './env.ts'

let known: { given: string; seal: Seal } | null = null

/** What encrypts the secrets of tenants: by YAA_SECRETS_KEY, and opens what YAA_SECRETS_KEY_BEFORE sealed. Null: there is no usable key. */
export function sealOf(env: Env): Seal | null {
  // A variable that is not set is null where workerd takes it from the environment.
  const { YAA_SECRETS_KEY: key, YAA_SECRETS_KEY_BEFORE: before } = env
  if (!key || key.length < SEAL_KEY_CHARS_MIN) return null
  const given = `${key}\n${before ?? ''}`
  if (known?.given !== given)
    known = { given, seal: new Seal(before && before.length >= SEAL_KEY_CHARS_MIN ? [key, before] : [key]) }
  return known.seal
}

/** Which connection of a tenant, and where its secret goes. */
export type ConnectionPlace = Pick<KeptConnection, 'name' | 'origin' | 'user'>

/** What a sealed secret is for: nowhere else it opens. */
export function sealedFor(tenant: string, { name, origin, user }: ConnectionPlace): string {
  return JSON.stringify(['connection', tenant, name, origin, ...(user === undefined ? [] : [user])])
}
