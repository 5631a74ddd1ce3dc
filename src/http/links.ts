import type { Context } from 'hono'
import { invalid, ok, type Result } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import { linkDecision } from '../domain/session-input.ts'
import { sessionObject } from '../objects/env.ts'
import { admitByLink } from '../service/admit.ts'
import { type CommandOf, COMMANDS } from '../service/run.ts'
import { page, wantsPage } from './assets.ts'
import { jsonOf, queryOf } from './body.ts'
import { factory, problem, serviceOf, type AppEnv } from './context.ts'
import { idempotencyOf } from './idempotency.ts'
import { served } from './middleware/auth.ts'
import { described } from './openapi/describe.ts'
import { sessionQuery } from './queries.ts'
import { ordered, sessionBody } from './route.ts'
import { shownLink } from './session-links.ts'

/** Who comes by a link, as the service admits them. */
const linked = factory.createMiddleware(async (c, next) => {
  c.header('cache-control', 'no-store')
  c.header('referrer-policy', 'no-referrer')
  const admitted = await admitByLink(serviceOf(c), c.req.param('token') ?? '', c.get('requestId'))
  if (!admitted.ok) return problem(c, admitted.error)
  c.set('principal', admitted.value.principal)
  c.set('link', admitted.value.link)
  return next()
})

/** What the holder of a link sees and decides. Open to all: the token is the proof. */
export const links = factory
  .createApp()
  .get('/:token', (c, next) => (wantsPage(c) ? page(c, 'console.html') : next()))
  .use('/:token', served, linked)

  .get(
    '/:token',
    described(
      {
        summary: 'What a signed link shows: the session, or what waits for a decision',
        id: 'openLink',
        returns: 'LinkView',
        answers: 'page',
        errors: ['link_expired', 'not_configured', 'forbidden'],
        open: 'The token is the proof.',
        query: sessionQuery,
      },
      openLink,
    ),
  )

  .post(
    '/:token',
    described(
      {
        summary: 'Decide the item that a signed link is for; the run goes on in the background',
        id: 'decideByLink',
        scope: COMMANDS.decide.scope,
        returns: 'LinkDecided',
        errors: ['link_expired', 'stale_decision', 'not_configured', 'forbidden', 'run_in_progress'],
        open: 'The token is the proof.',
        body: linkDecision,
        audit: { action: COMMANDS.decide.action },
      },
      decideByLink,
    ),
  )

async function openLink(c: Context<AppEnv>): Promise<Response> {
  const { tenant, link } = held(c)
  const asked = queryOf(c, sessionQuery)
  if (!asked.ok) return problem(c, asked.error)
  const session = sessionObject(c.env, tenant, link.sessionId)
  if (link.scope === 'read' && link.pendingId === null) {
    const read = await session.read(asked.value.messages)
    return read.ok ? sessionBody(c, read.value) : problem(c, read.error)
  }
  const head = await session.head()
  if (!head.ok) return problem(c, { code: 'not_found', what: 'link' })
  const { title, status } = head.value
  const pending = head.value.pending.filter(({ id }) => link.pendingId === null || id === link.pendingId)
  return c.json({ ...shownLink(link), title, status, pending })
}

const NAMED = 'the id of what is decided, as the link is for a session'

async function decideByLink(c: Context<AppEnv>): Promise<Response> {
  const { link } = held(c)
  const done = await ordered(c, {
    type: 'decide',
    sessionId: link.sessionId,
    idempotency: idempotencyOf(c),
    read: () => readDecision(c, link),
    form: 'background',
    status: { good: 200, begun: 200 },
  })
  if (!done.ok) return problem(c, done.error)
  const { sessionId, command } = done.value
  const { pendingId, input } = command
  return c.json({ object: 'link.decision', session_id: sessionId, pending_id: pendingId, decision: input.decision })
}

/** What is decided about the item that the link or the body names; nothing is decided for the rest of the session. */
async function readDecision(c: Context<AppEnv>, link: Link): Promise<Result<CommandOf<'decide'>>> {
  const read = await jsonOf(c, linkDecision)
  if (!read.ok) return read
  const { pending_id: named, remember: _never, ...input } = read.value
  const pendingId = named ?? link.pendingId
  return pendingId === null
    ? invalid([{ path: 'pending_id', message: NAMED }])
    : ok({ type: 'decide', pendingId, input })
}

function held(c: Context<AppEnv>): { tenant: string; link: Link } {
  const link = c.get('link')
  if (!link) throw new Error('unreachable: no handler is reached without a link')
  return { tenant: c.get('principal').tenant, link }
}
