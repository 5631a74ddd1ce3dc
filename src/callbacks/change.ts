import { type CallbackPatch, type NewCallback } from '../domain/callback-input.ts'
import { type Callback, CALLBACK_SECRET_MASK } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import { newId } from '../lib/id.ts'
import { newSecret } from './payload.ts'

/** A callback of an input. `origin`: by which address the server was reached. */
export function callbackFrom(
  input: NewCallback,
  { tenant, origin }: Pick<Callback, 'tenant' | 'origin'>,
  now: number,
): Callback {
  return {
    id: newId('cbk', now),
    tenant,
    name: input.name ?? null,
    url: input.url,
    events: input.events,
    secret: input.secret ?? newSecret(),
    previousSecret: null,
    retry: retryOf(input.retry),
    template: input.template ?? null,
    templateSecret: input.template_secret ?? null,
    enabled: input.enabled ?? true,
    disabledReason: null,
    origin,
    createdTime: now,
    updatedTime: now,
  }
}

/** The callback with what a patch says; what it does not name stays, and so does a secret that came back masked. */
export function patchedCallback(callback: Callback, patch: CallbackPatch, now: number): Callback {
  const { name, url, events, retry, template, template_secret: templateSecret, enabled, secret } = patch
  const isNewSecret = secret !== undefined && secret !== CALLBACK_SECRET_MASK
  return {
    ...(isNewSecret ? withSecret(callback, secret, now) : callback),
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(retry === undefined ? {} : { retry: retryOf(retry) }),
    ...(template === undefined ? {} : { template }),
    ...(templateSecret === undefined || templateSecret === CALLBACK_SECRET_MASK ? {} : { templateSecret }),
    ...(enabled === undefined ? {} : { enabled, disabledReason: null }),
    updatedTime: now,
  }
}

/** The callback with another secret; the present one signs along for a while. */
export function withSecret(callback: Callback, secret: string, now: number): Callback {
  if (secret === callback.secret) return callback
  const until = now + LIMITS.callback.previousSecretMs
  return { ...callback, secret, previousSecret: { value: callback.secret, until }, updatedTime: now }
}

function retryOf(retry: NewCallback['retry']): Callback['retry'] {
  return retry ? { times: retry.times, delayMs: retry.delay_ms } : null
}
