import type { Context, Handler } from 'hono'
import * as z from 'zod'
import { fail, type Result } from '../../domain/errors.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { jsonWithParts } from '../../http/body.ts'
import { type AppEnv, factory, problem } from '../../http/context.ts'
import { described, type RouteText } from '../../http/openapi/describe.ts'
import { COMMANDS } from '../../service/run.ts'
import { extendedCard } from './card.ts'
import { restErrors, REST_REFUSALS } from './errors.ts'
import { ownTasks } from './list.ts'
import { sendMessage } from './send.ts'
import { cancelTask, getTask, subscribe } from './tasks.ts'
import { asked, fitting, versionFault } from './protocol.ts'
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
import { A2A_JSON, card, pushConfigs, pushed, sent, streamed, taskList, toldTask } from './shapes.ts'
import { REST_WORDS } from './words.ts'

/** The HTTP+JSON binding of A2A. Source: the A2A specification 1.0, "HTTP+JSON/REST protocol binding". */

const BINDING = { contentType: A2A_JSON }
const VERSIONED = 'Header `A2A-Version: 1.0`.'

/** What stands in the path and the query of a request. Of `tasks/ID:cancel` the verb is none of the id. */
function inPath(c: Context<AppEnv>): Record<string, string> {
  const { 'A2A-Version': _, ...query } = c.req.query()
  const named = c.req.param() as Record<string, string>
  const { id } = named
  return { ...query, ...named, ...(id === undefined ? {} : { id: id.replace(/:(cancel|subscribe)$/, '') }) }
}

/** A request that is the body, beside what stands in the path. */
async function inBody<T extends z.ZodType>(c: Context<AppEnv>, schema: T): Promise<Result<z.output<T>>> {
  const fault = versionFault(c)
  if (fault) return fail(fault)
  const body = await jsonWithParts(c, z.record(z.string(), z.unknown()))
  return body.ok ? fitting(schema, { ...body.value, ...inPath(c) }) : body
}

type Text = Omit<RouteText, 'refusals'>
const text = ({ about, errors = [], ...rest }: Text): RouteText => ({
  ...rest,
  errors: [...new Set([...errors, 'unsupported_version' as const])],
  about: [about ?? '', VERSIONED].join(' ').trim(),
  refusals: REST_REFUSALS,
  mediaType: A2A_JSON,
})

/** A route that answers with one JSON. */
function plain(about: Text, work: (c: Context<AppEnv>) => Promise<Result<object>>): Handler<AppEnv> {
  return described(text(about), async (c: Context<AppEnv>) => {
    const done = await work(c)
    return done.ok ? c.body(JSON.stringify(done.value), 200, { 'content-type': A2A_JSON }) : problem(c, done.error)
  })
}

/** The same of a request that stands in path and query. */
function reading<T extends z.ZodType>(
  about: Text,
  schema: () => T,
  work: (c: Context<AppEnv>, request: z.output<T>) => Promise<Result<object>>,
): Handler<AppEnv> {
  return plain(about, async (c) => {
    const request = asked(c, schema(), inPath(c))
    return request.ok ? work(c, request.value) : request
  })
}

const SENDING = ['not_found', 'run_over', 'run_in_progress', 'stale_decision', 'too_many', 'unpriced_model'] as const
const REFUSING = [...SENDING, 'needs_newer', 'not_acceptable'] as const
const { scope, action } = COMMANDS.message

