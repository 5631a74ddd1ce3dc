import type { Context } from 'hono'
import { languageOf, languageOfWords } from '../../../domain/language.ts'
import { type AppError, fail, ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import type { DoorRoutes } from '../../../http/application.ts'
import { jsonOf } from '../../../http/body.ts'
import { type AppEnv, factory, problem } from '../../../http/context.ts'
import { idempotencyOf } from '../../../http/idempotency.ts'
import { inRequestLanguage, languageAsked } from '../../../http/language.ts'
import { described } from '../../../http/openapi/describe.ts'
import { inPlace, ordered, type StreamPlace } from '../../../http/route.ts'
import { lacks } from '../../../service/caller.ts'
import { COMMANDS } from '../../../service/run.ts'
import { addressed, type Addressee, serverLanguage } from '../../kernel/names.ts'
import { nameRun, runInThread, type ThreadCall, type ThreadRun } from '../../kernel/thread.ts'
import { OPENAI_ERRORS } from '../errors.ts'
import type { ResponsePlace } from './ids.ts'
import type { ResponseView } from './project.ts'
import {
  turnExtras,
  clashIn,
  requestConfig,
  sessionInputOf,
  responseRequest,
  type ResponseRequest,
  type ResponseTurn,
  responseTurn,
} from './request.ts'
import { responseEndAt, storedRoutes } from './stored.ts'
import { answersIn, echoOf, type KnownThread, knownThread, newSessions, ownershipOf, requestHash } from './thread.ts'
import { responseEvent, responseObject } from './shapes.ts'
import { RESPONSE_WORDS } from './words.ts'

const { scope, action } = COMMANDS.message

const newResponse = factory.createApp().post(
  '/',
  described(
    {
      summary: 'Responses, for clients of OpenAI',
      id: 'createResponse',
      about:
        'The run goes on to its end, whoever listens; the same request again joins it. A thread goes on by `previous_response_id`, `conversation`, `x-yaa-session` or `metadata.session_id`.',
      scope,
      body: responseRequest(),
      returns: responseObject(),
      frames: responseEvent(),
      errors: ['not_found', 'run_in_progress', 'stale_decision', 'too_many', 'unpriced_model', 'needs_newer'],
      refusals: OPENAI_ERRORS,
      audit: { action },
    },
    create,
  ),
)

export const responsesDoor: DoorRoutes = {
  keyed: [
    ['/v1/responses', newResponse],
    ['/v1/responses', storedRoutes],
  ],
  errors: OPENAI_ERRORS,
  words: async () => RESPONSE_WORDS,
}

/** A request that was understood. */
interface Asked {
  request: ResponseRequest
  turn: ResponseTurn
  addressee: Addressee
}

async function create(c: Context<AppEnv>): Promise<Response> {
  const asked = await readRequest(c)
  const isStream = asked.ok && asked.value.request.stream === true
  return inPlace(c, isStream, async ({ taken, streamed }) => {
    const done = asked.ok ? await ran(c, asked.value, takenOnce(taken)) : await refused(c, asked.error)
    if (!done.ok) return problem(c, done.error)
    nameRun(c, done.value)
    const { answer } = done.value
    if (!('form' in answer) || answer.form !== 'stream') return problem(c, { code: 'internal_error' })
    if (isStream) return streamed(answer.body)
    const isBegun = asked.ok && asked.value.request.background === true
    return c.body(await (isBegun ? lineOf(answer.body) : fromFirst(answer.body)), 200, JSON_ANSWER)
  })
}

const JSON_ANSWER = { 'content-type': 'application/json; charset=utf-8' }

/** The place of a stream is taken once, however often a session is looked for. */
function takenOnce(taken: StreamPlace['taken']): StreamPlace['taken'] {
  let place: Promise<Result<null>> | undefined
  return async (read) => {
    const input = await read()
    if (!input.ok) return input
    const opened = await (place ??= taken(async () => ok(null)))
    return opened.ok ? input : opened
  }
}

/** What the service says of a request that cannot be understood: whether its key may ask at all comes first. */
async function refused(c: Context<AppEnv>, error: AppError): Promise<Result<never>> {
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const status = { good: 200, begun: 200 }
  const order = { type: 'create', sessionId: null, idempotency, form: 'wait', status } as const
  const done = await ordered(c, { ...order, read: async () => fail(error) })
  return done.ok ? fail(error) : done
}

async function readRequest(c: Context<AppEnv>): Promise<Result<Asked>> {
  const { tenant } = c.get('principal')
  const lacking = lacks(c.get('principal'), scope)
  if (lacking) return fail(lacking)
  const request = await jsonOf(c, responseRequest(), LIMITS.parts.bodyBytesMax)
  if (!request.ok) return request
  const clash = clashIn(request.value)
  if (!clash.ok) return clash
  const turn = responseTurn(request.value)
  if (!turn.ok) return turn
  const addressee = await addressed(c.env, tenant, request.value.model)
  return addressee.ok ? ok({ request: request.value, turn: turn.value, addressee: addressee.value }) : addressee
}

type ResponseCall = Omit<ThreadCall, 'session' | 'isNew' | 'view'>

/** Runs a request in the session that it belongs to: the one that it names, else a new one. */
async function ran(c: Context<AppEnv>, asked: Asked, taken: StreamPlace['taken']): Promise<Result<ThreadRun>> {
  const { request, turn } = asked
  const thread = await knownThread(c, request, turn)
  if (!thread.ok) return refused(c, thread.error)
  const answers = thread.value ? answersIn(turn) : ok([])
  if (!answers.ok) return refused(c, answers.error)
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const hash = await requestHash(c, request, idempotency?.key ?? null)
  const isDecided = answers.value.length > 0
  const call = callOf(c, asked, { isMessage: turn.content !== null && !isWordOf(turn, isDecided) })
  if (!call.ok) return refused(c, call.error)
  const whole: ResponseCall = {
    ...call.value,
    ...(isDecided ? { answers: answers.value } : {}),
    isRetry: idempotency !== null || Number(c.req.header('x-stainless-retry-count') ?? 0) > 0,
    kept: { responses: echoOf(request) },
    idempotency: idempotency ?? { key: `openai-responses\n${hash}` },
  }
  return thread.value
    ? inKnown(c, asked, { ...thread.value, call: whole }, taken)
    : inNew(c, asked, { hash, call: whole }, taken)
}

/** Whether the words are a decision alone. */
function isWordOf({ fresh }: ResponseTurn, isDecided: boolean): boolean {
  return isDecided && fresh.every(({ role }) => role === 'user')
}

function callOf(
  c: Context<AppEnv>,
  { request, turn, addressee }: Asked,
  { isMessage }: { isMessage: boolean },
): Result<ResponseCall> {
  const said = turnExtras(request)
  if (!said.ok) return said
  const config = requestConfig(request, turn, addressee.model)
  const configured = Object.keys(config).length > 0 ? { config } : {}
  const opens = sessionInputOf(request, turn, { ...addressee.opens, ...said.value, ...configured })
  if (!opens.ok) return opens
  const { task = '', config: accepted } = opens.value
  const given = accepted ? { config: accepted } : {}
  return ok({
    form: 'stream',
    message: isMessage ? { content: task, ...said.value, ...given } : null,
    opens: inRequestLanguage(c, opens.value, turn.words),
    language: languageAsked(c) ?? undefined,
    idempotency: null,
  })
}

async function viewOf(
  c: Context<AppEnv>,
  { request, turn }: Asked,
  thread: Pick<KnownThread, 'session' | 'user'>,
): Promise<ThreadCall['view']> {
  const asked = languageAsked(c) ?? languageOfWords(turn.words)
  const options: ResponseView = {
    form: request.stream ? 'stream' : request.background ? 'begun' : 'whole',
    owner: await ownershipOf(c, request, thread),
    after: null,
    language: asked === null ? serverLanguage(c.env) : languageOf(asked),
  }
  return { name: 'openai-response', options }
}

async function inKnown(
  c: Context<AppEnv>,
  asked: Asked,
  { call, ...thread }: KnownThread & { call: ResponseCall },
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const { session, after, behind, mayBegin } = thread
  const place = { session, isNew: false, ...(after === undefined ? {} : { after }) }
  const view = await viewOf(c, asked, thread)
  const opens = mayBegin && call.message ? call.opens : null
  const done = await runInThread(c, { ...call, ...place, view, opens }, taken)
  if (done.ok || done.error.code !== 'precondition_failed' || !behind || call.answers) return done
  return inFork(c, asked, { behind, call: { ...call, opens: null } }, taken)
}

/** The session has gone on behind the response: a copy of it up to there goes on in another way. */
async function inFork(
  c: Context<AppEnv>,
  asked: Asked,
  { behind, call }: { behind: ResponsePlace; call: ResponseCall },
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const end = await responseEndAt(c, behind)
  if (!end.ok) return end
  const command = { type: 'fork', from: behind.session, atSeq: end.value } as const
  const order = { type: 'fork', sessionId: null, target: behind.session, form: 'wait' } as const
  const { key } = call.idempotency ?? { key: '' }
  for (let nth = 0; nth < FORKS_MAX; nth++) {
    const idempotency = { key: `fork\n${key}\n${nth}`, asks: async () => ok('') }
    const forked = await ordered(c, {
      ...order,
      idempotency,
      read: async () => ok(command),
      status: { good: 201, begun: 201 },
    })
    if (!forked.ok) return forked
    const { sessionId: session } = forked.value
    const view = await viewOf(c, asked, { session })
    const done = await runInThread(c, { ...call, session, view, isNew: false, after: behind.run }, taken)
    if (done.ok || done.error.code !== 'precondition_failed') return done
  }
  return fail({ code: 'run_in_progress', runId: behind.run })
}

/** Ways in which the same request may go on behind the same response. */
const FORKS_MAX = 20

async function inNew(
  c: Context<AppEnv>,
  asked: Asked,
  { hash, call }: { hash: string; call: ResponseCall },
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  for await (const session of newSessions(c, asked.request, hash)) {
    const view = await viewOf(c, asked, { session })
    const done = await runInThread(c, { ...call, session, view, isNew: true, after: null }, taken)
    if (done.ok || done.error.code !== 'precondition_failed') return done
  }
  return fail({ code: 'internal_error' })
}

/** What was asked in the background is answered as it began; its reader leaves then. */
async function lineOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of body) {
    line += decoder.decode(chunk, { stream: true })
    if (line.endsWith('\n')) break
  }
  return line
}

/** An answer that is sent once its first bytes are there: a client that loses the line before asks again, and joins the run. */
async function fromFirst(body: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = body.getReader()
  const first = await reader.read()
  return new ReadableStream<Uint8Array>({
    start: (controller) => (first.done ? controller.close() : controller.enqueue(first.value)),
    pull: async (controller) => {
      const next = await reader.read()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
