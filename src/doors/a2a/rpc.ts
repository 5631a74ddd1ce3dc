import type { Context } from 'hono'
import * as z from 'zod'
import type { Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { jsonWithParts } from '../../http/body.ts'
import { type AppEnv, factory, problem } from '../../http/context.ts'
import { described } from '../../http/openapi/describe.ts'
import { isObject } from '../../lib/json.ts'
import { checkedBy } from '../../lib/zod.ts'
import { onDemand } from '../../lib/shape.ts'
import { extendedCard } from './card.ts'
import { type ErrorPlace, rpcError, rpcErrors, RPC_REFUSALS } from './errors.ts'
import { ownTasks } from './list.ts'
import { sendMessage } from './send.ts'
import { cancelTask, getTask, subscribe } from './tasks.ts'
import { asked, fitting } from './protocol.ts'
import { createConfig, deleteConfig, getConfig, listConfigs } from './push.ts'
import {
  cardRequest,
  configRequest,
  configsRequest,
  listRequest,
  pushConfig,
  sendRequest,
  taskRequest,
} from './request.ts'
import { RPC_WORDS } from './words.ts'

/** The JSON-RPC binding of A2A. Source: the A2A specification 1.0, "JSON-RPC protocol binding". */

const METHODS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const
type Method = (typeof METHODS)[number]

const rpcId = z.union([z.string().max(LIMITS.door.idCharsMax), z.number(), z.null()])

const rpcRequest = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: rpcId.default(null),
    method: z.string().max(64),
    params: z.record(z.string(), z.unknown()).optional(),
  }),
)
const rpcAnswer = /* @__PURE__ */ onDemand(() =>
  z.union([z.object({ jsonrpc: z.literal('2.0'), id: rpcId, result: z.unknown() }), rpcError()]),
)

const CONTENT_TYPE = 'application/json; charset=utf-8'
type RpcId = z.infer<typeof rpcId>

const rpcRoutes = factory.createApp().post(
  '/',
  described(
    {
      summary: 'A2A 1.0 over JSON-RPC',
      id: 'callA2a',
      about: `Methods: ${METHODS.map((method) => `\`${method}\``).join(', ')}. Header \`A2A-Version: 1.0\`. Messages and \`CancelTask\` need scope \`run\`, decisions \`decide\`, the rest \`read\`.`,
      scope: 'read',
      body: rpcRequest(),
      returns: rpcAnswer(),
      frames: rpcAnswer(),
      errors: [
        'not_found',
        'run_over',
        'run_in_progress',
        'stale_decision',
        'unsupported_version',
        'not_acceptable',
        'too_many',
        'unpriced_model',
        'needs_newer',
      ],
      refusals: RPC_REFUSALS,
      audit: { action: 'session.message' },
    },
    call,
  ),
)

async function call(c: Context<AppEnv>): Promise<Response> {
  const as = (id: RpcId, place: ErrorPlace) => c.set('errors', rpcErrors(id, place))
  as(null, 'parse')
  const body = await jsonWithParts(c, z.unknown())
  if (!body.ok) return problem(c, body.error)
  const sent = body.value
  const read = checkedBy(rpcId, isObject(sent) ? (sent['id'] ?? null) : null)
  const id = read.ok ? read.value : null
  as(id, 'envelope')
  const request = fitting(rpcRequest(), sent)
  if (!request.ok) return problem(c, request.error)
  const method = METHODS.find((one) => one === request.value.method)
  as(id, method === 'CancelTask' ? 'cancel' : null)
  if (!method) return problem(c, { code: 'not_found', what: 'method', there: METHODS })
  return answered(c, { id, method, params: request.value.params ?? {} })
}

interface Called {
  id: RpcId
  method: Method
  params: unknown
}

async function answered(c: Context<AppEnv>, { id, method, params }: Called): Promise<Response> {
  const binding = { contentType: CONTENT_TYPE, rpc: { id } }
  if (method === 'SendMessage' || method === 'SendStreamingMessage')
    return sendMessage(c, binding, {
      given: asked(c, sendRequest(), params),
      streams: method === 'SendStreamingMessage',
    })
  if (method === 'SubscribeToTask') {
    const request = asked(c, taskRequest(), params)
    return request.ok ? subscribe(c, binding, request.value) : problem(c, request.error)
  }
  const done = await resultOf(c, method, params)
  return done.ok ? c.json({ jsonrpc: '2.0', id, result: done.value }) : problem(c, done.error)
}

type Plain = Exclude<Method, 'SendMessage' | 'SendStreamingMessage' | 'SubscribeToTask'>

/** What each method gives that answers with one JSON. */
const PLAIN: Readonly<Record<Plain, (c: Context<AppEnv>, params: unknown) => Promise<Result<object>>>> = {
  GetTask: by(taskRequest, getTask),
  ListTasks: by(listRequest, ownTasks),
  CancelTask: by(taskRequest, cancelTask),
  CreateTaskPushNotificationConfig: by(pushConfig, createConfig),
  GetTaskPushNotificationConfig: by(configRequest, getConfig),
  ListTaskPushNotificationConfigs: by(configsRequest, listConfigs),
  DeleteTaskPushNotificationConfig: by(configRequest, deleteConfig),
  GetExtendedAgentCard: by(cardRequest, extendedCard),
}

function by<T extends z.ZodType>(
  schema: () => T,
  work: (c: Context<AppEnv>, request: z.output<T>) => Promise<Result<object>>,
) {
  return async (c: Context<AppEnv>, params: unknown): Promise<Result<object>> => {
    const request = asked(c, schema(), params)
    return request.ok ? work(c, request.value) : request
  }
}

function resultOf(c: Context<AppEnv>, method: Plain, params: unknown): Promise<Result<object>> {
  return PLAIN[method](c, params)
}

export const rpcDoor: DoorRoutes = {
  keyed: [['/a2a', rpcRoutes]],
  errors: rpcErrors(null),
  words: async () => RPC_WORDS,
}
