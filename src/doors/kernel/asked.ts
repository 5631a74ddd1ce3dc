import type { Context } from 'hono'
import type * as z from 'zod'
import { type AppError, fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { jsonOf } from '../../http/body.ts'
import { type AppEnv, problem } from '../../http/context.ts'
import { inPlace, ordered, type StreamPlace } from '../../http/route.ts'
import { lacks } from '../../service/caller.ts'
import { COMMANDS, type Order } from '../../service/run.ts'
import { addressed, type Addressee } from './names.ts'
import { isTold, lineOf, nameRun, refusedRequest, takenOnce, type ThreadRun, type ToldAnswer } from './thread.ts'

/** A request by which a run is asked for: read, answered, stopped. */

/** What a run that is asked for may be refused with. */
export const RUN_ERRORS = [
  'not_found',
  'run_in_progress',
  'stale_decision',
  'too_many',
  'unpriced_model',
  'needs_newer',
  'queue_full',
] as const satisfies AppError['code'][]

/** A request that was understood. */
export interface AskedRun<Request, Turn> {
  request: Request
  turn: Turn
  addressee: Addressee
}

/** Reads a request: whether its key may ask at all comes first. `turn`: what it says; `name`: whom it asks. */
export async function askedRun<Request, Turn>(
  c: Context<AppEnv>,
  schema: z.ZodType<Request>,
  { turn, name }: { turn: (request: Request) => Result<Turn>; name: (request: Request) => string },
): Promise<Result<AskedRun<Request, Turn>>> {
  const lacking = lacks(c.get('principal'), COMMANDS.message.scope)
  if (lacking) return fail(lacking)
  const request = await jsonOf(c, schema, LIMITS.parts.bodyBytesMax)
  if (!request.ok) return request
  const said = turn(request.value)
  if (!said.ok) return said
  const addressee = await addressed(c.env, c.get('principal').tenant, name(request.value))
  return addressee.ok ? ok({ request: request.value, turn: said.value, addressee: addressee.value }) : addressee
}

/** How a door answers. */
interface RunAnswers<Asked> {
  isStream: boolean
  run: (asked: Asked, taken: StreamPlace['taken']) => Promise<Result<ThreadRun>>
  /** Why nothing runs, of a request that was understood; absent: as it is. */
  refused?: (error: AppError, asked: Asked) => Response | Promise<Response>
  /** An answer that is no stream; absent: there is none. */
  whole?: (answer: ToldAnswer) => Response | Promise<Response>
}

/** Answers a request: with the stream of its run, or with what that comes to. */
export function answerRun<Asked>(
  c: Context<AppEnv>,
  asked: Result<Asked>,
  { isStream, run, refused, whole }: RunAnswers<Asked>,
): Promise<Response> {
  return inPlace(c, isStream, async ({ taken, streamed }) => {
    const done = asked.ok ? await run(asked.value, takenOnce(taken)) : await refusedRequest(c, asked.error)
    if (!done.ok) return asked.ok && refused ? refused(done.error, asked.value) : problem(c, done.error)
    nameRun(c, done.value)
    const { answer } = done.value
    if (isTold(answer) && isStream && answer.form === 'stream') return streamed(answer.body)
    return isTold(answer) && whole ? whole(answer) : problem(c, { code: 'internal_error' })
  })
}

/** The JSON that a run came to, or began with. Empty: its session is gone. */
export async function wholeAnswer(c: Context<AppEnv>, answer: ToldAnswer, contentType: string): Promise<Response> {
  const body = answer.form === 'stream' ? await lineOf(answer.body) : answer.body
  return body ? c.body(body, 200, { 'content-type': contentType }) : problem(c, { code: 'not_found', what: 'session' })
}

/** Ends what runs in a session, or waits. `status`: where no route tells the audit. */
export function stopRun(
  c: Context<AppEnv>,
  sessionId: string,
  more: Partial<Pick<Order<'cancel'>, 'idempotency' | 'status'>> = {},
) {
  const order = { type: 'cancel', sessionId, idempotency: null, form: 'wait', ...more } as const
  return ordered(c, { ...order, read: async () => ok({ type: 'cancel' }) })
}
