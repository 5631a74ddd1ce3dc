import type { NewWebhook, SecretRotation, Webhook, WebhookInfo, WebhookPatch } from '../domain/webhook.ts'
import { invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { maskConfig, unmasked } from '../domain/config.ts'
import { SECRET_MASK } from '../lib/text.ts'
import { type StartWith, triggeredWork } from '../domain/start.ts'
import { SCHEMES } from './schemes.ts'

/** A webhook as it was asked for, or what is wrong with its secret. Without one it gets one, if its sender takes any. */
export function webhookFrom(input: NewWebhook, id: string, now: number): Result<Webhook> {
  const secret = checkedSecret(input)
  if (!secret.ok) return secret
  const work = triggeredWork(input.task_template, startWith(input, {}))
  return ok({
    id,
    name: input.name,
    description: input.description || null,
    scheme: input.scheme,
    secret: secret.value,
    previousSecret: null,
    taskTemplate: work.words,
    events: input.events?.length ? input.events : null,
    sessionKeyTemplate: input.session_key_template ?? null,
    enabled: input.enabled ?? true,
    with: work.with,
    createdTime: now,
    updatedTime: now,
  })
}

/** The webhook with a change. */
export function patchedWebhook(webhook: Webhook, patch: WebhookPatch, now: number): Result<Webhook> {
  const rotated = patch.secret === undefined ? ok(webhook) : rotatedWebhook(webhook, patch, now)
  if (!rotated.ok) return rotated
  const { description, events, session_key_template: key } = patch
  return ok({
    ...rotated.value,
    name: patch.name ?? webhook.name,
    description: description === undefined ? webhook.description : description || null,
    taskTemplate: patch.task_template ?? webhook.taskTemplate,
    events: events === undefined ? webhook.events : events?.length ? events : null,
    sessionKeyTemplate: key === undefined ? webhook.sessionKeyTemplate : key,
    enabled: patch.enabled ?? webhook.enabled,
    with: startWith(patch, webhook.with),
    updatedTime: now,
  })
}

/** The webhook with another secret; the present one holds on for a while, one that went before it does not. */
export function rotatedWebhook(webhook: Webhook, rotation: SecretRotation, now: number): Result<Webhook> {
  if (rotation.secret === SECRET_MASK) return ok(webhook)
  const secret = checkedSecret({ scheme: webhook.scheme, secret: rotation.secret })
  if (!secret.ok) return secret
  const until = now + (rotation.previous_secret_ms ?? LIMITS.trigger.previousSecretMs)
  return ok({
    ...webhook,
    secret: secret.value,
    previousSecret: until > now ? { value: webhook.secret, until } : null,
    updatedTime: now,
  })
}

/** A secret that its scheme can have: the one given, or a new one. */
function checkedSecret({ scheme, secret }: Pick<NewWebhook, 'scheme' | 'secret'>): Result<string> {
  const { newSecret, secretProblem } = SCHEMES[scheme]
  if (secret === undefined && newSecret) return ok(newSecret())
  if (secret === undefined) return invalid([{ path: 'secret', message: `the signing secret that ${scheme} shows` }])
  const problem = secretProblem(secret)
  return problem === null ? ok(secret) : invalid([{ path: 'secret', message: problem }])
}

type StartPatch = { [Name in keyof StartWith]?: StartWith[Name] | null }

/** What sessions are made with, after a change: null takes away. A key that came back masked stays, for the same model's address. */
export function startWith(patch: StartPatch, known: StartWith): StartWith {
  const { skill, config, orchestrator, team, workflow, inputs, user } = patch
  const isSameModel = config?.llm?.api_url === known.config?.llm?.api_url
  const given = {
    skill,
    config: config && unmasked(config, (isSameModel && known.config) || {}),
    orchestrator,
    team,
    workflow,
    inputs,
    user,
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const merged: StartPatch = { ...known, ...Object.fromEntries(set) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as StartWith
}

/** The same as it is shown. */
export function startView({ skill, config, orchestrator, team, workflow, inputs, user }: StartWith) {
  return {
    skill: skill ?? null,
    config: maskConfig(config ?? {}),
    orchestrator: orchestrator ?? null,
    team: team ?? null,
    workflow: workflow ?? null,
    inputs: inputs ?? null,
    user: user ?? null,
  }
}

const timeOf = (time: number) => new Date(time).toISOString()

/** A webhook as clients see it; the secret only where it is told this once. `base`: where this server is reached. */
export function webhookView(webhook: Webhook, base: string, now: number, secret = SECRET_MASK): WebhookInfo {
  const { previousSecret: previous } = webhook
  return {
    id: webhook.id,
    object: 'webhook',
    name: webhook.name,
    description: webhook.description,
    scheme: webhook.scheme,
    url: `${base}/hooks/${webhook.id}`,
    secret,
    previous_secret_expires_time: previous && previous.until > now ? timeOf(previous.until) : null,
    task_template: webhook.taskTemplate,
    events: webhook.events,
    session_key_template: webhook.sessionKeyTemplate,
    ...startView(webhook.with),
    enabled: webhook.enabled,
    created_time: timeOf(webhook.createdTime),
    updated_time: timeOf(webhook.updatedTime),
  }
}
