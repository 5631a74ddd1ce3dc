import type { Context } from 'hono'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type AppEnv, originOf } from '../../http/context.ts'
import { idempotencyOf } from '../../http/idempotency.ts'
import { inRequestLanguage, languageAsked } from '../../http/language.ts'
import type { StreamPlace } from '../../http/route.ts'
import { type AskedRun } from '../kernel/asked.ts'
import { refusedRequest, runInThread, type ThreadCall, type ThreadRun } from '../kernel/thread.ts'
import type { UiView } from './project.ts'
import { heldParts, uiConfig, type UiRequest, uiSession, uiTools, type UiTurn } from './request.ts'
import { answeredAnew, answersOn, chatOf, chatPlace, chatRequestHash, firstSession } from './thread.ts'

/** What `useChat` sends, as a command to the session of its chat. */

export type AskedChat = AskedRun<UiRequest, UiTurn>

export function viewOf(c: Context<AppEnv>, model: string, view: Pick<UiView, 'tells' | 'goesOn'>): ThreadCall['view'] {
  return { name: 'ai-sdk', options: { ...view, model, filesAt: filesAt(c) } satisfies UiView }
}

export const filesAt = (c: Context<AppEnv>): string => `${originOf(c)}/v1/sessions/`

type UiCall = Omit<ThreadCall, 'session' | 'isNew'>

export async function ran(
  c: Context<AppEnv>,
  asked: AskedChat,
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const { request, turn } = asked
  const chat = chatOf(c, request)
  if (!chat.ok) return refusedRequest(c, chat.error)
  const idempotency = idempotencyOf(c, LIMITS.parts.bodyBytesMax)
  const hash = await chatRequestHash(c, request, { turn, key: idempotency?.key ?? null })
  const understood = callOf(c, asked, hash)
  if (!understood.ok) return refusedRequest(c, understood.error)
  const call: UiCall = {
    ...understood.value,
    isRetry: idempotency !== null,
    idempotency: idempotency ?? { key: `ai-sdk\n${hash}` },
  }
  if ('session' in chat.value)
    return inChat(c, asked, { call: { ...call, opens: null, mayBeElsewhere: false }, ...chat.value }, taken)
  const run = (session: string) => inChat(c, asked, { call, session }, taken)
  if (!turn.isAnew) return run(await firstSession(c, chat.value))
  return answeredAnew(c, chat.value, { turn, request: hash, isRetry: idempotency !== null }, run)
}

function callOf(c: Context<AppEnv>, { request, turn, addressee }: AskedChat, hash: string): Result<UiCall> {
  const tools = uiTools(request)
  if (!tools.ok) return tools
  const config = uiConfig(turn, addressee.model)
  const configured = Object.keys(config).length > 0 ? { config } : {}
  const opens = uiSession(request, turn, { ...addressee.opens, ...tools.value, ...configured })
  if (!opens.ok) return opens
  const { task, config: accepted } = opens.value
  const given = accepted ? { config: accepted } : {}
  return ok({
    form: 'stream',
    message: task === undefined ? null : { content: task, ...tools.value, ...given },
    opens: task === undefined ? null : inRequestLanguage(c, opens.value, turn.words),
    whenBusy: 'steer',
    language: languageAsked(c) ?? undefined,
    view: viewOf(c, addressee.name, { tells: 'message', goesOn: null }),
    kept: { ai_sdk: { request: hash } },
    ...(turn.said?.id ? { messageId: turn.said.id } : {}),
    mayBeElsewhere: true,
    idempotency: null,
  })
}

interface InChat {
  call: UiCall
  session: string
}

/** Runs a request in the session in which its chat goes on. */
async function inChat(
  c: Context<AppEnv>,
  asked: AskedChat,
  { call, session }: InChat,
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  if (asked.turn.answers.length > 0) return answered(c, asked, { call, session }, taken)
  const { request, addressee } = asked
  const isNew = call.opens !== null && request.messages?.length === 1 && addressee.model === undefined
  let at = session
  for (let n = 0; n < LIMITS.door.leadsMax; n++) {
    const done = await runInThread(c, { ...call, session: at, isNew }, taken)
    if (done.ok || done.error.code !== 'precondition_failed' || done.error.what !== 'thread') return done
    const isUnsettled = done.error.etag === at
    const place = isUnsettled ? await chatPlace(c, session) : ok({ session: done.error.etag })
    if (!place.ok) return place
    at = place.value.session
  }
  return fail({ code: 'internal_error' })
}

/** What a request says of what waits, and its message behind that. */
async function answered(
  c: Context<AppEnv>,
  { request, turn, addressee }: AskedChat,
  { call, session: first }: InChat,
  taken: StreamPlace['taken'],
): Promise<Result<ThreadRun>> {
  const place = await chatPlace(c, first, call.mayBeElsewhere)
  if (!place.ok) return refusedRequest(c, place.error)
  const { session, stand } = place.value
  const { answers, isRepeat } = stand ? answersOn(stand, turn, request.editedInputs) : NOTHING_WAITS
  if (call.message) {
    const said = isRepeat ? {} : { answers }
    return runInThread(c, { ...call, ...said, session, isNew: false }, taken)
  }
  if (!stand || !turn.answered) return refusedRequest(c, { code: 'stale_decision', pendingId: 'What is answered' })
  const goesOn = { id: turn.answered.id ?? 'message', ...heldParts(turn.answered) }
  const view = viewOf(c, addressee.name, { tells: 'message', goesOn })
  return runInThread(c, { ...call, answers, view, session, isNew: false }, taken)
}

const NOTHING_WAITS = { answers: [], isRepeat: true }
