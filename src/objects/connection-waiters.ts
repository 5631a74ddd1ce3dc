import { ok } from '../domain/errors.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { type GivenConnection, isGiven } from '../domain/wanted-connection.ts'
import { sleep } from '../lib/wait.ts'
import type { Principal } from '../service/caller.ts'
import { run } from '../service/run.ts'
import type { Env } from './env.ts'
import { report } from './report.ts'
import { servicePorts } from './service-ports.ts'
import { TenantLists } from './tenant-lists.ts'

/** What stands in the log as the answer. */
const DONE: Readonly<Record<Language, string>> = { 'zh-CN': '好了', en: 'done' }

/** Whoever waits for what was given goes on. What sessions tell of themselves reaches the list a moment later: it is looked at twice. */
export async function goOnWith(env: Env, tenant: string, given: GivenConnection, language: Language): Promise<void> {
  await answerAll(env, tenant, given, language).catch(report)
  await sleep(LIMITS.settings.askedHeardMs)
  await answerAll(env, tenant, given, language).catch(report)
}

async function answerAll(env: Env, tenant: string, given: GivenConnection, language: Language): Promise<void> {
  const { name: connection } = given
  const waiting = await new TenantLists(env, tenant).waiting({ connection, limit: LIMITS.settings.waitingMax })
  const principal: Principal = { kind: 'server', id: 'connections', tenant, scopes: ['decide'] }
  const answers = waiting
    .filter((item) => isGiven(item, given))
    .map(({ id: pendingId, session_id: sessionId }) => {
      const command = { type: 'decide', pendingId, input: { decision: 'answer', answer: DONE[language] } } as const
      const order = { type: 'decide', sessionId, idempotency: null, form: 'background', status: null } as const
      return run(servicePorts(env), { principal, requestId: null }, { ...order, read: async () => ok(command) })
    })
  await Promise.all(answers)
}
