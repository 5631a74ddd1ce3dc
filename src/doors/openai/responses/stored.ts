import type { Context } from 'hono'
import * as z from 'zod'
import { fail, invalid, ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { type AppEnv, factory } from '../../../http/context.ts'
import { serviceOf } from '../../../http/caller.ts'
import { idempotencyOf } from '../../../http/idempotency.ts'
import { queryOf } from '../../../http/body.ts'
import { type Answer, type Call, eventStream, nothing, type Reading, route } from '../../../http/route.ts'
import { isDerivedId } from '../../../lib/id.ts'
import { readAllText } from '../../../lib/streams.ts'
import { sessionObject } from '../../../objects/env.ts'
import { openCounted } from '../../../service/limits.ts'
import { COMMANDS } from '../../../service/run.ts'
import type { View } from '../../../session/call.ts'
import { OPENAI_ERRORS } from '../errors.ts'
import { stopRun } from '../../kernel/asked.ts'
import type { Ownership, ResponsePlace } from './ids.ts'
import type { ResponseEnd } from './input-items.ts'
import type { ResponseView } from './project.ts'
import {
  deletedResponse,
  type GivenItem,
  givenItems,
  responseEvent,
  responseObject,
  type ResponseObject,
} from './shapes.ts'
import { ownResponse } from './thread.ts'

/** Responses that were given out. */

type Place = ResponsePlace & Ownership

const readQuery = z.object({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
})
const itemsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(LIMITS.http.listMax).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(LIMITS.door.idCharsMax).optional(),
})

/** A query of theirs, which may have more than is named here. */
function given<Schema extends z.ZodObject>(schema: Schema): Reading<z.output<Schema>> {
  const read = async (c: Parameters<typeof queryOf>[0]): Promise<Result<z.output<Schema>>> => {
    const parsed = schema.safeParse(c.req.query())
    return parsed.success ? ok(parsed.data) : queryOf(c, schema)
  }
  return { read, facts: { query: schema } }
}

const REFUSALS = { errors: ['not_found'] as const, refusals: OPENAI_ERRORS }

export const storedRoutes = factory
  .createApp()
  .get(
    '/:id',
    route(
      {
        summary: 'Read a response, or follow it behind an event',
        id: 'getResponse',
        about:
          'With `stream=true` its events, those behind `starting_after` alone where that is given: the same event has the same `sequence_number` each time.',
        scope: 'read',
        reads: given(readQuery),
        returns: responseObject(),
        frames: responseEvent(),
        ...REFUSALS,
      },
      async (call) => {
        const { stream, starting_after: after = null } = call.input
        const place = await ownResponse(call.c, call.param('id'))
        if (!place.ok) return place
        name(call, place.value)
        if (stream === 'true') return followed(call, place.value, after)
        if (after !== null) return invalid([{ path: 'starting_after', message: 'nothing without stream=true' }])
        const read = await responseAt(call, place.value)
        return read.ok ? ok({ body: read.value }) : read
      },
    ),
  )
  .post(
    '/:id/cancel',
    route(
      {
        summary: 'Stop the run of a response',
        id: 'cancelResponse',
        about:
          'A run that waits for an approval, an answer or a result is stopped, too; one that is over stays as it is. A client that goes away stops nothing.',
        scope: 'run',
        reads: nothing,
        returns: responseObject(),
        ...REFUSALS,
        audit: { action: COMMANDS.cancel.action },
      },
      async (call) => {
        const place = await ownResponse(call.c, call.param('id'))
        if (!place.ok) return place
        name(call, place.value)
        const before = await responseAt(call, place.value)
        if (!before.ok) return before
        const waits = await readOf<boolean>(call, place.value, { name: 'openai-response-waits' })
        if (!waits.ok) return waits
        if (before.value.status !== 'in_progress' && !waits.value) return ok({ body: before.value })
        call.note({ session_id: place.value.session })
        const stopped = await stopRun(call.c, place.value.session, { idempotency: idempotencyOf(call.c) })
        if (!stopped.ok) return stopped
        const after = await responseAt(call, place.value)
        return after.ok ? ok({ body: after.value }) : after
      },
    ),
  )
  .delete(
    '/:id',
    route(
      {
        summary: 'Delete a response',
        id: 'deleteResponse',
        about:
          'It can be read no more, and what goes on or waits of it is stopped. Its session goes with it where it holds nothing else and was made for it.',
        scope: 'run',
        reads: nothing,
        returns: deletedResponse(),
        ...REFUSALS,
        audit: { action: 'response.delete' },
      },
      async (call) => {
        const place = await ownResponse(call.c, call.param('id'))
        if (!place.ok) return place
        const { session, run: runId, seq: fromSeq } = place.value
        name(call, place.value)
        const part = { runId, fromSeq, isAll: isDerivedId(session) }
        const gone = await sessionObject(call.c.env, call.tenant, session).withdraw(part)
        if (!gone.ok) return unknown()
        return ok({ body: { id: call.param('id'), object: 'response', deleted: true } })
      },
    ),
  )
  .get(
    '/:id/input_items',
    route(
      {
        summary: 'What a response was asked with',
        id: 'listResponseInputItems',
        about: 'What the response itself was asked with: messages, results of tools, decisions.',
        scope: 'read',
        reads: given(itemsQuery),
        returns: givenItems(),
        ...REFUSALS,
      },
      async (call) => {
        const place = await ownResponse(call.c, call.param('id'))
        if (!place.ok) return place
        name(call, place.value)
        const items = await readOf<GivenItem[]>(call, place.value, {
          name: 'openai-response-input',
          options: { owner: place.value },
        })
        return items.ok ? pageOf(items.value, call.input) : items
      },
    ),
  )

