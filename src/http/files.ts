import type { Context } from 'hono'
import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import type { SessionApi } from '../objects/api.ts'
import { sessionObject } from '../objects/env.ts'
import { fileTag, namesTag } from '../session/workspace.ts'
import { auditNote } from './middleware/audited.ts'
import { needs } from './middleware/auth.ts'
import { bodyBytes, encoded, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { behindName, nameCursor } from './cursors.ts'
import { describe } from './openapi/describe.ts'
import { knownId } from './middleware/known-id.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { limit } from './queries.ts'

const listQuery = z.strictObject({
  limit,
  cursor: nameCursor,
  /** A folder. */
  path: z.string().max(1_000).optional(),
  format: z.enum(['json', 'zip']).optional(),
})

const putQuery = z.strictObject({
  /** `true`: it may come from outside, and is fenced when a model reads it. */
  untrusted: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .default(false),
})

/** Types that a browser shows without running anything. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp)|text\/(?:plain|markdown|csv)|application\/json)(?:;|$)/

function session(c: Context<AppEnv>): SessionApi {
  return sessionObject(c.env, c.get('principal').tenant, c.req.param('id') ?? '')
}

/** The workspace of a session. */
export const files = factory
  .createApp()
  .use('/:id/files/*', knownId)
  .use('/:id/files', knownId)

  .get(
    '/:id/files',
    describe({
      summary: 'List the files of the workspace, or all of them as a zip',
      query: listQuery,
      answers: 'files',
    }),
    needs('read'),
    query(listQuery),
    async (c) => {
      const { limit: count, cursor, path, format } = c.req.valid('query')
      if (format === 'zip' || (format === undefined && /application\/zip/i.test(c.req.header('accept') ?? '')))
        return zip(c)
      const folder = path === undefined ? undefined : path.replace(/\/+$/, '')
      const found = await session(c).files({
        limit: count + 1,
        ...(cursor === undefined ? {} : { after: cursor }),
        ...(folder === undefined ? {} : { folder }),
      })
      if (!found.ok) return problem(c, found.error)
      const data = found.value.slice(0, count)
      return list(c, data, found.value.length > count ? behindName(data.at(-1)?.path) : null)
    },
  )

  .get(
    '/:id/files/:path{.+}',
    describe({ summary: 'Read a file of the workspace', headers: ['If-None-Match'], answers: 'bytes' }),
    needs('read'),
    async (c) => {
      const found = await session(c).file(c.req.param('path'))
      if (!found.ok) return problem(c, found.error)
      const { file, bytes } = found.value
      const etag = fileTag(file.sha256)
      const headers = { etag, 'cache-control': 'private, no-cache', ...safetyHeaders(file.path, file.content_type) }
      const known = c.req.header('if-none-match')
      if (known !== undefined && namesTag(known, etag)) return c.body(null, 304, headers)
      const content = { 'content-type': file.content_type, 'content-length': String(file.size) }
      return c.body(new Uint8Array(bytes), 200, { ...headers, ...content })
    },
  )

  .put(
    '/:id/files/:path{.+}',
    describe({
      summary: 'Write a file of the workspace',
      headers: ['If-Match', 'If-None-Match'],
      returns: 'File',
      status: [200, 201],
      errors: ['precondition_failed', 'workspace_full'],
      audit: { action: 'file.write' },
      query: putQuery,
      takesBytes: true,
    }),
    needs('run'),
    query(putQuery),
    async (c) => {
      auditNote(c, { path: c.req.param('path') })
      const packed = encoded(c)
      if (packed) return problem(c, packed)
      const bytes = await bodyBytes(c, LIMITS.files.fileBytesMax)
      if (!bytes.ok) return problem(c, bytes.error)
      const { untrusted } = c.req.valid('query')
      const made = await session(c).putFile(c.req.param('path'), bytes.value, { untrusted, ...conditions(c) })
      if (!made.ok) return problem(c, made.error)
      const { file, isNew } = made.value
      c.header('etag', fileTag(file.sha256))
      if (isNew) c.header('location', addressOf(c.req.param('id'), file.path))
      return c.json(file, isNew ? 201 : 200)
    },
  )

  .delete(
    '/:id/files/:path{.+}',
    describe({
      summary: 'Delete a file of the workspace',
      headers: ['If-Match'],
      errors: ['precondition_failed'],
      audit: { action: 'file.delete' },
    }),
    needs('run'),
    async (c) => {
      auditNote(c, { path: c.req.param('path') })
      const removed = await session(c).removeFile(c.req.param('path'), conditions(c))
      return removed.ok ? c.body(null, 204) : problem(c, removed.error)
    },
  )

async function zip(c: Context<AppEnv>): Promise<Response> {
  const made = await session(c).filesZip()
  if (!made.ok) return problem(c, made.error)
  const disposition = `attachment; filename="${c.req.param('id')}.zip"`
  return c.body(made.value, 200, { 'content-type': 'application/zip', 'content-disposition': disposition })
}

function conditions(c: Context<AppEnv>): { ifMatch?: string | undefined; ifNoneMatch?: string | undefined } {
  return { ifMatch: c.req.header('if-match'), ifNoneMatch: c.req.header('if-none-match') }
}

function addressOf(id: string, path: string): string {
  return `/v1/sessions/${id}/files/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** A file is somebody else's text: it runs nothing on this origin, whatever it says that it is. */
function safetyHeaders(path: string, contentType: string): Record<string, string> {
  const name = path.split('/').at(-1) ?? ''
  const fileName = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return {
    'content-disposition': `${SHOWN.test(contentType) ? 'inline' : 'attachment'}; filename*=UTF-8''${fileName}`,
    'content-security-policy': "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}
