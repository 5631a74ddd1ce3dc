import type { Context } from 'hono'
import * as z from 'zod'
import { type AppError, invalid } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { linkExpiry, newLink } from '../domain/link.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { linkOf, mintLink } from '../objects/mint-link.ts'
import { lacks } from '../service/scope.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { idCursor } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, doneWith } from './middleware/idempotency.ts'
import { knownId } from './middleware/known-id.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { limit } from './queries.ts'
import { glanceAt, shownLink } from './shown-link.ts'

const linkListQuery = z.strictObject({ limit, cursor: idCursor('lnk') })
const UNKNOWN: AppError = { code: 'not_found', what: 'link' }

/** The links of a session: made, listed, revoked. */
export const sessionLinks = factory
  .createApp()

  .post(
    '/:id/links',
    describe({
      summary: 'Make a signed link to read the session, or to decide what waits; its token is in this answer alone',
      returns: 'MadeLink',
      status: [201],
      errors: ['stale_decision', 'too_many'],
      body: newLink,
      audit: { action: 'link.create', fields: true },
    }),
    needs('run'),
    knownId,
    answeredOnce,
    body(newLink),
    async (c) => {
      const input = c.req.valid('json')
      const sessionId = c.req.param('id')
      const expiresTime = linkExpiry(input, Date.now())
      const refused = lacks(c.get('principal'), input.scope) ?? badExpiry(expiresTime)
      if (refused) return problem(c, refused)
      const { tenant, id: createdBy } = c.get('principal')
      const session = await glanceAt(c, tenant, sessionId)
      if (!session) return problem(c, { code: 'not_found', what: 'session' })
      if (input.pending_id !== undefined && !session.pending.some(({ id }) => id === input.pending_id))
        return problem(c, { code: 'stale_decision', pendingId: input.pending_id })
      const { scope, pending_id: pendingId = null } = input
      const made = linkOf({ scope, sessionId, pendingId, createdBy, expiresTime })
      const location = `/v1/sessions/${sessionId}/links/${made.id}`
      const minted = await mintLink(c.env, tenant, made, doneWith(c, { body: shownLink(made), location }))
      if (!minted) return problem(c, { code: 'too_many', what: 'links', max: LIMITS.access.linksPerSessionMax })
      c.header('location', location)
      c.header('cache-control', 'no-store')
      return c.json({ ...shownLink(made), url: baseOf(c) + minted.path, token: minted.token }, 201)
    },
  )

  .get(
    '/:id/links',
    describe({
      summary: 'Links of the session that are not over, newest first',
      returns: listOf('Link'),
      query: linkListQuery,
    }),
    needs('read'),
    knownId,
    query(linkListQuery),
    async (c) => {
      const { limit: max, cursor } = c.req.valid('query')
      const { tenant } = c.get('principal')
      const session = await glanceAt(c, tenant, c.req.param('id'))
      if (!session) return problem(c, { code: 'not_found', what: 'session' })
      const found = await directoryObject(c.env, tenant).sessionLinks(c.req.param('id'), cursor, max + 1)
      const page = found.slice(0, max)
      return list(
        c,
        page.map((one) => ({ ...shownLink(one), created_by: one.createdBy })),
        found.length > max ? (page.at(-1)?.id ?? null) : null,
      )
    },
  )

  .delete(
    '/:id/links/:link',
    describe({
      summary: 'Revoke a link; it opens nothing from now on',
      audit: { action: 'link.delete', target: 'link' },
    }),
    needs('run'),
    knownId,
    async (c) => {
      const directory = directoryObject(c.env, c.get('principal').tenant)
      const isRevoked = await directory.revokeLink(c.req.param('id'), c.req.param('link'))
      return isRevoked ? c.body(null, 204) : problem(c, UNKNOWN)
    },
  )

/** What signs the links of a tenant. */
export const linkSecret = factory.createApp().post(
  '/rotate',
  describe({
    summary: 'Sign with a new secret; no link made so far opens anything',
    returns: 'LinkSecret',
    audit: { action: 'link.rotate' },
  }),
  needs('admin'),
  answeredOnce,
  async (c) => {
    await directoryObject(c.env, c.get('principal').tenant).rotateLinks()
    return c.json({ object: 'link.secret', rotated_time: new Date().toISOString() })
  },
)

function badExpiry(expiresTime: number): AppError | null {
  const inMs = expiresTime - Date.now()
  if (inMs > 0 && inMs <= LIMITS.access.linkMsMax) return null
  const message = `a time to come, within ${LIMITS.access.linkMsMax} ms`
  return invalid([{ path: 'expires_time', message }]).error
}

function baseOf(c: Context<AppEnv>): string {
  return serverOf(c.env).config.public_url?.replace(/\/+$/, '') ?? new URL(c.req.url).origin
}
