import type { Context } from 'hono'
import * as z from 'zod'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { serviceOf } from '../../http/caller.ts'
import { type AppEnv, factory, problem } from '../../http/context.ts'
import { described } from '../../http/openapi/describe.ts'
import { type Answer, type Call, eventStream, query, route } from '../../http/route.ts'
import { sessionObject } from '../../objects/env.ts'
import { issuesOf } from '../../lib/zod.ts'
import { openCounted } from '../../service/limits.ts'
import { COMMANDS } from '../../service/run.ts'
import { answerRun, askedRun, RUN_ERRORS, stopRun } from '../kernel/asked.ts'
import { asWritten } from '../kernel/written.ts'
import { AI_SDK_ERRORS } from './errors.ts'
import type { HistoryView } from './history.ts'
import { chatId, uiRequest, uiTurn, uiMessageAt } from './request.ts'
import { filesAt, ran, viewOf } from './run.ts'
import { keptChat, stoppedChat, uiChunk } from './shapes.ts'
import { chatPlace, firstSession } from './thread.ts'

const { scope, action } = COMMANDS.message
const REFUSALS = { errors: ['not_found'] as const, refusals: AI_SDK_ERRORS }

const ofUser = () => query(z.object({ user: z.string().min(1).max(LIMITS.text.nameCharsMax).optional() }))

const chatRoutes = factory
  .createApp()
  .post(
    '/',
    described(
      {
        summary: 'A message of a chat, for `useChat` of the AI SDK',
        id: 'sendUiMessage',
        about:
          'The id of the chat leads to its session. Messages, results of client tools and answers to approvals come as the transport of `useChat` sends them; a message that comes while a run goes on is heard by its next model call. `regenerate-message` goes on in a copy of the session up to before the message.',
        scope,
        body: uiRequest(),
        frames: uiChunk(),
        errors: [...RUN_ERRORS],
        refusals: AI_SDK_ERRORS,
        audit: { action },
      },
      send,
    ),
  )
  .get(
    '/:id',
    route(
      {
        summary: 'The messages of a chat, for a page that begins with them',
        id: 'getUiChat',
        about:
          'What `useChat` takes as `messages`. What the agent says in a run that goes on, or waits, comes by its stream (`resume: true`). A chat that nobody began has no messages.',
        scope: 'read',
        reads: ofUser(),
        returns: keptChat(),
        refusals: AI_SDK_ERRORS,
      },
      history,
    ),
  )
  .get(
    '/:id/stream',
    route(
      {
        summary: 'The stream of a chat again',
        id: 'resumeUiStream',
        about: 'The run that goes on, or waits, from its beginning. 204: there is none.',
        scope: 'read',
        reads: ofUser(),
        frames: uiChunk(),
        status: [200, 204],
        ...REFUSALS,
      },
      resume,
    ),
  )
  .post(
    '/:id/stop',
    route(
      {
        summary: 'Stop the run of a chat',
        id: 'stopUiChat',
        about: 'A client that goes away stops nothing, and neither does `stop()` of the hook.',
        scope: COMMANDS.cancel.scope,
        reads: ofUser(),
        returns: stoppedChat(),
        ...REFUSALS,
        audit: { action: COMMANDS.cancel.action },
      },
      stop,
    ),
  )

export const aiSdkDoor: DoorRoutes = {
  keyed: [['/v1/ai-sdk/chat', chatRoutes]],
  errors: AI_SDK_ERRORS,
  words: async () => (await import('./words.ts')).AI_SDK_WORDS,
}

/** By which clients know the stream, and its version. */
const STREAM_HEADER = 'x-vercel-ai-ui-message-stream'

async function send(c: Context<AppEnv>): Promise<Response> {
  const asked = await askedRun(c, uiRequest(), { turn: uiTurn, name: ({ model }) => model ?? 'yaa' })
  const answer = await answerRun(c, asked, {
    isStream: true,
    run: (value, taken) => ran(c, value, taken),
    refused: (error, { request, turn }) => problem(c, asWritten(error, uiMessageAt(request, turn))),
  })
  if (answer.ok) answer.headers.set(STREAM_HEADER, 'v1')
  return answer
}

type ChatCall = Call<{ user?: string | undefined }>

/** Where the chat that the address names goes on. */
async function placeOf({ c, input, param }: ChatCall): ReturnType<typeof chatPlace> {
  const id = chatId.safeParse(param('id'))
  if (!id.success) return invalid(issuesOf(id.error, 'id'))
  return chatPlace(c, await firstSession(c, { id: id.data, user: input.user ?? null }))
}

async function history(call: ChatCall): Promise<Result<Answer>> {
  const { c, tenant, param } = call
  const id = param('id')
  const place = await placeOf(call)
  if (!place.ok) return place
  const { session, stand } = place.value
  if (!stand) return ok({ body: { id, messages: [] } })
  const options: HistoryView = { chat: id, model: 'yaa', filesAt: filesAt(c) }
  const told = await sessionObject(c.env, tenant, session).observe(
    { seq: 0, n: 0 },
    { name: 'ai-sdk-history', options },
  )
  if (!told.ok) return told
  c.header('x-yaa-session', session)
  return ok({ response: c.newResponse(told.value, 200, { 'content-type': 'application/json; charset=utf-8' }) })
}

async function resume(call: ChatCall): Promise<Result<Answer>> {
  const { c, tenant } = call
  const place = await placeOf(call)
  if (!place.ok) return place
  const { session, stand } = place.value
  if (stand?.status !== 'in_progress' && stand?.status !== 'interrupted') return ok({})
  const opened = await openCounted(serviceOf(c), tenant, { kind: 'stream', session })
  if (!opened.ok) return opened
  const view = viewOf(c, 'yaa', { tells: 'run', goesOn: null })
  const run = view && (await sessionObject(c.env, tenant, session).openRun(view))
  if (!run?.ok || run.value === null) {
    await opened.value?.close()
    return run && !run.ok && run.error.code !== 'not_found' ? run : ok({})
  }
  c.header('x-yaa-session', session)
  c.header('x-yaa-run', run.value.runId)
  c.header(STREAM_HEADER, 'v1')
  return ok({ response: eventStream(c, run.value.body, { connection: opened.value }) })
}

async function stop(call: ChatCall): Promise<Result<Answer>> {
  const { c } = call
  const place = await placeOf(call)
  if (!place.ok) return place
  const { session, stand } = place.value
  if (!stand) return fail({ code: 'not_found', what: 'chat' })
  const isGoing = stand.status === 'in_progress' || stand.status === 'interrupted'
  c.header('x-yaa-session', session)
  if (stand.run !== null) c.header('x-yaa-run', stand.run)
  const body = { stopped: isGoing, session_id: session, run_id: stand.run }
  if (!isGoing) return ok({ body })
  call.note({ session_id: session })
  const done = await stopRun(c, session)
  return done.ok ? ok({ body }) : done
}
