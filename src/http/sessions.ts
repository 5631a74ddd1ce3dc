import { ok } from '../domain/errors.ts'
import { continueInput, decisionInput, newMessage, newSession, sessionPatch } from '../domain/session-input.ts'
import { directoryObject, sessionObject } from '../objects/env.ts'
import type { SessionApi } from '../objects/api.ts'
import { callOptions, respond, sessionBody, SSE_HEADERS, wantsEvents, whileKeyHolds } from './answer.ts'
import { atOnce, atOnceWithTask } from './middleware/at-once.ts'
import { auditNote } from './middleware/audited.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { decisionNote } from './decision-note.ts'
import { describe, listOf } from './openapi/describe.ts'
import { knownId } from './middleware/known-id.ts'
import { keyed } from './middleware/idempotency.ts'
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
      audit: { action: 'session.create' },
      body: newSession,
      answers: 'new_session',
    }),
    needs('run'),
    keyed({ creates: true }),
    body(newSession),
    atOnceWithTask,
    async (c) => {
      const { sessionId: id } = c.get('idempotency')
      const { tenant } = c.get('principal')
      const made = await sessionObject(c.env, tenant, id).create(id, tenant, c.req.valid('json'), callOptions(c))
      if (!made.ok) return problem(c, made.error)
      c.header('location', `/v1/sessions/${id}`)
      return 'form' in made.value ? respond(c, id, ok(made.value), 201) : sessionBody(c, ok(made.value), 201)
    },
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
    describe({
      summary: 'Add a user message and run',
      audit: { action: 'session.message' },
      body: newMessage,
      answers: 'run',
    }),
    needs('run'),
    keyed(),
    query(messageQuery),
    body(newMessage),
    atOnce,
    async (c) =>
      respond(
        c,
        c.req.param('id'),
        await session(c).addMessage(c.req.valid('json'), callOptions(c, c.req.valid('query').when_busy)),
      ),
  )

  .post(
    '/:id/continue',
    describe({
      summary: 'Run the next batch',
      audit: { action: 'session.continue' },
      body: continueInput,
      answers: 'run',
    }),
    needs('run'),
    keyed(),
    body(continueInput),
    atOnce,
    async (c) => respond(c, c.req.param('id'), await session(c).continue(c.req.valid('json'), callOptions(c))),
  )

  .post(
    '/:id/pending/:pending',
    describe({
      summary: 'Decide one pending item and run on',
      id: 'decidePending',
      errors: ['stale_decision'],
      audit: { action: 'session.decide' },
      body: decisionInput,
      answers: 'run',
    }),
    needs('decide'),
    keyed(),
    body(decisionInput),
    async (c) => {
      const input = c.req.valid('json')
      auditNote(c, { details: { pending_id: c.req.param('pending'), ...(await decisionNote(input)) } })
      const decided = await session(c).decide(c.req.param('pending'), input, callOptions(c))
      return respond(c, c.req.param('id'), decided)
    },
  )

  .post(
    '/:id/cancel',
    describe({ summary: 'Stop the run', audit: { action: 'session.cancel' }, answers: 'run' }),
    needs('run'),
    keyed(),
    async (c) => respond(c, c.req.param('id'), await session(c).cancel(callOptions(c))),
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
