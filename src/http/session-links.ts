import type { Context } from 'hono'
import * as z from 'zod'
import { type AppError, fail, invalid, ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { type Link, linkExpiry, newLink } from '../domain/link.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject, sessionObject } from '../objects/env.ts'
import { linkOf, mintLink } from '../objects/mint-link.ts'
import { lacks } from '../service/caller.ts'
import { factory, type AppEnv } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { idCursor, limit } from './queries.ts'
import { json, lastId, nothing, page, query, route, sessionInPath } from './route.ts'

const linkListQuery = z.strictObject({ limit, cursor: idCursor('lnk') })

/** The links of a session: made, listed, revoked. */
export const sessionLinks = factory
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
        const { scope, pending_id: pendingId = null } = input
        if (pendingId !== null && !session.value.pending.some(({ id }) => id === pendingId))
          return fail({ code: 'stale_decision', pendingId })
        const link = linkOf({ scope, sessionId, pendingId, createdBy: c.get('principal').id, expiresTime })
        const location = `/v1/sessions/${sessionId}/links/${link.id}`
        const made = { body: shownLink(link), location, status: 201 } as const
        const minted = await mintLink(c.env, tenant, link, done(made))
        if (!minted) return fail({ code: 'too_many', what: 'links', max: LIMITS.access.linksPerSessionMax })
        return ok({ ...made, secret: { url: baseOf(c) + minted.path, token: minted.token } })
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
export const linkSecret = factory.createApp().post(
  '/rotate',
  route(
    {
      summary: 'Sign with a new secret; no link made so far opens anything',
      scope: 'admin',
      reads: nothing,
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
export function shownLink({ id, scope, sessionId, pendingId, createdTime, expiresTime }: Link) {
  return {
    id,
    object: 'link' as const,
    scope,
    session_id: sessionId,
    pending_id: pendingId,
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

function baseOf(c: Context<AppEnv>): string {
  return serverOf(c.env).config.public_url?.replace(/\/+$/, '') ?? new URL(c.req.url).origin
}
