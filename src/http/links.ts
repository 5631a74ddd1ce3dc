import type { Context } from 'hono'
import * as z from 'zod'
import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { type Link, linkExpiry, newLink } from '../domain/link.ts'
import { directoryObject, sessionObject } from '../objects/env.ts'
import { linkOf, mintLink } from '../objects/mint-link.ts'
import { lacks } from '../service/caller.ts'
import { serviceOf } from './caller.ts'
import { factory, type AppEnv, originOf, problem } from './context.ts'
import { listOf, described } from './openapi/describe.ts'
import { idCursor, limit, sessionQuery } from './queries.ts'
import { json, lastId, noFields, nothing, page, query, route, sessionInPath, ordered, sessionBody } from './route.ts'
import { linkDecision } from '../domain/session-input.ts'
import { admitByLink } from '../service/admit.ts'
import { type CommandOf, COMMANDS } from '../service/run.ts'
import { assetPage, wantsPage } from './assets.ts'
import { jsonOf, queryOf } from './body.ts'
import { idempotencyOf } from './idempotency.ts'

const NO_LINK = 'what a human decides: a tool_call takes the result of whoever has the tool'

const linkListQuery = z.strictObject({ limit, cursor: idCursor('lnk') })

/** The links of a session: made, listed, revoked. */
export const sessionLinkRoutes = factory
  .createApp()

  .post(
    '/:id/links',
    route(
      {
        summary: 'Make a signed link to read the session, or to decide what waits; its token is in this answer alone',
        scope: 'run',
        refuse: sessionInPath,
        reads: json(newLink),
        returns: 'MadeLink',
        status: [201],
        errors: ['stale_decision', 'too_many'],
        audit: { action: 'link.create', fields: true },
      },
      async ({ c, tenant, input, param, done }) => {
        const sessionId = param('id')
        const expiresTime = linkExpiry(input, Date.now())
        const refused = lacks(c.get('principal'), input.scope) ?? badExpiry(expiresTime)
        if (refused) return fail(refused)
        const session = await sessionObject(c.env, tenant, sessionId).head()
        if (!session.ok) return session
        const { scope, pending_id: pendingId = null, allow_edit: allowEdit = false } = input
        const item = session.value.pending.find(({ id }) => id === pendingId)
        if (pendingId !== null && !item) return fail({ code: 'stale_decision', pendingId })
        if (item?.type === 'tool_call') return invalid([{ path: 'pending_id', message: NO_LINK }])
        const terms = { scope, sessionId, pendingId, allowEdit, createdBy: c.get('principal').id, expiresTime }
        const link = await linkOf(c.env, tenant, terms)
        const location = `/v1/sessions/${sessionId}/links/${link.id}`
        const made = { body: shownLink(link), location, status: 201 } as const
        const minted = await mintLink(c.env, tenant, link, done(made))
        if (!minted) return fail({ code: 'too_many', what: 'links', max: LIMITS.access.linksPerSessionMax })
        return ok({ ...made, secret: { url: originOf(c) + minted.path, token: minted.token } })
      },
    ),
  )

  .get(
    '/:id/links',
    route(
      {
        summary: 'Links of the session that are not over, newest first',
        scope: 'read',
        refuse: sessionInPath,
        reads: query(linkListQuery),
        returns: listOf('Link'),
      },
      async ({ c, tenant, param, input: { limit: max, cursor } }) => {
        const session = await sessionObject(c.env, tenant, param('id')).head()
        if (!session.ok) return session
        const found = await directoryObject(c.env, tenant).sessionLinks(param('id'), cursor, max + 1)
        return ok(page(found, max, lastId, (one) => ({ ...shownLink(one), created_by: one.createdBy })))
      },
    ),
  )

  .delete(
    '/:id/links/:link',
    route(
      {
        summary: 'Revoke a link; it opens nothing from now on',
        scope: 'run',
        refuse: sessionInPath,
        reads: nothing,
        audit: { action: 'link.delete', target: 'link' },
      },
      async ({ c, tenant, param }) => {
        const isRevoked = await directoryObject(c.env, tenant).revokeLink(param('id'), param('link'))
        return isRevoked ? ok({}) : fail({ code: 'not_found', what: 'link' })
      },
    ),
  )

/** What signs the links of a tenant. */
export const linkSecretRoutes = factory.createApp().post(
  '/rotate',
  route(
    {
      summary: 'Sign with a new secret; no link made so far opens anything',
      scope: 'admin',
      reads: noFields,
      returns: 'LinkSecret',
      audit: { action: 'link.rotate' },
    },
    async ({ c, tenant }) => {
      await directoryObject(c.env, tenant).rotateLinks()
      return ok({ body: { object: 'link.secret', rotated_time: new Date().toISOString() } })
    },
  ),
)

/** A link as it is shown: never its token. */
function shownLink({ id, scope, sessionId, pendingId, allowEdit, createdTime, expiresTime }: Link) {
  return {
    id,
    object: 'link' as const,
    scope,
    session_id: sessionId,
    pending_id: pendingId,
    allow_edit: allowEdit,
    created_time: new Date(createdTime).toISOString(),
    expires_time: new Date(expiresTime).toISOString(),
  }
}

function badExpiry(expiresTime: number): AppError | null {
  const inMs = expiresTime - Date.now()
  if (inMs > 0 && inMs <= LIMITS.access.linkMsMax) return null
  const message = `a time to come, within ${LIMITS.access.linkMsMax} ms`
  return invalid([{ path: 'expires_time', message }]).error
}

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
export const linkRoutes = factory
  .createApp()
  .get('/:token', (c, next) => (wantsPage(c) ? assetPage(c, 'console.html') : next()))
  .use('/:token', linked)

  .get(
    '/:token',
    described(
      {
        summary: 'What a signed link shows: the session, or what waits for a decision',
        id: 'openLink',
        returns: 'LinkView',
        answers: 'page',
        errors: ['link_expired'],
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
        errors: ['link_expired', 'stale_decision', 'run_in_progress'],
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
    const read = await session.read(asked.value.messages, { name: 'link-json' })
    return read.ok ? sessionBody(c, read.value) : problem(c, read.error)
  }
  const head = await session.head()
  if (!head.ok) return problem(c, { code: 'not_found', what: 'link' })
  const { title, status } = head.value
  const pending = head.value.pending.filter(
    ({ id, type }) => type !== 'tool_call' && (link.pendingId === null || id === link.pendingId),
  )
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
