import type { Context } from 'hono'
import * as z from 'zod'
import { type AppError, ok, type Result } from '../../domain/errors.ts'
import { languageOf, languageOfWords } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isId } from '../../lib/id.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { type AppEnv, factory, problem } from '../../http/context.ts'
import { idempotencyOf } from '../../http/idempotency.ts'
import { inRequestLanguage, languageAsked } from '../../http/language.ts'
import { described } from '../../http/openapi/describe.ts'
import { eventStream, json, route, type StreamPlace } from '../../http/route.ts'
import { COMMANDS } from '../../service/run.ts'
import { answerRun, type AskedRun, askedRun, RUN_ERRORS, stopRun } from '../kernel/asked.ts'
import { decisionWord } from '../kernel/approval-word.ts'
import { addressed } from '../kernel/names.ts'
import { nameRun, refusedRequest, runInThread, type ThreadCall, type ThreadRun } from '../kernel/thread.ts'
import { asWritten } from '../kernel/written.ts'
import { AG_UI_ERRORS } from './errors.ts'
import { answersOf } from './interrupts.ts'
import type { AgUiView } from './project.ts'
import {
  threadConfig,
  runExtras,
  isEmpty,
  threadOpening,
  type RunInput,
  runInput,
  type RunTurn,
  runTurn,
  askingUser,
  spokenWords,
  usersAt,
} from './request.ts'
import { agUiEvent, threadCancelled } from './shapes.ts'
import { followed, heldIn, keptIn, threadPlace, freshHash, type AgUiThread, unsaid, VIEW } from './thread.ts'

const { scope, action } = COMMANDS.message
/** What the document says of a run. `yaa` is asked where the path has no name; one in it is encoded (`yaa%2Fplan`). */
const textOf = (id: string, summary: string) => ({
  summary,
  id,
  about:
    'A thread is a session; the run goes on to its end, whoever listens. A request that says nothing new follows the newest run: what the client missed is told.',
  scope,
  body: runInput(),
  frames: agUiEvent(),
  errors: [...RUN_ERRORS],
  refusals: AG_UI_ERRORS,
  audit: { action },
})

const runRoutes = factory
  .createApp()
  .post(
    '/',
    described(textOf('runAgUi', 'Runs of the agent, for clients of AG-UI'), (c: Context<AppEnv>) => runAgent(c)),
  )
  .post('/:name', described(textOf('runNamedAgUi', 'Runs of an agent, for clients of AG-UI'), runAgent))
  .post(
    '/:name/cancel',
    route(
      {
        summary: 'Stop the run of a thread',
        id: 'cancelThread',
        about: 'AG-UI has no word for it. A run that is over stays as it is; a client that goes away stops nothing.',
        scope: COMMANDS.cancel.scope,
        reads: json(
          z.strictObject({
            threadId: z.string().min(1).max(LIMITS.door.idCharsMax),
            user: z.string().min(1).max(LIMITS.text.nameCharsMax).optional(),
          }),
        ),
        returns: threadCancelled(),
        errors: ['not_found'],
        refusals: AG_UI_ERRORS,
        audit: { action: COMMANDS.cancel.action },
      },
      async ({ c, input, tenant, param, note }) => {
        const addressee = await addressed(c.env, tenant, param('name'))
        if (!addressee.ok) return addressee
        const { threadId, user = null } = input
        const { session } = await threadPlace(c, { threadId, user }, addressee.value)
        note({ session_id: session })
        const stopped = await stopRun(c, session)
        if (!stopped.ok) return stopped
        nameRun(c, stopped.value)
        const { answer } = stopped.value
        const status = 'form' in answer && answer.form === 'wait' ? answer.response.status : 'cancelled'
        return ok({ body: { threadId, status } })
      },
    ),
  )

export const agUiDoor: DoorRoutes = {
  keyed: [['/v1/ag-ui', runRoutes]],
  errors: AG_UI_ERRORS,
  words: async () => (await import('./words.ts')).AG_UI_WORDS,
}

/** A request that was understood, and the session of its thread. `hash`: of what it says that is new. */
interface Asked extends AskedRun<RunInput, RunTurn> {
  place: AgUiThread
  hash: string
}

async function runAgent(c: Context<AppEnv>): Promise<Response> {
  const asked = await askedIn(c)
  if (asked.ok && isEmpty(asked.value.turn)) return follow(c, asked.value)
  return answerRun(c, asked, {
    isStream: true,
    run: (value, taken) => ranWithout(c, value, taken),
    refused: (error, value) =>
      isOld(error, value) ? follow(c, value) : problem(c, asWritten(error, usersAt(value.request, value.turn))),
  })
}

/** Whether all that a request says is about what does not wait any more: then it says nothing new. Clients run nothing else while they hold
 *  an interrupt, which somebody may have decided elsewhere: they are told how that went on. */
function isOld(error: AppError, { turn }: Asked): boolean {
  return error.code === 'stale_decision' && turn.users.length === 0 && turn.resume.every(isOfOurs)
}

