import type { Context } from 'hono'
import type { SessionConfig } from '../../domain/config.ts'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { languageOf, languageOfWords } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type AppEnv, problem } from '../../http/context.ts'
import { idempotencyOf } from '../../http/idempotency.ts'
import { inRequestLanguage, languageAsked } from '../../http/language.ts'
import type { StreamPlace } from '../../http/route.ts'
import { lacks } from '../../service/caller.ts'
import type { View } from '../../session/call.ts'
import { answerRun, wholeAnswer } from '../kernel/asked.ts'
import { addressed, type Addressee } from '../kernel/names.ts'
import { ownerName, refusedRequest, runInThread, runOf, type ThreadCall, type ThreadRun } from '../kernel/thread.ts'
import { asWritten } from '../kernel/written.ts'
import { type Binding, foreignTenant, taskView } from './protocol.ts'
import { dropPush, keepPush, type PushPlace } from './push.ts'
import type { KeptOfTask, TaskView } from './reader.ts'
import {
  type PushConfigInput,
  type SendRequest,
  sentTurn,
  type SentTurn,
  openingOf,
  extrasOf,
  sentAt,
} from './request.ts'
import { messageHash, sentPlace, type SentPlace } from './thread.ts'

/** Messages of clients: what they begin, go on with, or decide. */

/** A message that was understood. */
interface Sent {
  request: SendRequest
  turn: SentTurn
  addressee: Addressee
}

/** SendMessage and SendStreamingMessage. */
export async function sendMessage(
  c: Context<AppEnv>,
  binding: Binding,
  { given, streams }: { given: Result<SendRequest>; streams: boolean },
): Promise<Response> {
  const sent = given.ok ? await understood(c, given.value) : given
  return answerRun(c, sent, {
    isStream: streams,
    run: (value, taken) => ran(c, value, { binding, streams, taken }),
    refused: (error, { turn }) => problem(c, asWritten(error, sentAt(turn))),
    whole: (answer) => wholeAnswer(c, answer, binding.contentType),
  })
}

async function understood(c: Context<AppEnv>, request: SendRequest): Promise<Result<Sent>> {
  const foreign = foreignTenant(c, request.tenant)
  if (foreign) return fail(foreign)
  const turn = sentTurn(request)
  if (!turn.ok) return turn
  const { skill, model } = turn.value.asked
  const addressee = await addressed(c.env, c.get('principal').tenant, skill ?? model ?? 'yaa')
  return addressee.ok ? ok({ request, turn: turn.value, addressee: addressee.value }) : addressee
}

interface Sending {
  binding: Binding
  streams: boolean
  taken: StreamPlace['taken']
}

async function ran(c: Context<AppEnv>, sent: Sent, sending: Sending): Promise<Result<ThreadRun>> {
  const { request, turn } = sent
  const hash = await messageHash(c, request)
  const place = await sentPlace(c, turn, hash)
  if (!place.ok) return refusedRequest(c, place.error)
  const read = await callOf(c, sent, { place: place.value, hash })
  if (!read.ok) return refusedRequest(c, read.error)
  const form = formOf(request, sending)
  const view = await viewOf(c, sent, place.value, { ...sending, form })
  const call: ThreadCall = { ...read.value, view, form: form === 'whole' ? form : 'stream' }
  const push = request.configuration?.taskPushNotificationConfig
  if (!push) return runInThread(c, call, sending.taken)
  const told = { session: place.value.session, contextId: turn.contextId ?? place.value.session, key: hash }
  return toldOf(c, { ...told, run: place.value.run }, push, () => runInThread(c, call, sending.taken))
}

function formOf({ configuration }: SendRequest, { streams }: Pick<Sending, 'streams'>): TaskView['form'] {
  if (streams) return 'stream'
  return configuration?.returnImmediately ? 'begun' : 'whole'
}

/** Runs a message of whose task somebody wants to be told: before its run begins, that nothing is missed, and of no other run from then on. */
async function toldOf(
  c: Context<AppEnv>,
  place: PushPlace,
  push: PushConfigInput,
  work: () => Promise<Result<ThreadRun>>,
): Promise<Result<ThreadRun>> {
  const lacking = lacks(c.get('principal'), 'run')
  if (lacking) return fail(lacking)
  const kept = await keepPush(c, place, push)
  if (!kept.ok) return kept
  const done = await work()
  const run = done.ok ? runOf(done.value.answer) : null
  if (run === null) await dropPush(c, place, push)
  else if (place.run === null) await keepPush(c, { ...place, run }, push)
  return done
}

async function callOf(
  c: Context<AppEnv>,
  { turn, addressee }: Sent,
  { place, hash }: { place: SentPlace; hash: string },
): Promise<Result<Omit<ThreadCall, 'form' | 'view'>>> {
  const { session, run, isNew, mayBegin } = place
  const extras = extrasOf(turn)
  const { model } = addressee
  const config: SessionConfig = model === undefined ? {} : { model }
  const configured = model === undefined ? {} : { config }
  const opens = openingOf(turn, { ...addressee.opens, ...extras, ...configured })
  if (!opens.ok) return opens
  const { task, client_tools: tools, output_schema: schema } = opens.value
  if (isNew && task === undefined)
    return invalid([{ path: 'message.taskId', message: 'the task whose pending item is meant, or its contextId' }])
  const more = {
    ...configured,
    ...(tools === undefined ? {} : { client_tools: tools }),
    ...(schema === undefined ? {} : { output_schema: schema }),
  }
  const kept: KeptOfTask = {
    ...(turn.contextId === null || run !== null ? {} : { contextId: turn.contextId }),
    ...(turn.accepts.length > 0 ? { accepts: turn.accepts } : {}),
  }
  return ok({
    session,
    isNew,
    opens: mayBegin && task !== undefined ? inRequestLanguage(c, opens.value, turn.words) : null,
    message: task === undefined ? null : { content: task, ...more },
    answers: turn.answers,
    whenBusy: 'steer',
    language: languageAsked(c) ?? undefined,
    ...(run === null ? {} : { inRun: run }),
    isRetry: true,
    messageId: turn.messageId,
    kept: { a2a: { ...kept, owner: ownerName(c.get('principal')) } },
    idempotency: idempotencyOf(c, LIMITS.parts.bodyBytesMax) ?? { key: `a2a\n${hash}` },
  })
}

async function viewOf(
  c: Context<AppEnv>,
  { request, turn }: Sent,
  { session }: SentPlace,
  { binding, form }: Pick<Sending, 'binding'> & Pick<TaskView, 'form'>,
): Promise<View> {
  const { historyLength = null } = request.configuration ?? {}
  const asked = languageAsked(c) ?? languageOfWords(turn.words)
  const options = await taskView(c, binding, { session, historyLength })
  return {
    name: 'a2a-task',
    isWhole: true,
    options: {
      ...options,
      isNamed: true,
      form,
      ...(asked === null ? {} : { language: languageOf(asked) }),
    } satisfies TaskView,
  }
}
