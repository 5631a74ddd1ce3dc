import type * as z from 'zod'
import { inputWords } from '../domain/content-input.ts'
import { inRequestLanguage, languageAsked } from './language.ts'
import { ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  continueInput,
  newMessage,
  newSession,
  newSessionInput,
  pendingInput,
  sessionPatch,
} from '../domain/session-input.ts'
import type { Cursor } from '../log/deltas.ts'
import { sessionObject } from '../objects/env.ts'
import { openCounted } from '../service/limits.ts'
import { jsonWithParts, queryOf } from './body.ts'
import { serviceOf } from './caller.ts'
import { factory } from './context.ts'
import { shownEvent } from './money.ts'
import { listOf } from './openapi/describe.ts'
import {
  eventListQuery,
  messageListQuery,
  messageQuery,
  resumedFrom,
  sessionListQuery,
  sessionQuery,
} from './queries.ts'
import {
  type Answer,
  type Call,
  command,
  eventStream,
  json,
  jsonParts,
  list,
  noFields,
  nothing,
  page,
  query,
  type Reading,
  route,
  sessionBody,
  sessionInPath,
  wantsEvents,
} from './route.ts'
import { TenantLists } from '../objects/tenant-lists.ts'

/** The object of the session that the path names. */
const session = ({ c, tenant, param }: Call<unknown>) => sessionObject(c.env, tenant, param('id'))
const seqOf = ({ seq }: { seq: number }) => String(seq)

/** A message, and what becomes of it while a run is going. */
const message: Reading<{ input: z.infer<typeof newMessage>; asked: z.infer<typeof messageQuery> }> = {
  read: async (c) => {
    const asked = queryOf(c, messageQuery)
    if (!asked.ok) return asked
    const input = await jsonWithParts(c, newMessage)
    return input.ok ? ok({ input: input.value, asked: asked.value }) : input
  },
  facts: { query: messageQuery, body: newMessage },
}

/** What the user said first. */
function wordsOf({ task, messages = [] }: z.infer<typeof newSession>): string {
  return inputWords(task ?? messages.find(({ role }) => role === 'user')?.content ?? '')
}

