import type { Context } from 'hono'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { TaskPlace } from '../../domain/task-id.ts'
import { serviceOf } from '../../http/caller.ts'
import { type AppEnv, problem } from '../../http/context.ts'
import { eventStream } from '../../http/route.ts'
import { readAllText } from '../../lib/streams.ts'
import { sessionObject } from '../../objects/env.ts'
import { openCounted } from '../../service/limits.ts'
import { stopRun } from '../kernel/asked.ts'
import { allowed } from '../kernel/allowed.ts'
import { type Binding, foreignTenant, taskView } from './protocol.ts'
import type { TaskView } from './reader.ts'
import type { Task } from './shapes.ts'
import { ownTask } from './thread.ts'

/** What clients ask of a task that is there: how it stands, to be told of it, to stop it. */

/** A task as it stands now. */
export async function taskNow(
  c: Context<AppEnv>,
  { session, run }: Pick<TaskPlace, 'session' | 'run'>,
  { historyLength = null, isShort = false }: { historyLength?: number | null | undefined; isShort?: boolean },
): Promise<Result<Task>> {
  const options: TaskView = { ...(await taskView(c, {}, { session, historyLength })), isShort }
  const object = sessionObject(c.env, c.get('principal').tenant, session)
  const read = await object.run({ runId: run, fromSeq: null, follows: false }, { name: 'a2a-task', options })
  if (!read.ok) return fail({ code: 'not_found', what: 'task' })
  const text = await readAllText(read.value, LIMITS.door.responseBytesMax)
  return text === null ? fail({ code: 'internal_error' }) : ok(JSON.parse(text) as Task)
}

function named(c: Context<AppEnv>, { session, run }: TaskPlace): void {
  c.set('session', session)
  c.header('x-yaa-session', session)
  c.header('x-yaa-run', run)
}

interface TaskAsked {
  tenant?: string | null | undefined
  id: string
  historyLength?: number | null | undefined
}

async function placed(
  c: Context<AppEnv>,
  { tenant, id }: Pick<TaskAsked, 'tenant' | 'id'>,
): Promise<Result<TaskPlace>> {
  const foreign = foreignTenant(c, tenant)
  if (foreign) return fail(foreign)
  const place = await ownTask(c, id)
  if (place.ok) named(c, place.value)
  return place
}

/** GetTask. */
export function getTask(c: Context<AppEnv>, asked: TaskAsked): Promise<Result<Task>> {
  return allowed(c, { scope: 'read' }, async () => {
    const place = await placed(c, asked)
    return place.ok ? taskNow(c, place.value, { historyLength: asked.historyLength }) : place
  })
}

const ENDED: readonly string[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]

/** CancelTask. */
export async function cancelTask(c: Context<AppEnv>, asked: TaskAsked): Promise<Result<Task>> {
  const before = await allowed(c, { scope: 'run' }, async () => {
    const place = await placed(c, asked)
    if (!place.ok) return place
    const now = await taskNow(c, place.value, { historyLength: 0, isShort: true })
    return now.ok ? ok({ place: place.value, state: now.value.status.state }) : now
  })
  if (!before.ok) return before
  const { place, state } = before.value
  if (ENDED.includes(state)) return fail({ code: 'run_over', runId: place.run })
  const stopped = await stopRun(c, place.session, { status: { good: 200, begun: 200 } })
  return stopped.ok ? taskNow(c, place, {}) : stopped
}

/** SubscribeToTask: the task as it stands, then what happens to it until it rests. */
export async function subscribe(c: Context<AppEnv>, binding: Binding, asked: TaskAsked): Promise<Response> {
  const opened = await allowed(c, { scope: 'read' }, async () => {
    const place = await placed(c, asked)
    if (!place.ok) return place
    const { session, run } = place.value
    const now = await taskNow(c, place.value, { historyLength: 0, isShort: true })
    if (!now.ok) return now
    if (ENDED.includes(now.value.status.state)) return fail({ code: 'run_over', runId: run })
    const { tenant } = c.get('principal')
    const connection = await openCounted(serviceOf(c), tenant, { kind: 'stream', session })
    if (!connection.ok) return connection
    const options: TaskView = { ...(await taskView(c, binding, { session, historyLength: null })), form: 'stream' }
    const part = { runId: run, fromSeq: null, follows: true }
    const stream = await sessionObject(c.env, tenant, session).run(part, { name: 'a2a-task', options })
    if (stream.ok) return ok({ body: stream.value, connection: connection.value })
    await connection.value?.close()
    return fail({ code: 'not_found', what: 'task' } as const)
  })
  if (!opened.ok) return problem(c, opened.error)
  return eventStream(c, opened.value.body, { connection: opened.value.connection })
}
