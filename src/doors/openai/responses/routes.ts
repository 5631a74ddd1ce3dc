import type { Context } from 'hono'
import { type AppError, fail, ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import type { DoorRoutes } from '../../../http/application.ts'
import { type AppEnv, factory, problem } from '../../../http/context.ts'
import { idempotencyOf } from '../../../http/idempotency.ts'
import { inRequestLanguage, languageAsked } from '../../../http/language.ts'
import { described } from '../../../http/openapi/describe.ts'
import { ordered, type StreamPlace } from '../../../http/route.ts'
import { COMMANDS } from '../../../service/run.ts'
import { answerRun, type AskedRun, askedRun, RUN_ERRORS, wholeAnswer } from '../../kernel/asked.ts'
import { refusedRequest, runInThread, type ThreadCall, type ThreadRun } from '../../kernel/thread.ts'
import { askedAnew, configFor, SAID_ANEW } from '../config.ts'
import { OPENAI_ERRORS } from '../errors.ts'
import { responsePlaces } from './places.ts'
import type { ResponseView } from './project.ts'
import {
  turnExtras,
  clashIn,
  responseModelWanted,
  sessionInputOf,
  responseRequest,
  type ResponseRequest,
  type ResponseTurn,
  responseTurn,
} from './request.ts'
import { responseEndAt, storedRoutes } from './stored.ts'
import {
  answersIn,
  echoOf,
  goneBehind,
  type KnownThread,
  knownThread,
  markElsewhere,
  newThreads,
  ownershipOf,
  refusalToBegin,
  requestHash,
} from './thread.ts'
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
      errors: [...RUN_ERRORS],
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

type Asked = AskedRun<ResponseRequest, ResponseTurn>

async function create(c: Context<AppEnv>): Promise<Response> {
  const asked = await askedRun(c, responseRequest(), {
    turn: (request) => {
      const clash = clashIn(request)
      return clash.ok ? responseTurn(request) : clash
    },
    name: ({ model }) => model,
  })
  return answerRun(c, asked, {
    isStream: asked.ok && asked.value.request.stream === true,
    run: (value, taken) => ran(c, value, taken),
    refused: (error, { request }) => problem(c, responsePlaces(request).of(error)),
    whole: (answer) => wholeAnswer(c, answer, 'application/json; charset=utf-8'),
  })
}

type ResponseCall = Omit<ThreadCall, 'session' | 'isNew' | 'view'>

/** Runs a request in the session that it belongs to: the one that it names, else a new one. */
async function ran(c: Context<AppEnv>, asked: Asked, taken: StreamPlace['taken']): Promise<Result<ThreadRun>> {
  const { request, turn } = asked
  const thread = await knownThread(c, request, turn)
  if (!thread.ok) return refusedRequest(c, thread.error)
  const answers = thread.value ? answersIn(turn) : ok([])
  if (!answers.ok) return refusedRequest(c, answers.error)
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const hash = await requestHash(c, request, idempotency?.key ?? null)
  const isDecided = answers.value.length > 0
  const call = callOf(c, asked, { isMessage: turn.content !== null && !isWordOf(turn, isDecided) })
  if (!call.ok) return refusedRequest(c, call.error)
  const whole: ResponseCall = {
    ...call.value,
    ...(isDecided ? { answers: answers.value } : {}),
    ...(isDecided && !isWholeHistory(turn, thread.value) ? { isOnce: true } : {}),
    isRetry: idempotency !== null || Number(c.req.header('x-stainless-retry-count') ?? 0) > 0,
    kept: { responses: echoOf(request) },
    idempotency: idempotency ?? { key: `openai-responses\n${hash}` },
  }
  const begun = { hash, call: { ...whole, answers: [], isOnce: false } }
  if (!thread.value) {
    const refusal = refusalToBegin(request, turn, call.value.opens?.task)
    return refusal ? refusedRequest(c, refusal) : inNew(c, asked, begun, taken)
  }
  const shows = isDecided && turn.shows !== null ? { showsIn: turn.shows } : {}
  const isAnew = isDecided && whole.message === null && !thread.value.isGuest
  const asks = isAnew && whole.opens ? { asks: askedAnew(whole.opens, turnExtras(request), request.tool_choice) } : {}
  const done = await inKnown(c, asked, { ...thread.value, call: { ...whole, ...shows, ...asks } }, taken)
  if (done.ok) return done
  if (isAnsweredBefore(done.error, asked, thread.value)) return inNew(c, asked, begun, taken)
  return thread.value.behind && done.error.code === 'not_found' ? fail(goneBehind(request)) : done
}

/** Whether results came with a whole history, and their calls wait no more: the history begins another session. */
function isAnsweredBefore(error: AppError, { turn }: Asked, thread: KnownThread): boolean {
  const isResult = turn.fresh.every(({ type, role }) => type === 'function_call_output' || role === 'user')
  return error.code === 'stale_decision' && isResult && isWholeHistory(turn, thread)
}

/** Whether a request says what was said before, so that it may begin another session. */
function isWholeHistory({ history }: ResponseTurn, thread: KnownThread | null): boolean {
  return thread?.isWhole === true && history.some(({ role }) => role === 'user')
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
  const config = configFor(c.env, c.get('principal').tenant, addressee, responseModelWanted(request, turn))
  const configured = Object.keys(config).length > 0 ? { config } : {}
  const opens = sessionInputOf(request, turn, { ...addressee.opens, ...said.value, ...configured })
  if (!opens.ok) return opens
  const { task = '', config: accepted } = opens.value
  const given = accepted ? { config: accepted } : {}
  return ok({
    form: formOf(request) === 'whole' ? 'whole' : 'stream',
    message: isMessage ? { content: task, ...said.value, ...given } : null,
    opens: inRequestLanguage(c, opens.value, turn.heard),
    language: languageAsked(c) ?? undefined,
    idempotency: null,
  })
}

function formOf({ stream, background }: ResponseRequest): ResponseView['form'] {
  return stream ? 'stream' : background ? 'begun' : 'whole'
}

async function viewOf(
  c: Context<AppEnv>,
  { request }: Asked,
  thread: Pick<KnownThread, 'session' | 'user' | 'isGuest'>,
): Promise<ThreadCall['view']> {
  const options: ResponseView = { form: formOf(request), owner: await ownershipOf(c, request, thread), after: null }
  return { name: 'openai-response', options }
}

async function inKnown(
  c: Context<AppEnv>,
  asked: Asked,
  { call, ...thread }: KnownThread & { call: ResponseCall },
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const { session, after, behind, mayBegin, isGuest } = thread
  const said = isGuest ? {} : { saysAnew: SAID_ANEW }
  const place = {
    session,
    isNew: false,
    ...said,
    ...(after === undefined ? {} : { after }),
    ...(behind ? { afterSeq: behind.seq } : {}),
  }
  const view = await viewOf(c, asked, thread)
  const opens = mayBegin && call.message ? call.opens : null
  const done = await runInThread(c, { ...call, ...place, view, opens }, taken)
  if (done.ok || done.error.code !== 'precondition_failed' || !behind) return done
  // What waited is over with the run that it was of.
  const [answered] = call.answers ?? []
  if (answered) return fail({ code: 'stale_decision', pendingId: answered.pendingId })
  return inFork(c, asked, { behind, isGuest, call: { ...call, ...said, opens: null } }, taken)
}

/** The session has gone on behind the response: a copy of it up to there goes on in another way. */
async function inFork(
  c: Context<AppEnv>,
  asked: Asked,
  { behind, isGuest, call }: Required<Pick<KnownThread, 'behind' | 'isGuest'>> & { call: ResponseCall },
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const end = await responseEndAt(c, behind)
  if (!end.ok) return end
  const { seq: atSeq, users } = end.value
  const command = { type: 'fork', from: behind.session, atSeq } as const
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
    const user = await markElsewhere(c, behind, { session, users })
    const view = await viewOf(c, asked, { session, isGuest, user })
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
  for await (const session of newThreads(c, asked.request, hash)) {
    const view = await viewOf(c, asked, { session, isGuest: false })
    const done = await runInThread(c, { ...call, session, view, isNew: true, after: null }, taken)
    if (done.ok || done.error.code !== 'precondition_failed') return done
  }
  return fail({ code: 'internal_error' })
}
