import type { Context } from 'hono'
import type * as z from 'zod'
import { ok, type Result } from '../domain/errors.ts'
import { newId } from '../lib/id.ts'
import { COMMANDS, type CommandOf, type CommandType } from '../service/commands.ts'
import { type Done, type Order, run } from '../service/run.ts'
import { answerForm, sessionBody, SSE_HEADERS, whileKeyHolds } from './answer.ts'
import { callerOf, serviceOf, type AppEnv } from './context.ts'
import { jsonOf } from './middleware/body.ts'
import { declared } from './middleware/declared.ts'
import { idempotencyOf } from './middleware/idempotency.ts'
import { REPLAYED } from './middleware/replayed.ts'
import { problem } from './problem.ts'

/** How a request is read as a command, and what it is read by. */
interface Reading<Read> {
  read: (c: Context<AppEnv>) => Promise<Result<Read>>
  body?: z.ZodType
  query?: z.ZodObject
}

/** A command that is made of a JSON body. */
export function fromBody<Schema extends z.ZodType, Read>(
  body: Schema,
  commandOf: (input: z.output<Schema>, c: Context<AppEnv>) => Read,
): Reading<Read> {
  const read = async (c: Context<AppEnv>) => {
    const input = await jsonOf(c, body)
    return input.ok ? ok(commandOf(input.value, c)) : input
  }
  return { read, body }
}

interface CommandRoute {
  /** Of a good answer that is not asynchronous; default: 200. */
  status?: 200 | 201
  /** What is acted upon, where that is not the session of the path. */
  target?: (c: Context<AppEnv>) => string
  /** Of the body; default: that of every request. */
  bytesMax?: number
}

/** A route that is one command: the request is read, the service does it, and the answer is shown. */
export function command<T extends CommandType>(
  type: T,
  { read, ...facts }: Reading<CommandOf<T>>,
  { status = 200, target, bytesMax }: CommandRoute = {},
) {
  const { scope, makes } = COMMANDS[type]
  const handler = async (c: Context<AppEnv>) => {
    const done = await ordered(c, {
      type,
      sessionId: makes ? newId('ses', Date.now()) : (c.req.param('id') ?? ''),
      ...(target ? { target: target(c) } : {}),
      idempotency: idempotencyOf(c, bytesMax),
      read: () => read(c),
      form: answerForm(c),
      record: { at: 'both', statusOf: ({ answer }) => (isAccepted(answer) ? 202 : status) },
    })
    if (!done.ok) return problem(c, done.error)
    if (makes || isAccepted(done.value.answer)) c.header('location', `/v1/sessions/${done.value.sessionId}`)
    return shown(c, done.value.answer, status)
  }
  return declared(handler, { scope, keyed: true, ...facts })
}

/** Gives an order to the service. */
export async function ordered<T extends CommandType>(c: Context<AppEnv>, order: Order<T>): Promise<Result<Done<T>>> {
  c.set('session', order.sessionId)
  const done = await run(serviceOf(c), callerOf(c), order)
  if (!done.ok) return done
  c.set('session', done.value.sessionId)
  if (done.value.replayed) c.header(REPLAYED, 'true')
  return done
}

function isAccepted(answer: Done['answer']): boolean {
  return 'form' in answer && answer.form === 'background'
}

function shown(c: Context<AppEnv>, answer: Done['answer'], status: 200 | 201): Response {
  if (!('form' in answer)) return sessionBody(c, ok(answer), status)
  if (answer.form === 'stream') return c.body(whileKeyHolds(c, answer.body), status, SSE_HEADERS)
  if (answer.form === 'wait') return c.json(answer.response, status)
  c.header('preference-applied', 'respond-async')
  return c.json(answer.accepted, 202)
}
