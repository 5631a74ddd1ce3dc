import type { ScheduledRunInfo } from '../domain/schedule.ts'
import type { Firing } from '../domain/start.ts'
import type { WebhookDeliveryInfo, WebhookTrialInfo } from '../domain/webhook.ts'
import type { WebhookTrial } from './deliveries.ts'

const timeOf = (time: number) => new Date(time).toISOString()

/** A delivery as clients see it. */
export function webhookDeliveryView({
  id,
  trigger,
  time,
  status,
  sessionId,
  runId,
  repeats,
  facts,
}: Firing): WebhookDeliveryInfo {
  return {
    id,
    object: 'webhook.delivery',
    webhook_id: trigger,
    delivery_id: facts.deliveryId ?? null,
    received_time: timeOf(time),
    event: facts.event ?? null,
    status,
    reason: facts.reason ?? null,
    session_id: sessionId,
    run_id: runId,
    session_key: facts.sessionKey ?? null,
    missing: facts.missing ?? [],
    repeats,
    is_test: facts.isTest ?? false,
    bytes: facts.bytes ?? null,
    excerpt: facts.excerpt ?? null,
  }
}

/** What a delivery would do, and did. */
export function webhookTrialView(trial: WebhookTrial): WebhookTrialInfo {
  return {
    object: 'webhook.trial',
    event: trial.event,
    ignored: trial.ignored !== null,
    reason: trial.ignored,
    task: trial.task,
    inputs: trial.inputs,
    missing: trial.missing,
    session_key: trial.sessionKey,
    session_id: trial.firing?.sessionId ?? trial.sessionId,
    run_id: trial.firing?.runId ?? null,
    delivery: trial.firing && webhookDeliveryView(trial.firing),
  }
}

/** A run of a schedule as clients see it. */
export function scheduleRunView({ id, trigger, time, status, sessionId, runId, facts }: Firing): ScheduledRunInfo {
  return {
    id,
    object: 'schedule.run',
    schedule_id: trigger,
    due_time: timeOf(facts.due ?? time),
    time: timeOf(time),
    status,
    reason: facts.reason ?? null,
    session_id: sessionId,
    run_id: runId,
    is_test: facts.isTest ?? false,
  }
}
