import { type AppError, invalid } from '../domain/errors.ts'
import { serverFor } from '../objects/engine.ts'
import type { Call } from './route.ts'

/** Why no secret is sent to an address that a field names; null: it may be. */
export async function refusedForSecrets(
  { c, tenant }: Pick<Call<unknown>, 'c' | 'tenant'>,
  address: string,
  path: string,
): Promise<{ ok: false; error: AppError } | null> {
  const { origin, protocol } = new URL(address)
  const { engine } = await serverFor(c.env, tenant)
  const message = await engine.refuseAddress(origin)
  if (message !== null) return invalid([{ path, message }])
  // What is sent to a host that the server opens for itself is seen by nobody on the way.
  const isOpened = (engine.config.web?.allow_private_hosts ?? []).some((host) => origin === `http://${host}`)
  if (protocol === 'https:' || isOpened) return null
  return invalid([{ path, message: 'an https address, as a secret is sent there' }])
}
