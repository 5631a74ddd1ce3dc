import type { Context } from 'hono'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Status } from '../../domain/run.ts'
import { type ListedTask, taskIdOf, type TaskQuery } from '../../domain/task-id.ts'
import type { AppEnv } from '../../http/context.ts'
import { TenantLists } from '../../objects/tenant-lists.ts'
import { allowed } from '../kernel/allowed.ts'
import { ownerMark, ownerName } from '../kernel/thread.ts'
import { foreignTenant } from './protocol.ts'
import type { ListRequest } from './request.ts'
import { type StateName, TASK_STATES, type Task } from './shapes.ts'
import { taskNow } from './tasks.ts'

/** ListTasks: the tasks of whoever asks, as the lists of the tenant have them. */

const STATES: Readonly<Record<Status, StateName>> = {
  idle: 'TASK_STATE_SUBMITTED',
  in_progress: 'TASK_STATE_WORKING',
  interrupted: 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
}

export function ownTasks(c: Context<AppEnv>, asked: ListRequest): Promise<Result<object>> {
  return allowed(c, { scope: 'read' }, async () => {
    const foreign = foreignTenant(c, asked.tenant)
    if (foreign) return fail(foreign)
    const query = queryOf(c, asked)
    if (!query.ok) return query
    const { limit } = query.value
    const lists = new TenantLists(c.env, c.get('principal').tenant)
    const { tasks: found, total } = await lists.tasks({ ...query.value, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const next = found.length > limit && last ? `${last.time}_${last.run}` : ''
    const tasks = await Promise.all(page.map((one) => shown(c, one, asked)))
    return ok({ tasks, nextPageToken: next, pageSize: limit, totalSize: total })
  })
}

function queryOf(c: Context<AppEnv>, asked: ListRequest): Result<TaskQuery> {
  const [, time, run] = /^(\d{4}-[\d-]+T[\d:.]+Z)_(run_[0-9a-z]{26})$/.exec(asked.pageToken ?? '') ?? []
  if (asked.pageToken && (time === undefined || run === undefined))
    return invalid([{ path: 'pageToken', message: 'a nextPageToken of an earlier page' }])
  const { contextId, status, pageSize, statusTimestampAfter: since } = asked
  return ok({
    owner: ownerName(c.get('principal')),
    context: contextId || null,
    statuses: statusesOf(status),
    since: since ? new Date(since).toISOString() : null,
    before: time !== undefined && run !== undefined ? { time, run } : null,
    limit: pageSize ?? LIMITS.door.tasksDefault,
  })
}

/** Those of ours that are told as a state; null: any. */
function statusesOf(status: ListRequest['status']): Status[] | null {
  const name = typeof status === 'number' ? TASK_STATES[status] : status
  if (!name || name === 'TASK_STATE_UNSPECIFIED') return null
  return (Object.keys(STATES) as Status[]).filter((one) => STATES[one] === name)
}

/** What is over and asked for without its words stands in the list; of all else its session is asked. */
async function shown(
  c: Context<AppEnv>,
  { session, run, context, status, time }: ListedTask,
  { historyLength, includeArtifacts }: ListRequest,
): Promise<Task> {
  const isListed = !historyLength && !includeArtifacts && /^(completed|failed|cancelled)$/.test(status)
  const short = { historyLength: historyLength ?? 0, isShort: !includeArtifacts }
  const read = isListed ? null : await taskNow(c, { session, run }, short)
  if (read?.ok) return read.value
  const owner = await ownerMark(c, session)
  return {
    id: taskIdOf({ session, run, owner }),
    contextId: context,
    status: { state: STATES[status], timestamp: time },
    metadata: { 'yaa/session': session, 'yaa/run': run },
  }
}
