import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Result as RpcResult,
  type Server,
} from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { McpPlace } from '../../domain/mcp-session.ts'
import type { PendingAnswer } from '../../domain/session-input.ts'
import type { AppEnv } from '../../http/context.ts'
import { isId } from '../../lib/id.ts'
import { lacks } from '../../service/caller.ts'
import { allowed } from '../kernel/allowed.ts'
import { faultOf, inputRequests, callLanguage, shapeFor } from './call.ts'
import { readPlace } from './place.ts'
import type { McpView } from './project.ts'
import { isForHuman, saidIn } from './questions.ts'
import { runResult, waitingText } from './result.ts'
import { cancelled, decided, runStanding } from './run.ts'

/** Tasks: runs that went on behind their calls (extension `io.modelcontextprotocol/tasks`). */

export const TASKS = 'io.modelcontextprotocol/tasks'

const taskParams = z.looseObject({ taskId: z.string().max(LIMITS.door.idCharsMax) })

/** What a client of the stateless revision says of itself with each request. */
export interface DeclaredClient {
  takesTasks: boolean
  elicits: boolean
}

export function serveTasks(server: Server, c: Context<AppEnv>, client: DeclaredClient): void {
  const serve = (method: string, work: (task: Task, responses: Record<string, unknown>) => Promise<RpcResult>) =>
    server.setRequestHandler(method, { params: taskParams }, async ({ taskId }, ctx) => {
      if (!client.takesTasks)
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } })
      return work(await taskOf(c, taskId), ctx.mcpReq.inputResponses ?? {})
    })
  serve('tasks/get', (task) => detailedTask(c, task, client))
  serve('tasks/cancel', async ({ place, view }) => {
    const done = await cancelled(c, place, view)
    if (!done.ok) throw faultOf(c, done.error)
    return {}
  })
  serve('tasks/update', ({ place }, responses) => updated(c, place, responses))
}

interface Task {
  id: string
  place: McpPlace
  isAnswerStructure: boolean
  view: McpView
}

async function taskOf(c: Context<AppEnv>, id: string): Promise<Task> {
  const task = await readPlace(c, 'task', id)
  const place = task ?? (await readPlace(c, 'json', id))
  if (!place) throw new ProtocolError(INVALID_PARAMS, 'Unknown task')
  c.header('x-yaa-session', place.session)
  c.header('x-yaa-run', place.run)
  return {
    id,
    place,
    isAnswerStructure: task === null,
    view: { after: null, language: callLanguage(c, ''), isSilent: true },
  }
}

const INVALID_PARAMS = -32_602

async function detailedTask(
  c: Context<AppEnv>,
  { id, place, isAnswerStructure, view }: Task,
  { elicits }: DeclaredClient,
): Promise<RpcResult> {
  const standing = await allowed(c, { scope: 'read', target: place.session }, () => runStanding(c, place, view))
  if (!standing.ok) throw faultOf(c, standing.error)
  const { begunTime, lastTime, rest } = standing.value
  const { pollMs, taskMs } = LIMITS.mcpDoor
  const task = {
    taskId: id,
    createdAt: begunTime,
    lastUpdatedAt: lastTime,
    ttlMs: taskMs,
    pollIntervalMs: pollMs,
  }
  if (!rest) return { ...task, status: 'working' }
  const shape = { ...shapeFor(c, view.language), isAnswerStructure }
  if (rest.isEnd && rest.status === 'cancelled') return { ...task, status: 'cancelled' }
  if (rest.isEnd) return { ...task, status: 'completed', result: runResult(rest, place, shape) }
  const mayAsk = elicits && !lacks(c.get('principal'), 'decide') && rest.pending.some(isForHuman)
  return mayAsk
    ? { ...task, status: 'input_required', inputRequests: inputRequests(rest, view.language) }
    : { ...task, status: 'working', statusMessage: waitingText(rest.pending, place.session, shape) }
}

/** Unknown keys, and what is decided already, are passed over. */
async function updated(
  c: Context<AppEnv>,
  { session }: McpPlace,
  responses: Record<string, unknown>,
): Promise<RpcResult> {
  const all = Object.entries(responses).flatMap(([id, response]) =>
    isId('pnd', id) ? [{ id, said: saidIn(response) }] : [],
  )
  // Nothing is decided where one of them cannot be read.
  for (const { said } of all) if (said.is === 'unclear') throw new ProtocolError(INVALID_PARAMS, said.fault)
  for (const { id: pendingId, said } of all) {
    if (said.is !== 'decided') continue
    const answer: PendingAnswer = { pendingId, input: said.input }
    const done = await decided(c, session, [answer])
    if (!done.ok && done.error.code !== 'stale_decision') throw faultOf(c, done.error)
  }
  return {}
}
