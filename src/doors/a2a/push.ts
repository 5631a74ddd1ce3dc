import type { Context } from 'hono'
import type { Callback, TaskPush } from '../../domain/callback.ts'
import { fail, ok, type Result } from '../../domain/errors.ts'
import type { TaskPlace } from '../../domain/task-id.ts'
import type { AppEnv } from '../../http/context.ts'
import { outboxObject } from '../../objects/env.ts'
import { keepPush, pushedOf } from './kept-push.ts'
import { allowed, foreignTenant } from './allowed.ts'
import type { PushConfigInput } from './request.ts'
import type { Pushed } from './shapes.ts'
import { taskNow } from './tasks.ts'
import { ownTask } from './thread.ts'

/** Who is told of a task. */

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
  return allowed(c, { scope: 'run', action: 'push_config.delete', target: asked.id }, async () => {
    const place = await placeOfTask(c, asked)
    if (!place.ok) return place
    const found = (await pushesOfTask(c, place.value)).find(({ push }) => push.configId === asked.id)
    if (found) await outboxObject(c.env, c.get('principal').tenant).removePush(found.id)
    return ok({})
  })
}