const unknown = (): Result<never> => fail({ code: 'not_found', what: 'response' })

function name({ c }: Call<unknown>, { session, run }: Place): void {
  c.header('x-yaa-session', session)
  c.header('x-yaa-run', run)
}

function viewOf(owner: Ownership, form: ResponseView['form'], after: number | null = null): View {
  const options: ResponseView = { form, owner, after }
  return { name: 'openai-response', options }
}

function responseAt(call: Call<unknown>, place: Place): Promise<Result<ResponseObject>> {
  return readOf(call, place, viewOf(place, 'whole'))
}

/** Where a response rests, and whose it may be. */
export function responseEndAt(c: Context<AppEnv>, place: ResponsePlace): Promise<Result<ResponseEnd>> {
  return projected(c, place, { name: 'openai-response-end' })
}

function readOf<T>({ c }: Call<unknown>, place: Place, view: View): Promise<Result<T>> {
  return projected(c, place, view)
}

/** What a projection makes of a response as it stands now. */
async function projected<T>(
  c: Context<AppEnv>,
  { session, run: runId, seq: fromSeq }: ResponsePlace,
  view: View,
): Promise<Result<T>> {
  const { tenant } = c.get('principal')
  const read = await sessionObject(c.env, tenant, session).run({ runId, fromSeq, follows: false }, view)
  if (!read.ok) return unknown()
  const text = await readAllText(read.value, LIMITS.door.responseBytesMax)
  return text === null ? fail({ code: 'internal_error' }) : ok(JSON.parse(text) as T)
}

/** Events behind one that the client has, until the run rests. */
async function followed(call: Call<unknown>, place: Place, after: number | null): Promise<Result<Answer>> {
  const { session, run: runId, seq: fromSeq } = place
  const opened = await openCounted(serviceOf(call.c), call.tenant, { kind: 'stream', session })
  if (!opened.ok) return opened
  const view = viewOf(place, 'stream', after)
  const stream = await sessionObject(call.c.env, call.tenant, session).run({ runId, fromSeq, follows: true }, view)
  if (stream.ok) return ok({ response: eventStream(call.c, stream.value, { connection: opened.value }) })
  await opened.value?.close()
  return unknown()
}

function pageOf(items: readonly GivenItem[], { limit, order, after }: z.output<typeof itemsQuery>): Result<Answer> {
  const sorted = order === 'asc' ? items : items.toReversed()
  const from = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && from === 0)
    return invalid([{ path: 'after', message: 'the id of an item of this response' }])
  const data = sorted.slice(from, from + limit)
  const [first] = data
  const hasMore = sorted.length > from + limit
  const ends = { first_id: first?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore }
  return ok({ body: { object: 'list', data, ...ends } })
}
