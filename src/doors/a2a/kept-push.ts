import type { Context } from 'hono'
import { isSigning, taskPushSecret } from '../../callbacks/task-push.ts'
import type { Callback, CallbackEvent, TaskPush } from '../../domain/callback.ts'
import { signingSecret } from '../../domain/callback-input.ts'
import { httpUrl } from '../../domain/config.ts'
import { invalid, ok, type Result } from '../../domain/errors.ts'
import { taskIdOf } from '../../domain/task-id.ts'
import { refusedAddress } from '../../http/callbacks.ts'
import { type AppEnv, originOf } from '../../http/context.ts'
import { idFrom } from '../../lib/id.ts'
import { issuesOf } from '../../lib/zod.ts'
import { outboxObject } from '../../objects/env.ts'
import { ownerMark } from '../kernel/thread.ts'
import type { PushConfigInput } from './request.ts'
import type { Pushed } from './shapes.ts'

/** Somebody is told of a task, by our outbox. */

const EVENTS: CallbackEvent[] = ['run.completed', 'run.failed', 'run.cancelled', 'run.interrupted']

/** `run` null: it is bound to the run that `key` begins. */
export type PushPlace = Pick<TaskPush, 'session' | 'run' | 'contextId'> & { key?: string }

/** Has somebody told of a task: the same config again is the same. */
export async function keepPush(c: Context<AppEnv>, place: PushPlace, given: PushConfigInput): Promise<Result<Pushed>> {
  const url = httpUrl.safeParse(given.url)
  if (!url.success) return invalid([{ path: 'url', message: 'an http or https address' }])
  const { scheme, credentials } = given.authentication ?? {}
  const signs = isSigning(scheme ?? '') ? signingSecret.safeParse(credentials) : null
  if (signs?.success === false) return invalid(issuesOf(signs.error, 'authentication.credentials'))
  const refused = await refusedAddress(c, url.data)
  if (refused) return refused
  const { tenant } = c.get('principal')
  const { session, run, contextId, key = run ?? '' } = place
  const configId = given.id || 'default'
  const now = Date.now()
  const push: TaskPush = {
    session,
    run,
    owner: await ownerMark(c, session),
    contextId,
    configId,
    ...(given.token ? { token: given.token } : {}),
    ...(given.authentication?.scheme
      ? {
          authentication: {
            scheme: given.authentication.scheme,
            ...(given.authentication.credentials ? { credentials: given.authentication.credentials } : {}),
          },
        }
      : {}),
  }
  const callback: Callback & { push: TaskPush } = {
    id: await pushId(session, key, configId),
    tenant,
    name: null,
    url: url.data,
    events: EVENTS,
    secret: taskPushSecret(push),
    previousSecret: null,
    retry: null,
    template: null,
    templateSecret: null,
    enabled: true,
    disabledReason: null,
    origin: originOf(c),
    createdTime: now,
    updatedTime: now,
    push,
  }
  const kept = await outboxObject(c.env, tenant).putPush(callback)
  return kept.ok ? ok(pushedOf(callback)) : kept
}

/** Nothing began: nobody is told. */
export async function dropPush(
  c: Context<AppEnv>,
  { session, run, key = run ?? '' }: PushPlace,
  given: PushConfigInput,
): Promise<void> {
  const id = await pushId(session, key, given.id || 'default')
  await outboxObject(c.env, c.get('principal').tenant).removePush(id)
}

async function pushId(session: string, key: string, configId: string): Promise<string> {
  const name = new TextEncoder().encode([session, key, configId].join('\n'))
  return idFrom('cbk', 0, new Uint8Array(await crypto.subtle.digest('SHA-256', name)))
}

/** As its client is told it: credentials stay here. */
export function pushedOf({ url, push }: Callback & { push: TaskPush }): Pushed {
  const { session, run, owner, configId, token, authentication } = push
  return {
    id: configId,
    taskId: taskIdOf({ session, run: run ?? '', owner }),
    url,
    ...(token === undefined ? {} : { token }),
    ...(authentication ? { authentication: { scheme: authentication.scheme } } : {}),
  }
}