export const sessionRoutes = factory
  .createApp()

  .post(
    '/',
    command(
      'create',
      {
        summary: 'Create a session; with a task it runs',
        reads: jsonParts(newSessionInput),
        bytesMax: LIMITS.parts.bodyBytesMax,
        answers: 'new_session',
        good: 201,
      },
      (input, c) => ({ type: 'create', input: inRequestLanguage(c, input, wordsOf(input)) }),
    ),
  )

  .get(
    '/',
    route(
      {
        summary: 'List sessions, newest first',
        scope: 'read',
        reads: query(sessionListQuery),
        returns: listOf('SessionSummary'),
      },
      async (call) => {
        const { stuck, pinned, min_age_ms: _, ...filter } = call.input
        if (stuck === 'true') return (await import('./inbox.ts')).listStuck(call)
        const { data, nextCursor } = await new TenantLists(call.c.env, call.tenant).list({
          ...filter,
          isPinned: pinned === 'true',
        })
        return ok(list(data, nextCursor))
      },
    ),
  )

  .get(
    '/:id',
    route(
      {
        summary: 'Read a session',
        scope: 'read',
        refuse: sessionInPath,
        headers: ['If-None-Match'],
        reads: query(sessionQuery),
        answers: 'session',
        status: [200, 304],
      },
      async (call) => {
        const read = await session(call).read(call.input.messages)
        return read.ok ? ok({ response: sessionBody(call.c, read.value) }) : read
      },
    ),
  )

  .patch(
    '/:id',
    route(
      {
        summary: 'Change title, metadata or config',
        scope: 'run',
        refuse: sessionInPath,
        headers: ['If-Match'],
        reads: json(sessionPatch),
        answers: 'session',
        errors: ['needs_newer', 'precondition_failed', 'unpriced_model'],
        audit: { action: 'session.update', fields: true },
      },
      async (call) => {
        const patched = await session(call).patch(call.input, call.c.req.header('if-match') ?? null)
        return patched.ok ? ok({ response: sessionBody(call.c, patched.value) }) : patched
      },
    ),
  )

  .delete(
    '/:id',
    route(
      {
        summary: 'Delete a session and all of its data',
        scope: 'run',
        refuse: sessionInPath,
        headers: ['If-Match'],
        reads: nothing,
        errors: ['precondition_failed'],
        audit: { action: 'session.delete' },
      },
      async (call) => {
        const removed = await session(call).remove(call.c.req.header('if-match') ?? null)
        return removed.ok ? ok({}) : removed
      },
    ),
  )

  .post(
    '/:id/messages',
    command(
      'message',
      {
        summary: 'Add a user message and run',
        reads: message,
        bytesMax: LIMITS.parts.bodyBytesMax,
        answers: 'run',
        errors: ['too_many', 'workspace_full'],
      },
      ({ input, asked }, c) => ({
        type: 'message',
        input,
        whenBusy: asked.when_busy,
        language: languageAsked(c) ?? undefined,
      }),
    ),
  )

  .post(
    '/:id/continue',
    command('continue', { summary: 'Run the next batch', reads: json(continueInput), answers: 'run' }, (input) => ({
      type: 'continue',
      input,
    })),
  )

  .post(
    '/:id/pending/:pending_id',
    command(
      'decide',
      {
        summary: 'Decide one pending item, or give the result of a tool call, and run on',
        id: 'decidePending',
        reads: json(pendingInput),
        answers: 'run',
        errors: ['needs_newer', 'stale_decision'],
      },
      (input, c) => ({ type: 'decide', pendingId: c.req.param('pending_id') ?? '', input }),
    ),
  )

  .post(
    '/:id/cancel',
    command('cancel', { summary: 'Stop the run', reads: noFields, answers: 'run' }, () => ({ type: 'cancel' })),
  )

  .get(
    '/:id/messages',
    route(
      {
        summary: 'List messages by seq',
        scope: 'read',
        refuse: sessionInPath,
        reads: query(messageListQuery),
        returns: listOf('Message'),
      },
      async (call) => {
        const { after, cursor, limit } = call.input
        const found = await session(call).messages(cursor ?? after ?? 0, limit + 1)
        return found.ok ? ok(page(found.value, limit, seqOf)) : found
      },
    ),
  )

  .get(
    '/:id/events',
    route(
      {
        summary: 'Follow or list events',
        scope: 'read',
        refuse: sessionInPath,
        headers: ['Last-Event-ID'],
        reads: query(eventListQuery),
        returns: listOf('Event'),
        answers: 'events',
      },
      async (call) => {
        const { after, cursor, limit } = call.input
        const from = resumedFrom(call.c, after)
        if (!from.ok) return from
        if (wantsEvents(call.c)) return followEvents(call, from.value)
        const found = await session(call).events(cursor ?? from.value.seq, limit + 1)
        return found.ok ? ok(page(found.value, limit, seqOf, shownEvent)) : found
      },
    ),
  )

  .get(
    '/:id/results/:call',
    route(
      {
        summary: 'Read the whole of a result that was cut',
        id: 'getResult',
        scope: 'read',
        refuse: sessionInPath,
        reads: nothing,
        answers: 'text',
      },
      async (call) => {
        const found = await session(call).result(call.param('call'))
        return found.ok ? ok({ response: call.c.text(found.value) }) : found
      },
    ),
  )

/** Server-Sent Events behind a cursor. */
async function followEvents(call: Call<unknown>, from: Cursor): Promise<Result<Answer>> {
  const opened = await openCounted(serviceOf(call.c), call.tenant, { kind: 'stream', session: call.param('id') })
  if (!opened.ok) return opened
  const connection = opened.value
  const stream = await session(call).observe(from)
  if (stream.ok) return ok({ response: eventStream(call.c, stream.value, { connection }) })
  await connection?.close()
  return stream
}
