import type { Context } from 'hono'
import { isSigning, taskPushSecret } from '../../callbacks/task-push.ts'
import type { Callback, CallbackEvent, TaskPush } from '../../domain/callback.ts'
import { signingSecret } from '../../domain/callback-input.ts'
import { httpUrl } from '../../domain/config.ts'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { taskIdOf, type TaskPlace } from '../../domain/task-id.ts'
import { refusedAddress } from '../../http/callbacks.ts'
import { type AppEnv, originOf } from '../../http/context.ts'
import { idFrom } from '../../lib/id.ts'
import { issuesOf } from '../../lib/zod.ts'
import { outboxObject } from '../../objects/env.ts'
import { allowed } from '../kernel/allowed.ts'
import { ownerMark } from '../kernel/thread.ts'
import { foreignTenant } from './protocol.ts'
import type { PushConfigInput } from './request.ts'
import type { Pushed } from './shapes.ts'
import { taskNow } from './tasks.ts'
import { ownTask } from './thread.ts'

/** Who is told of a task, by our outbox. */

interface Asked {
  tenant?: string | null | undefined
  taskId?: string | null | undefined
}

async function placeOfTask(c: Context<AppEnv>, { tenant, taskId }: Asked): Promise<Result<TaskPlace>> {
  const foreign = foreignTenant(c, tenant)
  return foreign ? fail(foreign) : ownTask(c, taskId ?? '')
}

/** CreateTaskPushNotificationConfig. */
export function createConfig(c: Context<AppEnv>, asked: PushConfigInput): Promise<Result<Pushed>> {
  return allowed(c, { scope: 'run', action: 'push_config.create', target: asked.taskId ?? null }, async () => {
    const place = await placeOfTask(c, asked)
    if (!place.ok) return place
    const now = await taskNow(c, place.value, { historyLength: 0, isShort: true })
    return now.ok ? keepPush(c, { ...place.value, contextId: now.value.contextId }, asked) : now
  })
}

/** Those of a task. */
async function pushesOfTask(
  c: Context<AppEnv>,
  { session, run }: TaskPlace,
): Promise<(Callback & { push: TaskPush })[]> {
  const all = await outboxObject(c.env, c.get('principal').tenant).pushes(session)
  return all.flatMap((one) => (one.push?.run === run ? [{ ...one, push: one.push }] : []))
}

/** ListTaskPushNotificationConfigs. */
export function listConfigs(c: Context<AppEnv>, asked: Asked): Promise<Result<object>> {
  return allowed(c, { scope: 'read' }, async () => {
    const place = await placeOfTask(c, asked)
    if (!place.ok) return place
    const configs = (await pushesOfTask(c, place.value)).map(pushedOf)
    return ok({ configs, nextPageToken: '' })
  })
}

const UNKNOWN = fail({ code: 'not_found', what: 'push notification config' })

/** GetTaskPushNotificationConfig. */
export function getConfig(c: Context<AppEnv>, asked: Asked & { id: string }): Promise<Result<Pushed>> {
  return allowed(c, { scope: 'read' }, async () => {
    const place = await placeOfTask(c, asked)
    if (!place.ok) return place
    const found = (await pushesOfTask(c, place.value)).find(({ push }) => push.configId === asked.id)
    return found ? ok(pushedOf(found)) : UNKNOWN
  })
}

/** DeleteTaskPushNotificationConfig: what is not there is deleted. */
export function deleteConfig(c: Context<AppEnv>, asked: Asked & { id: string }): Promise<Result<object>> {
  return allowed(c, { scope: 'run', action: 'push_config.delete', target: asked.taskId ?? null }, async () => {
    const place = await placeOfTask(c, asked)
    if (!place.ok) return place
    const found = (await pushesOfTask(c, place.value)).filter(({ push }) => push.configId === asked.id)
    for (const { id } of found) await outboxObject(c.env, c.get('principal').tenant).removePush(id)
    return ok({})
  })
}

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
function pushedOf({ url, push }: Callback & { push: TaskPush }): Pushed {
  const { session, run, owner, configId, token, authentication } = push
  return {
    id: configId,
    taskId: taskIdOf({ session, run: run ?? '', owner }),
    url,
    ...(token === undefined ? {} : { token }),
    ...(authentication ? { authentication: { scheme: authentication.scheme } } : {}),
  }
}
