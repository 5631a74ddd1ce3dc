import * as z from 'zod'
import { LIMITS } from './limits.ts'
import {
  hasWork,
  FIRING_STATUSES,
  startPatchShape,
  startShape,
  startViewShape,
  type StartWith,
  WORK_MESSAGE,
} from './start.ts'
import { workflowInputs } from './session-input.ts'
import { parseTemplate } from './template.ts'
import { isObject } from '../lib/json.ts'
import { count, onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { isId, idParts } from '../lib/id.ts'
import { tenantName } from './access.ts'

const { trigger } = LIMITS

/** How a sender proves itself. */
const WEBHOOK_SCHEMES = ['standard', 'github', 'slack', 'stripe', 'bearer'] as const
export type WebhookScheme = (typeof WEBHOOK_SCHEMES)[number]
const scheme = z.enum(WEBHOOK_SCHEMES)

const name = z.string().trim().min(1).max(LIMITS.text.nameCharsMax)
const description = z.string().max(trigger.descriptionCharsMax)
const secret = z.string().min(LIMITS.access.secretCharsMin).max(trigger.secretCharsMax)
const events = z.array(z.string().min(1).max(trigger.eventCharsMax)).max(trigger.eventsMax)
const taskTemplate = template(trigger.templateCharsMax)
const keyTemplate = template(trigger.keyTemplateCharsMax)

/** A text with names in it that can be filled in later. */
function template(charsMax: number) {
  return (
    z
      .string()
      // An empty text has one fault, not that of a blank one as well.
      .min(1, { abort: true })
      .max(charsMax)
      .refine((text) => text.trim() !== '', 'a text')
      .superRefine((text, context) => {
        const parsed = parseTemplate(text)
        if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.message })
      })
  )
}

/** What a workflow is given: any JSON whose texts are templates. */
const inputTemplates = workflowInputs.superRefine((inputs, context) => {
  for (const { path, text } of textsIn(inputs)) {
    const parsed = parseTemplate(text)
    if (!parsed.ok) context.addIssue({ code: 'custom', path, message: parsed.message })
  }
})

function textsIn(value: unknown, path: string[] = []): { path: string[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  return members.flatMap(([name, one]) => textsIn(one, [...path, String(name)]))
}

export const newWebhook = z
  .strictObject({
    name,
    description: description.optional(),
    scheme,
    secret: secret.optional(),
    /** Of a workflow it may be left out. */
    task_template: taskTemplate.optional(),
    events: events.optional(),
    session_key_template: keyTemplate.optional(),
    enabled: z.boolean().optional(),
    ...startShape,
    inputs: inputTemplates.optional(),
  })
  .refine(({ task_template: words, workflow }) => hasWork({ words, workflow }), {
    path: ['task_template'],
    error: WORK_MESSAGE,
    when: ({ value }) => isObject(value),
  })
export type NewWebhook = z.infer<typeof newWebhook>

const previousSecretMs = z.int().min(0).max(trigger.previousSecretMsMax).optional()

/** A change. A new secret takes the place of the present one, which holds on for `previous_secret_ms`. */
export const webhookPatch = z.strictObject({
  name: name.optional(),
  description: description.nullable().optional(),
  secret: secret.optional(),
  previous_secret_ms: previousSecretMs,
  task_template: taskTemplate.optional(),
  events: events.nullable().optional(),
  session_key_template: keyTemplate.nullable().optional(),
  enabled: z.boolean().optional(),
  ...startPatchShape,
  inputs: inputTemplates.nullable().optional(),
})
export type WebhookPatch = z.infer<typeof webhookPatch>

/** `secret` not given: one is made, where the scheme lets us choose. */
export const secretRotation = z.strictObject({ secret: secret.optional(), previous_secret_ms: previousSecretMs })
export type SecretRotation = z.infer<typeof secretRotation>

/** A delivery to try a webhook with. It starts a run only if it is told to. */
export const webhookTest = z.strictObject({
  body: z.unknown(),
  headers: z.record(z.string().max(100), z.string().max(1_000)).optional(),
  run: z.boolean().optional(),
})
export type WebhookTest = z.infer<typeof webhookTest>

/** Times in Unix ms. `previousSecret` holds until its time. */
export interface Webhook {
  id: string
  name: string
  description: string | null
  scheme: WebhookScheme
  secret: string
  previousSecret: { value: string; until: number } | null
  taskTemplate: string
  /** Null: all events are let through. */
  events: string[] | null
  sessionKeyTemplate: string | null
  enabled: boolean
  with: StartWith
  createdTime: number
  updatedTime: number
}

/** A webhook as clients see it. `secret`: masked, but in the first answer where it was made here. */
export const webhook = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('webhook'),
    name: z.string(),
    description: z.string().nullable(),
    scheme,
    url: z.string(),
    secret: z.string(),
    previous_secret_expires_time: time().nullable(),
    task_template: z.string(),
    events: z.array(z.string()).nullable(),
    session_key_template: z.string().nullable(),
    ...startViewShape(),
    enabled: z.boolean(),
    created_time: time(),
    updated_time: time(),
  }),
)
export type WebhookInfo = ShapeOf<typeof webhook>

/** What came to a webhook, and what it did. */
export const webhookDelivery = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('webhook.delivery'),
    webhook_id: z.string(),
    delivery_id: z.string().nullable(),
    received_time: time(),
    event: z.string().nullable(),
    status: z.enum(FIRING_STATUSES),
    reason: z.string().nullable(),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    session_key: z.string().nullable(),
    missing: z.array(z.string()),
    repeats: count(),
    is_test: z.boolean(),
    bytes: count().nullable(),
    excerpt: z.string().nullable(),
  }),
)
export type WebhookDeliveryInfo = ShapeOf<typeof webhookDelivery>

/** What a delivery would do, and did. */
export const webhookTrial = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('webhook.trial'),
    event: z.string().nullable(),
    ignored: z.boolean(),
    reason: z.string().nullable(),
    task: z.string(),
    /** What its workflow is given; null: nothing beside the task. */
    inputs: record().nullable(),
    missing: z.array(z.string()),
    session_key: z.string().nullable(),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    delivery: webhookDelivery().nullable(),
  }),
)
export type WebhookTrialInfo = ShapeOf<typeof webhookTrial>

/** What a sender is answered: the run that it started, or that it started none; or what it asked for. */
export const webhookAnswer = /* @__PURE__ */ onDemand(() =>
  z.union([
    z.object({
      id: z.string().nullable(),
      session_id: z.string().nullable(),
      run_id: z.string().nullable(),
      ignored: z.literal(true).exactOptional(),
      reason: z.string().exactOptional(),
    }),
    z.object({ challenge: z.string() }),
  ]),
)

const HOME = 'default'

/** The tenant that the id of a webhook ends in; null: no webhook has such an id. */
export function tenantOfHook(id: string): string | null {
  const { body, mark, ending } = idParts(id)
  if (!isId('whk', body + mark)) return null
  if (ending === '') return HOME
  const tenant = ending.slice(1)
  return tenant !== HOME && tenantName.safeParse(tenant).success ? tenant : null
}
