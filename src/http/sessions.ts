import { ok, type Result } from '../domain/errors.ts'
import { continueInput, decisionInput, newMessage, newSession, sessionPatch } from '../domain/session-input.ts'
import { directoryObject, sessionObject } from '../objects/env.ts'
import type { SessionApi } from '../objects/api.ts'
import type { CommandOf } from '../service/commands.ts'
import { sessionBody, SSE_HEADERS, wantsEvents, whileKeyHolds } from './answer.ts'
import { command, fromBody } from './command.ts'
import { needs } from './middleware/auth.ts'
import { body, jsonOf, query, queryOf } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { describe, listOf } from './openapi/describe.ts'
import { knownId } from './middleware/known-id.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { eventId, eventListQuery, messageListQuery, messageQuery, sessionListQuery, sessionQuery } from './queries.ts'
import type { Context } from 'hono'

/** The object of the session that the path names. */
function session(c: Context<AppEnv>): SessionApi {
  return sessionObject(c.env, c.get('principal').tenant, c.req.param('id') ?? '')
}

export const sessions = factory
  .createApp()
  .use('/:id/*', knownId)
  .use('/:id', knownId)

  .post(
    '/',
    describe({
      summary: 'Create a session; with a task it runs',
      command: 'create',
      body: newSession,
      answers: 'new_session',
    }),
    command(
      'create',
      fromBody(newSession, (input) => ({ type: 'create', input })),
      { status: 201 },
    ),
  )

  .get(
    '/',
    describe({ summary: 'List sessions, newest first', returns: listOf('SessionSummary'), query: sessionListQuery }),
    needs('read'),
    query(sessionListQuery),
    async (c) => {
      const { data, nextCursor } = await directoryObject(c.env, c.get('principal').tenant).list(c.req.valid('query'))
      return list(c, data, nextCursor)
    },
  )

  .get(
    '/:id',
    describe({ summary: 'Read a session', query: sessionQuery, answers: 'session' }),
    needs('read'),
    query(sessionQuery),
    async (c) => sessionBody(c, await session(c).read(c.req.valid('query').messages)),
  )

  .patch(
    '/:id',
    describe({
      summary: 'Change title, metadata or config',
      headers: ['If-Match'],
      errors: ['precondition_failed', 'unpriced_model'],
      audit: { action: 'session.update', fields: true },
      body: sessionPatch,
      answers: 'session',
    }),
    needs('run'),
    body(sessionPatch),
    async (c) => sessionBody(c, await session(c).patch(c.req.valid('json'), c.req.header('if-match') ?? null)),
  )

  .delete(
    '/:id',
    describe({ summary: 'Delete a session and all of its data', audit: { action: 'session.delete' } }),
    needs('run'),
    async (c) => {
      const removed = await session(c).remove()
      return removed.ok ? c.body(null, 204) : problem(c, removed.error)
    },
  )

  .post(
    '/:id/messages',
    describe({ summary: 'Add a user message and run', command: 'message', body: newMessage, answers: 'run' }),
    command('message', { read: readMessage, query: messageQuery, body: newMessage }),
  )

  .post(
    '/:id/continue',
    describe({ summary: 'Run the next batch', command: 'continue', body: continueInput, answers: 'run' }),
    command(
      'continue',
      fromBody(continueInput, (input) => ({ type: 'continue', input })),
    ),
  )

  .post(
    '/:id/pending/:pending',
    describe({
      summary: 'Decide one pending item and run on',
      id: 'decidePending',
      errors: ['stale_decision'],
      command: 'decide',
      body: decisionInput,
      answers: 'run',
    }),
    command(
      'decide',
      fromBody(decisionInput, (input, c) => ({ type: 'decide', pendingId: c.req.param('pending') ?? '', input })),
    ),
  )

  .post(
    '/:id/cancel',
    describe({ summary: 'Stop the run', command: 'cancel', answers: 'run' }),
    command('cancel', { read: async () => ok({ type: 'cancel' }) }),
  )

  .get(
    '/:id/messages',
    describe({ summary: 'List messages by seq', returns: listOf('Message'), query: messageListQuery }),
    needs('read'),
    query(messageListQuery),
    async (c) => {
      const { after, cursor, limit } = c.req.valid('query')
      const found = await session(c).messages(cursor ?? after ?? 0, limit + 1)
      if (!found.ok) return problem(c, found.error)
      const data = found.value.slice(0, limit)
      return list(c, data, found.value.length > limit ? String(data.at(-1)?.seq) : null)
    },
  )

  .get(
    '/:id/events',
    describe({
      summary: 'Follow or list events',
      headers: ['Last-Event-ID'],
      returns: listOf('Event'),
      query: eventListQuery,
      answers: 'events',
    }),
    needs('read'),
    query(eventListQuery),
    async (c) => {
      const { after, cursor, limit } = c.req.valid('query')
      if (wantsEvents(c) || !/application\/json/i.test(c.req.header('accept') ?? '')) return followEvents(c, after)
      const found = await session(c).events(cursor ?? after?.seq ?? 0, limit + 1)
      if (!found.ok) return problem(c, found.error)
      const data = found.value.slice(0, limit)
      return list(c, data, found.value.length > limit ? String(data.at(-1)?.seq) : null)
    },
  )

  .get(
    '/:id/results/:call',
    describe({ summary: 'Read the whole of a result that was cut', id: 'getResult', answers: 'text' }),
    needs('read'),
    async (c) => {
      const found = await session(c).result(c.req.param('call'))
      return found.ok ? c.text(found.value) : problem(c, found.error)
    },
  )

async function readMessage(c: Context<AppEnv>): Promise<Result<CommandOf<'message'>>> {
  const asked = queryOf(c, messageQuery)
  if (!asked.ok) return asked
  const input = await jsonOf(c, newMessage)
  return input.ok ? ok({ type: 'message', input: input.value, whenBusy: asked.value.when_busy }) : input
}

/** Server-Sent Events behind `Last-Event-ID`, else behind `?after=`, else from the start. */
async function followEvents(c: Context<AppEnv>, after: { seq: number; n: number } | undefined): Promise<Response> {
  const last = c.req.header('last-event-id')
  const resumed = last === undefined ? undefined : eventId.safeParse(last)
  if (resumed && !resumed.success) {
    const issues = [{ path: 'Last-Event-ID', message: 'an event id: SEQ or SEQ.N' }]
    return problem(c, { code: 'invalid_input', detail: 'Last-Event-ID is not an id of this stream.', issues })
  }
  const stream = await session(c).observe(resumed?.data ?? after ?? { seq: 0, n: 0 })
  return stream.ok ? c.body(whileKeyHolds(c, stream.value), 200, SSE_HEADERS) : problem(c, stream.error)
}
