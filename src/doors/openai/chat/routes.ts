import type { Context } from 'hono'
import { type AppError, ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { isCallAnswer, type PendingAnswer } from '../../../domain/session-input.ts'
import type { DoorRoutes } from '../../../http/application.ts'
import { type AppEnv, factory, originOf, problem } from '../../../http/context.ts'
import { idempotencyOf } from '../../../http/idempotency.ts'
import { inRequestLanguage, languageAsked, languageOfRequest } from '../../../http/language.ts'
import { described } from '../../../http/openapi/describe.ts'
import type { StreamPlace } from '../../../http/route.ts'
import { readAllText } from '../../../lib/streams.ts'
import { COMMANDS } from '../../../service/run.ts'
import type { View } from '../../../session/call.ts'
import { answerRun, type AskedRun, askedRun, RUN_ERRORS } from '../../kernel/asked.ts'
import { decisionWord, isDecisionText } from '../../kernel/approval-word.ts'
import { namedSession, refusedRequest, runInThread, type ThreadCall, type ThreadRun } from '../../kernel/thread.ts'
import { OPENAI_ERRORS } from '../errors.ts'
import { askedAnew, configFor, SAID_ANEW } from '../config.ts'
import type { ChatFailure, ChatView } from './answer.ts'
import { chatPlaces } from './places.ts'
import {
  askedBy,
  chatRequest,
  type ChatRequest,
  type ChatTurn,
  opening,
  chatRefusal,
  turnOf,
  chatModelWanted,
} from './request.ts'
import { chatCompletion, chatCompletionChunk } from './shapes.ts'
import { type ChatThread, placeOf, sendingOf, threadOf } from './thread.ts'

const { scope, action } = COMMANDS.message

const chatRoutes = factory.createApp().post(
  '/',
  described(
    {
      summary: 'Chat completions, for clients of OpenAI',
      id: 'createChatCompletion',
      about:
        'A history that continues an answer of this server goes on in its session; any other begins one. `x-yaa-session` and `x-yaa-run` name session and run. A run that waits for an approval says so in its answer, and `approve ID` or `reject ID WHY` decides.',
      scope,
      body: chatRequest(),
      returns: chatCompletion(),
      frames: chatCompletionChunk(),
      errors: [...RUN_ERRORS, 'no_user_message'],
      refusals: OPENAI_ERRORS,
      failed: { status: 502, means: 'The model service failed, or gave no answer that can be used.' },
      audit: { action },
    },
    complete,
  ),
)

export const chatDoor: DoorRoutes = {
  keyed: [['/v1/chat/completions', chatRoutes]],
  errors: OPENAI_ERRORS,
  words: async () => (await import('./words.ts')).CHAT_WORDS,
}

/** A request that was understood, and how it is to be told. */
interface Chat extends AskedRun<ChatRequest, ChatTurn> {
  view: ChatView
}

async function complete(c: Context<AppEnv>): Promise<Response> {
  const asked = await askedRun(c, chatRequest(), {
    turn: ({ messages }) => turnOf(messages),
    name: ({ model }) => model,
  })
  return answerRun(c, asked, {
    isStream: asked.ok && asked.value.request.stream === true,
    run: ({ request, turn, addressee }, taken) =>
      ran(c, { request, turn, addressee, view: viewOf(c, request, turn) }, taken),
    refused: (error, { request }) => problem(c, chatPlaces(request).of(error)),
    whole: ({ body }) => completion(c, body),
  })
}

function viewOf(c: Context<AppEnv>, request: ChatRequest, { heard }: ChatTurn): ChatView {
  const { stop } = request
  return {
    form: request.stream ? 'stream' : 'whole',
    thread: null,
    model: request.model,
    language: languageOfRequest(c, heard),
    decideAt: `${originOf(c)}/#/s/`,
    includeUsage: request.stream_options?.include_usage === true,
    tellsProgress: c.req.header('x-yaa-progress') === '1',
    stops: typeof stop === 'string' ? [stop] : (stop ?? []),
  }
}

function shown(options: ChatView): View {
  return { name: 'openai-chat', options }
}

/** Runs a request in the session that it belongs to: the one that it names, the one whose history it continues, else a new one. */
async function ran(c: Context<AppEnv>, chat: Chat, taken: StreamPlace['taken']): Promise<Result<ThreadRun>> {
  const { request, turn, addressee } = chat
  const call = callOf(c, chat)
  if (!call.ok) return refusedRequest(c, call.error)
  const session = namedSession(c, request.metadata ?? {})
  const refusal = session === null ? chatRefusal(request, call.value.opens?.task) : null
  if (refusal) return refusedRequest(c, refusal)
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const sending = await sendingOf(c, request, idempotency?.key ?? null)
  const keyed: ChatCall = {
    ...call.value,
    isRetry: sending.isRetry,
    idempotency: idempotency ?? { key: `openai-chat\n${sending.request}` },
  }
  if (session !== null) return inNamed(c, chat, { ...keyed, session }, taken)
  const thread = await threadOf(c, request, turn, { addressee, sending })
  return inThread(c, chat, { call: keyed, thread }, taken)
}

type ChatCall = Omit<ThreadCall, 'session' | 'isNew'>

function callOf(c: Context<AppEnv>, { request, turn, addressee, view }: Chat): Result<ChatCall> {
  const asked = askedBy(request)
  if (!asked.ok) return asked
  const config = configFor(c.env, c.get('principal').tenant, addressee, chatModelWanted(request))
  const opens = opening(request, turn, {
    ...addressee.opens,
    ...asked.value,
    ...(Object.keys(config).length > 0 ? { config } : {}),
  })
  if (!opens.ok) return opens
  const { task: content = '', config: given } = opens.value
  return ok({
    form: view.form,
    message: turn.content === null ? null : { content, ...asked.value, ...(given ? { config: given } : {}) },
    opens: inRequestLanguage(c, opens.value, turn.heard),
    language: languageAsked(c) ?? undefined,
    idempotency: null,
  })
}

/** What is said of what waits in a session that is named can be said there but once. */
async function inNamed(
  c: Context<AppEnv>,
  chat: Chat,
  call: ChatCall & Pick<ThreadCall, 'session'>,
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const said = answersIn(chat)
  const place = { isNew: false, opens: null, isOnce: said.answers !== undefined, view: shown(chat.view) }
  return runInThread(c, { ...call, ...said, ...place }, taken)
}

interface InThread {
  call: ChatCall
  thread: ChatThread
}

async function inThread(
  c: Context<AppEnv>,
  chat: Chat,
  { call, thread }: InThread,
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const { request, history } = thread
  const view: ChatView = { ...chat.view, thread: { request, history } }
  const keyed = { ...call, view: shown(view), saysAnew: SAID_ANEW }
  const { after, session } = await placeOf(c, thread)
  const said = answersIn(chat)
  const isNew = after === null
  if (isNew && isDecisionText(chat.turn.words)) return refusedRequest(c, UNKNOWN_WAIT)
  const found = { ...keyed, session, isNew, after, opens: isNew ? call.opens : null }
  const answering: ThreadCall = { ...found, ...said }
  const asks =
    answering.message === null && call.opens
      ? { asks: askedAnew(call.opens, askedBy(chat.request), chat.request.tool_choice) }
      : {}
  const done = await runInThread(c, isNew ? found : { ...answering, ...asks }, taken)
  if (done.ok || !isLeft(done.error, said.answers)) return done
  const anew = await placeOf(c, thread, true)
  return runInThread(c, { ...keyed, session: anew.session, isNew: true, after: null }, taken)
}

/** What waits is waited for in no session that the history leads to. */
const UNKNOWN_WAIT: AppError = { code: 'stale_decision', pendingId: 'What is decided' }

/** The session is gone, or was gone on with by somebody else, or has results of these calls already: the history makes another one. */
function isLeft(error: AppError, answers: readonly PendingAnswer[] = []): boolean {
  if (error.code === 'precondition_failed') return error.what === 'run'
  if (error.code === 'stale_decision') return answers.every(({ input }) => isCallAnswer(input))
  return error.code === 'not_found' && error.what === 'session'
}

/** What a request says of what waits: results of tools, or a decision in words. */
function answersIn({ turn }: Chat): Partial<Pick<ThreadCall, 'answers' | 'message'>> {
  const word = decisionWord(turn.words)
  const results = turn.results.map(({ callId, text }): PendingAnswer => ({
    pendingId: callId,
    input: { result: text },
  }))
  if (word) return { answers: [...results, word], message: null }
  return results.length > 0 ? { answers: results } : {}
}

/** The answer of a run, once that rests. */
async function completion(c: Context<AppEnv>, body: string | ReadableStream<Uint8Array>): Promise<Response> {
  const text = typeof body === 'string' ? body : await readAllText(body, LIMITS.door.responseBytesMax)
  if (text === null) return problem(c, { code: 'internal_error' })
  if (text === '') return problem(c, { code: 'not_found', what: 'session' })
  const answer = JSON.parse(text) as { failure?: ChatFailure }
  return answer.failure ? failed(c, answer.failure) : c.body(text, 200, { 'content-type': OPENAI_ERRORS.contentType })
}

/** A run without an answer. It was tried as often as the config says, so that clients try no more unless a service says when. */
function failed(c: Context<AppEnv>, { status, message, type, code, retryAfterMs }: ChatFailure): Response {
  c.header('x-should-retry', String(retryAfterMs !== undefined))
  if (retryAfterMs !== undefined) c.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  c.header('content-type', OPENAI_ERRORS.contentType)
  return c.body(JSON.stringify({ error: { message, type, param: null, code } }), statusOf(status))
}

function statusOf(status: number): 400 | 409 | 429 | 500 | 502 {
  return status === 400 || status === 409 || status === 429 || status === 502 ? status : 500
}