const ROUTES: readonly (readonly [method: string, path: string, handler: Handler<AppEnv>])[] = [
  [
    'POST',
    '/message:send',
    described(
      text({
        summary: 'Send a message to a task, or begin one',
        id: 'sendA2aMessage',
        about: 'Answers when the task rests, or at once with `returnImmediately`. The run goes on, whoever listens.',
        scope,
        body: sendRequest(),
        returns: sent(),
        errors: REFUSING,
        audit: { action },
      }),
      async (c: Context<AppEnv>) => sendMessage(c, BINDING, { given: await inBody(c, sendRequest()), streams: false }),
    ),
  ],
  [
    'POST',
    '/message:stream',
    described(
      text({
        summary: 'The same, followed until the task rests',
        id: 'streamA2aMessage',
        scope,
        body: sendRequest(),
        answers: 'events',
        frames: streamed(),
        errors: REFUSING,
        audit: { action },
      }),
      async (c: Context<AppEnv>) => sendMessage(c, BINDING, { given: await inBody(c, sendRequest()), streams: true }),
    ),
  ],
  [
    'GET',
    '/tasks',
    reading(
      {
        summary: 'Tasks of the caller, the newest first',
        id: 'listA2aTasks',
        scope: 'read',
        returns: taskList(),
      },
      listRequest,
      ownTasks,
    ),
  ],
  [
    'GET',
    '/tasks/:id',
    reading(
      { summary: 'A task', id: 'getA2aTask', scope: 'read', returns: toldTask(), errors: ['not_found'] },
      taskRequest,
      getTask,
    ),
  ],
  [
    'POST',
    '/tasks/:id{[^/:]+:cancel}',
    reading(
      {
        summary: 'Stop a task',
        id: 'cancelA2aTask',
        scope: 'run',
        returns: toldTask(),
        errors: ['not_found', 'run_over'],
        audit: { action: COMMANDS.cancel.action },
      },
      taskRequest,
      (c, request) => {
        c.set('errors', restErrors('cancel'))
        return cancelTask(c, request)
      },
    ),
  ],
  ...(['POST', 'GET'] as const).map(
    (method) =>
      [
        method,
        '/tasks/:id{[^/:]+:subscribe}',
        described(
          text({
            summary: 'Follow a task until it rests: how it stands first',
            id: method === 'POST' ? 'subscribeToA2aTask' : 'followA2aTask',
            scope: 'read',
            answers: 'events',
            frames: streamed(),
            errors: ['not_found', 'run_over'],
          }),
          async (c: Context<AppEnv>) => {
            const request = asked(c, taskRequest(), inPath(c))
            return request.ok ? subscribe(c, BINDING, request.value) : problem(c, request.error)
          },
        ),
      ] as const,
  ),
  [
    'POST',
    '/tasks/:taskId/pushNotificationConfigs',
    plain(
      {
        summary: 'Have somebody told of a task',
        id: 'createA2aPushConfig',
        scope: 'run',
        body: pushConfig(),
        returns: pushed(),
        errors: ['not_found', 'too_many'],
        audit: { action: 'push_config.create' },
      },
      async (c) => {
        const request = await inBody(c, pushConfig())
        return request.ok ? createConfig(c, request.value) : request
      },
    ),
  ],
  [
    'GET',
    '/tasks/:taskId/pushNotificationConfigs',
    reading(
      { summary: 'Who is told of a task', id: 'listA2aPushConfigs', scope: 'read', returns: pushConfigs() },
      configsRequest,
      listConfigs,
    ),
  ],
  [
    'GET',
    '/tasks/:taskId/pushNotificationConfigs/:id',
    reading(
      { summary: 'One who is told of a task', id: 'getA2aPushConfig', scope: 'read', returns: pushed() },
      configRequest,
      getConfig,
    ),
  ],
  [
    'DELETE',
    '/tasks/:taskId/pushNotificationConfigs/:id',
    reading(
      {
        summary: 'Have somebody told no more',
        id: 'deleteA2aPushConfig',
        scope: 'run',
        returns: z.object({}),
        audit: { action: 'push_config.delete', target: 'taskId' },
      },
      configRequest,
      deleteConfig,
    ),
  ],
  [
    'GET',
    '/extendedAgentCard',
    reading(
      { summary: 'The card with what the tenant has', id: 'getA2aExtendedCard', scope: 'read', returns: card() },
      cardRequest,
      extendedCard,
    ),
  ],
]

/** Each also under a tenant's name, which clients put there that were told one. */
const restRoutes = factory.createApp()
for (const [method, path, handler] of ROUTES) {
  restRoutes.on(method, path, handler)
  restRoutes.all(`/:tenant${path}`, (c, next) => (c.req.method === method ? handler(c, next) : next()))
}

export const restDoor: DoorRoutes = {
  keyed: [['/a2a/v1', restRoutes]],
  errors: restErrors(),
  words: async () => REST_WORDS,
}
