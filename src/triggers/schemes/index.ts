import type { WebhookScheme } from '../../domain/webhook.ts'
import { BEARER } from './bearer.ts'
import { GITHUB } from './github.ts'
import type { Scheme } from './scheme.ts'
import { SLACK } from './slack.ts'
import { STANDARD } from './standard.ts'
import { STRIPE } from './stripe.ts'

export const SCHEMES: Readonly<Record<WebhookScheme, Scheme>> = {
  standard: STANDARD,
  github: GITHUB,
  slack: SLACK,
  stripe: STRIPE,
  bearer: BEARER,
}
