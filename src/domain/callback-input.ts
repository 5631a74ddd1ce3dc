import * as z from 'zod'
import { fromBase64 } from '../lib/base64.ts'
import { CALLBACK_EVENTS, CALLBACK_TEMPLATES, type CallbackTemplate } from './callback.ts'
import { SECRET_MASK } from '../lib/text.ts'
import { httpUrl } from './config.ts'
import { LIMITS } from './limits.ts'

const { callback } = LIMITS

const events = z
  .array(z.enum(CALLBACK_EVENTS, `one of ${CALLBACK_EVENTS.join(', ')}`))
  .min(1, `at least one of ${CALLBACK_EVENTS.join(', ')}`)
  .max(CALLBACK_EVENTS.length)
  .transform((names) => [...new Set(names)])

const { secretBytesMin, secretBytesMax } = callback

/** Source: the Standard Webhooks specification, "Signature scheme". */
/** With what deliveries are signed. */
export const signingSecret = z
  .string()
  .refine(isSecret, `whsec_ and the base64 of ${secretBytesMin} to ${secretBytesMax} random bytes`)

function isSecret(text: string): boolean {
  const bytes = text.startsWith('whsec_') ? fromBase64(text.slice('whsec_'.length)) : null
  return bytes !== null && bytes.length >= secretBytesMin && bytes.length <= secretBytesMax
}

const secretOrMask = z.union([z.literal(SECRET_MASK), signingSecret])

/** `times`: tries after the first; the wait before the second of them is twice `delay_ms`, and so on. */
const retry = z.strictObject({
  times: z.int().min(0).max(callback.retryTimesMax).default(callback.retryDelaysMs.length),
  delay_ms: z.int().min(0).max(callback.retryDelayMsMax).default(callback.retryDelaysMs[0]),
})

const template = z
  .enum([...CALLBACK_TEMPLATES, 'none'])
  .transform((name): CallbackTemplate | null => (name === 'none' ? null : name))

const fields = {
  name: z.string().trim().min(1).max(LIMITS.text.nameCharsMax).nullable().optional(),
  retry: retry.nullable().optional(),
  template: template.nullable().optional(),
  template_secret: z.string().min(1).max(callback.templateSecretCharsMax).nullable().optional(),
  enabled: z.boolean().optional(),
}

/** Body of POST /v1/callbacks. */
export const newCallback = z.strictObject({ url: httpUrl, events, secret: signingSecret.optional(), ...fields })
export type NewCallback = z.infer<typeof newCallback>

/** What of a callback is to change. A new secret takes the place of the present one, which signs along for a while. */
export const callbackPatch = z.strictObject({
  url: httpUrl.optional(),
  events: events.optional(),
  secret: secretOrMask.optional(),
  ...fields,
})
export type CallbackPatch = z.infer<typeof callbackPatch>

/** Body of POST /v1/callbacks/{id}/rotate: the new secret; without one it is made. */
export const callbackRotation = z.strictObject({ secret: signingSecret.optional() })
