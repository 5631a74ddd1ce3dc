import type { Context } from 'hono'
import { parseLinkToken } from '../access/link-token.ts'
import { type AppError, invalid } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import { linkDecision } from '../domain/session-input.ts'
import { directoryObject, sessionObject } from '../objects/env.ts'
import { sessionBody } from './answer.ts'
import { page, wantsPage } from './assets.ts'
import { auditNote, refused } from './middleware/audited.ts'
import { needs, served } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { decisionNote } from './decision-note.ts'
import { describe } from './openapi/describe.ts'
import { keyed } from './middleware/idempotency.ts'
import { problem } from './problem.ts'
import { sessionQuery } from './queries.ts'
import { REPLAYED } from './middleware/replayed.ts'
import { glanceAt, shownLink } from './shown-link.ts'

const UNKNOWN: AppError = { code: 'not_found', what: 'link' }

/** Whoever holds a link may do what it says, and nothing else. Forged, revoked and unknown ones are told the same. */
const linked = factory.createMiddleware(async (c, next) => {
  c.header('cache-control', 'no-store')
  c.header('referrer-policy', 'no-referrer')
  const token = parseLinkToken(c.req.param('token') ?? '')
  if (!token) return problem(c, UNKNOWN)
  const opened = await directoryObject(c.env, token.tenant).openLink(token.id, token.proof)
  if (opened.outcome === 'unknown') return problem(c, UNKNOWN)
  auditNote(c, { target: opened.link.sessionId })
  const holder = { kind: 'link', id: token.id, tenant: token.tenant, scopes: [opened.link.scope] } as const
  if (opened.outcome === 'expired') {
    const refusal = problem(c, { code: 'link_expired' })
    await refused(c, holder, { action: 'access.link' })
    return refusal
  }
  c.set('principal', holder)
  c.set('link', opened.link)
  return next()
})

/** What the holder of a link sees and decides. Open to all: the token is the proof. */
export const links = factory
  .createApp()
  .get('/:token', (c, next) => (wantsPage(c) ? page(c, 'console.html') : next()))
  .use('/:token', served, linked)

  .get(
    '/:token',
    describe({
      summary: 'What a signed link shows: the session, or what waits for a decision',
      id: 'openLink',
      returns: 'LinkView',
      answers: 'page',
      errors: ['link_expired', 'not_configured', 'forbidden'],
      open: 'The token is the proof.',
      query: sessionQuery,
    }),
    query(sessionQuery),
    async (c) => {
      const { tenant, link } = held(c)
      if (link.scope === 'read' && link.pendingId === null)
        return sessionBody(c, await sessionObject(c.env, tenant, link.sessionId).read(c.req.valid('query').messages))
      const session = await glanceAt(c, tenant, link.sessionId)
      if (!session) return problem(c, UNKNOWN)
      const pending = session.pending.filter(({ id }) => link.pendingId === null || id === link.pendingId)
      return c.json({ ...shownLink(link), title: session.title, status: session.status, pending })
    },
  )

  .post(
    '/:token',
    describe({
      summary: 'Decide the item that a signed link is for; the run goes on in the background',
      id: 'decideByLink',
      returns: 'LinkDecided',
      errors: ['link_expired', 'stale_decision', 'not_configured', 'forbidden', 'run_in_progress'],
      open: 'The token is the proof.',
      body: linkDecision,
      audit: { action: 'session.decide' },
    }),
    needs('decide'),
    keyed(),
    body(linkDecision),
    async (c) => {
      const { tenant, link } = held(c)
      const { pending_id: named, remember: _never, ...input } = c.req.valid('json')
      const pendingId = link.pendingId ?? named
      auditNote(c, { details: { pending_id: pendingId, ...(await decisionNote(input)) } })
      if (pendingId === undefined) return problem(c, invalid([{ path: 'pending_id', message: NAMED }]).error)
      if (named !== undefined && named !== pendingId) return problem(c, { code: 'forbidden', detail: OTHER_ITEM })
      const options = { form: 'background' as const, key: c.get('idempotency').key }
      const decided = await sessionObject(c.env, tenant, link.sessionId).decide(pendingId, input, options)
      if (!decided.ok) return problem(c, decided.error)
      if (decided.value.replayed) c.header(REPLAYED, 'true')
      const { sessionId } = link
      return c.json({ object: 'link.decision', session_id: sessionId, pending_id: pendingId, decision: input.decision })
    },
  )

const NAMED = 'the id of what is decided, as the link is for a session'
const OTHER_ITEM = 'This link is for another item.'

function held(c: Context<AppEnv>): { tenant: string; link: Link } {
  const link = c.get('link')
  if (!link) throw new Error('unreachable: no handler is reached without a link')
  return { tenant: c.get('principal').tenant, link }
}