const isOfOurs = ({ interruptId }: RunTurn['resume'][number]): boolean => isId('pnd', interruptId)

/** Runs a request; words of the user without the answers beside them to what waits no more, and results without those that were taken. */
async function ranWithout(c: Context<AppEnv>, asked: Asked, taken: StreamPlace['taken']): Promise<Result<ThreadRun>> {
  const done = await ran(c, asked, taken)
  if (done.ok || done.error.code !== 'stale_decision') return done
  const { pendingId } = done.error
  const { turn } = asked
  const results = turn.results.filter(({ toolCallId }) => toolCallId !== pendingId)
  const resume = turn.users.length === 0 ? turn.resume : turn.resume.filter((one) => one.interruptId !== pendingId)
  const left = { ...turn, results, resume }
  const isSame = results.length === turn.results.length && resume.length === turn.resume.length
  return isSame || isEmpty(left) ? done : ranWithout(c, { ...asked, turn: left }, taken)
}

async function follow(c: Context<AppEnv>, asked: Asked): Promise<Response> {
  const { request: input, place } = asked
  const view: AgUiView = { ...viewOf(c, asked), held: keptIn(input), restates: true }
  const found = await followed(c, place, { name: VIEW, options: view })
  if (!found.ok) return problem(c, found.error)
  const { runId, body, connection } = found.value
  c.header('x-yaa-session', place.session)
  c.header('x-yaa-run', runId)
  return eventStream(c, body, { connection })
}

async function askedIn(c: Context<AppEnv>): Promise<Result<Asked>> {
  const name = () => c.req.param('name') ?? 'yaa'
  const asked = await askedRun(c, runInput(), { turn: (input) => ok(runTurn(input)), name })
  if (!asked.ok) return asked
  const { request, turn, addressee } = asked.value
  const place = await threadPlace(c, { threadId: request.threadId, user: askingUser(request) }, addressee)
  const hash = await freshHash(c, request, turn)
  return ok({ ...asked.value, turn: await unsaid(c, place, turn), place, hash })
}

function viewOf(c: Context<AppEnv>, { request: input, turn }: Asked): AgUiView {
  const spoken = turn.users.map((one) => spokenWords(one.content)).join('\n')
  const asked = languageAsked(c) ?? languageOfWords(spoken)
  return {
    threadId: input.threadId,
    runId: input.runId,
    state: input.state ?? {},
    held: heldIn(input),
    restates: false,
    language: asked === null ? null : languageOf(asked),
  }
}

/** Runs a request in the session of its thread, which is made if it is not there. */
async function ran(c: Context<AppEnv>, asked: Asked, taken: StreamPlace['taken']): Promise<Result<ThreadRun>> {
  const { request: input, turn, addressee, place, hash } = asked
  const answers = answersOf(turn)
  if (!answers.ok) return refusedRequest(c, answers.error)
  const extras = runExtras(input)
  if (!extras.ok) return refusedRequest(c, extras.error)
  const config = threadConfig(input, addressee.model)
  const configured = Object.keys(config).length > 0 ? { config } : {}
  const opens =
    turn.users.length + turn.history.length === 0
      ? null
      : threadOpening(input, turn, { ...addressee.opens, ...extras.value, ...configured })
  if (opens && !opens.ok) return refusedRequest(c, opens.error)
  const words = turn.users.map((one) => spokenWords(one.content)).join('\n')
  const word = answers.value.length === 0 ? decisionWord(words) : null
  const last = turn.users.at(-1)
  const content = opens?.value.task ?? ''
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const call: ThreadCall = {
    session: place.session,
    isNew: isFirst(asked) && word === null && !place.isNamed,
    opens: opens && !place.isNamed && word === null ? inRequestLanguage(c, opens.value, words) : null,
    message: last && word === null ? { content, ...extras.value, ...configured } : null,
    answers: word ? [word] : answers.value,
    form: 'stream',
    whenBusy: 'steer',
    language: languageAsked(c) ?? undefined,
    view: { name: VIEW, options: viewOf(c, asked) },
    isRetry: true,
    ...(word === null ? { answersIn: 'resume' } : {}),
    kept: { [VIEW]: { run: input.runId, results: resultNames(turn) } },
    ...(last ? { messageId: last.id } : {}),
    idempotency: idempotency ?? { key: `ag-ui\n${hash}` },
  }
  return runInThread(c, call, taken)
}

/** Whether a request seems to be the first of its thread. One that is not is the next of its session all the same. */
function isFirst({ turn }: Asked): boolean {
  return turn.users.length > 0 && turn.history.length + turn.results.length + turn.resume.length === 0
}

/** What the client calls the results that it gives, by the items that they are of. */
function resultNames({ results }: RunTurn): Record<string, string> {
  return Object.fromEntries(results.map(({ toolCallId, id }) => [toolCallId, id]))
}
