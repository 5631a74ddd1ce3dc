import type { AuditFact } from '../domain/audit.ts'
import { ok, type Result } from '../domain/errors.ts'
import type { SessionStarts, StartOptions } from '../domain/start.ts'
import { isId } from '../lib/id.ts'
import type { CallOptions, RunAnswer, SessionText } from '../session/call.ts'
import { isMigrated } from '../store/migrate.ts'
import { TRIGGERS_SCHEMA } from '../store/triggers.ts'
import type { TriggerPorts } from '../triggers/ports.ts'
import { objectAlarm } from './alarm.ts'
import { objectDatabase } from './database.ts'
import { serverOf } from './engine.ts'
import { auditObject, type Env, sessionObject } from './env.ts'
import { report } from './report.ts'

/** The ports of a tenant's triggers at home in a Durable Object. */
export function triggerPorts(ctx: DurableObjectState, env: Env): TriggerPorts {
  const db = objectDatabase(ctx.storage)
  return {
    db,
    now: Date.now,
    random: Math.random,
    alarm: objectAlarm(ctx, isMigrated(db, TRIGGERS_SCHEMA) ? undefined : null),
    sessions: (tenant) => sessionStarts(env, tenant),
    language: serverOf(env).config.language ?? 'zh-CN',
    timezone: timezoneOf(env),
    report,
  }
}

/** The time zone of this server. */
export function timezoneOf(env: Env): string {
  return serverOf(env).config.timezone ?? 'Asia/Shanghai'
}

function sessionStarts(env: Env, tenant: string): SessionStarts {
  const session = (id: string) => sessionObject(env, tenant, id)
  return {
    start: async (id, input, options) => {
      const started = runIdOf(await session(id).create(id, tenant, input, callOf(options)))
      return told(env, { tenant, id, by: options.by }, started)
    },
    add: async (id, task, options) => {
      const started = runIdOf(await session(id).addMessage({ content: task }, callOf(options)))
      return told(env, { tenant, id, by: options.by }, started)
    },
    isBusy: async (id) => {
      const read = await session(id).read('none')
      if (!read.ok) return false
      const { status } = await new Response(read.value.body).json<{ status: string }>()
      return status === 'in_progress'
    },
    cancel: async (id) => {
      await session(id).cancel({})
    },
  }
}

/** The audit hears of what a schedule started. Of what a webhook did it hears where the delivery came in. */
async function told(
  env: Env,
  { tenant, id, by }: { tenant: string; id: string; by: string },
  started: Result<string | null>,
): Promise<Result<string | null>> {
  if (!started.ok || !isId('sch', by)) return started
  const fact: AuditFact = {
    actor: { kind: 'trigger', id: by },
    action: 'schedule.run',
    target: id,
    outcome: 'done',
    status: null,
    request_id: null,
    details: { run_id: started.value },
  }
  await auditObject(env, tenant).tell(fact).catch(report)
  return started
}

function callOf({ key, whenBusy, untrusted }: StartOptions): CallOptions {
  return { form: 'background', key, whenBusy, triggered: { untrusted } }
}

function runIdOf(answered: Result<RunAnswer | SessionText>): Result<string | null> {
  if (!answered.ok) return answered
  return ok('form' in answered.value && answered.value.form === 'background' ? answered.value.accepted.run_id : null)
}
