import { ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { SessionStarts, StartOptions } from '../domain/start.ts'
import { isId } from '../lib/id.ts'
import { recordAct } from '../service/audit.ts'
import type { Principal } from '../service/caller.ts'
import { type Command, type CommandType, type Order, run } from '../service/run.ts'
import type { SessionHead } from '../session/queries/projection.ts'
import { isMigrated } from '../store/migrate.ts'
import { tenantOfTriggers, TRIGGERS_SCHEMA } from '../store/triggers.ts'
import type { TriggerPorts } from '../triggers/starter.ts'
import { objectAlarm, objectDatabase } from './storage.ts'
import { serverOf } from './engine.ts'
import { type Env, sessionObject, placeFor } from './env.ts'
import { newSessionId } from '../access/marks.ts'
import { report } from './report.ts'
import { TenantLists } from './tenant-lists.ts'
import { secretOf } from './secret.ts'
import { servicePorts } from './service-ports.ts'

/** The ports of a tenant's triggers at home in a Durable Object. */
export function triggerPorts(ctx: DurableObjectState, env: Env): TriggerPorts {
  const db = objectDatabase(ctx.storage)
  return {
    db,
    now: Date.now,
    random: Math.random,
    alarm: objectAlarm(ctx, isMigrated(db, TRIGGERS_SCHEMA) ? undefined : null),
    sessions: (tenant) => sessionStarts(env, tenant),
    newSessionId: async (tenant) =>
      newSessionId(await secretOf(env), tenant, { now: Date.now(), within: placeFor(env)?.jurisdiction }),
    language: serverOf(env).config.language ?? 'zh-CN',
    timezone: serverTimezone(env),
    startedLate: async ({ trigger, sessionId }) => {
      const principal = principalOf(trigger, tenantOfTriggers(db))
      const act = { action: 'webhook.deliver', target: trigger, requestId: null, details: { made: sessionId } }
      // Of a schedule the audit hears wherever it starts a run.
      if (isId('whk', trigger)) await recordAct(servicePorts(env), principal, act)
    },
    report,
  }
}

/** The time zone of this server. */
export function serverTimezone(env: Env): string {
  return serverOf(env).config.timezone ?? 'Asia/Shanghai'
}

/** A run that rests for a time, a delivery or another session is still going; one that waits for a human or a caller is not. */
function isGoing({ status, pending }: Pick<SessionHead, 'status' | 'pending'>): boolean {
  const rests = status === 'interrupted' && pending.every(({ wait }) => wait !== undefined)
  return status === 'in_progress' || rests
}

const principalOf = (id: string, tenant: string): Principal => ({ kind: 'trigger', id, tenant, scopes: ['run'] })

/** The sessions of a tenant, by the service. A firing has a key of its own, which nobody has to claim. */
function sessionStarts(env: Env, tenant: string): SessionStarts {
  const ports = servicePorts(env)
  const give = (by: string, sessionId: string, command: Command, options: Partial<Order<CommandType>>) =>
    run(
      ports,
      { principal: principalOf(by, tenant), requestId: null },
      {
        type: command.type,
        sessionId,
        idempotency: null,
        read: async () => ok(command),
        form: 'background',
        ...options,
      },
    )
  const start = async (id: string, command: Command, { by, key, untrusted }: StartOptions) => {
    const done = await give(by, id, command, { idempotency: { key }, triggered: { untrusted } })
    if (!done.ok) return done
    const { answer } = done.value
    const runId = 'form' in answer && answer.form === 'background' ? answer.accepted.run_id : null
    const act = { action: 'schedule.run', target: id, requestId: null, details: { run_id: runId } }
    // Of what a webhook did the audit hears where the delivery came in.
    if (isId('sch', by)) await recordAct(ports, principalOf(by, tenant), act)
    return ok(runId)
  }
  return {
    start: (id, input, options) => start(id, { type: 'create', input, whenBusy: options.whenBusy }, options),
    add: (id, { task, inputs }, options) => {
      const input = { content: task, ...(inputs === undefined ? {} : { inputs }) }
      return start(id, { type: 'message', input, whenBusy: options.whenBusy }, options)
    },
    waitingFor: async (webhookKey) => {
      const found = await new TenantLists(env, tenant).waiting({ webhookKey, limit: LIMITS.wait.wokenMax })
      return found.map(({ session_id: sessionId, id: pendingId }) => ({ sessionId, pendingId }))
    },
    deliver: ({ sessionId, pendingId }, result, options) =>
      start(sessionId, { type: 'decide', pendingId, input: { result } }, options),
    isBusy: async (id) => {
      const head = await sessionObject(env, tenant, id).head()
      return head.ok && isGoing(head.value)
    },
    cancel: async (id, by) => void (await give(by, id, { type: 'cancel' }, {})),
  }
}
