import type { Context } from 'hono'
import * as z from 'zod'
import { fail, ok, type Result } from '../domain/errors.ts'
import { fileAddress } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import { sessionObject } from '../objects/env.ts'
import { withoutRoom } from '../service/limits.ts'
import { fileTag } from '../session/workspace.ts'
import { bodyBytes, encoded } from './body.ts'
import { serviceOf } from './caller.ts'
import { factory, type AppEnv } from './context.ts'
import { asksFor, hasAlready } from './negotiate.ts'
import { behindName, limit, nameCursor } from './queries.ts'
import { type Answer, type Call, nothing, page, query, route, sessionInPath } from './route.ts'

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

const session = ({ c, tenant, param }: Call<unknown>) => sessionObject(c.env, tenant, param('id'))

/** The workspace of a session. */
export const fileRoutes = factory
  .createApp()

  .get(
    '/:id/files',
    route(
      {
        summary: 'List the files of the workspace, or all of them as a zip',
        scope: 'read',
        refuse: sessionInPath,
        reads: query(listQuery),
        answers: 'files',
      },
      async (call) => {
        const { limit: count, cursor, path, format } = call.input
        const isZip = format === 'zip' || (format === undefined && asksFor(call.c, 'application/zip'))
        if (isZip) return zip(call)
        const folder = path === undefined ? undefined : path.replace(/\/+$/, '')
        const found = await session(call).files({
          limit: count + 1,
          ...(cursor === undefined ? {} : { after: cursor }),
          ...(folder === undefined ? {} : { folder }),
        })
        return found.ok ? ok(page(found.value, count, (last) => behindName(last.path))) : found
      },
    ),
  )

  .get(
    '/:id/files/:path{.+}',
    route(
      {
        summary: 'Read a file of the workspace',
        scope: 'read',
        refuse: sessionInPath,
        headers: ['If-None-Match'],
        reads: nothing,
        answers: 'bytes',
      },
      async (call) => {
        const found = await session(call).file(call.param('path'))
        if (!found.ok) return found
        const { file, bytes } = found.value
        const { c } = call
        const etag = fileTag(file.sha256)
        const headers = { etag, 'cache-control': 'private, no-cache', ...safetyHeaders(file.path, file.content_type) }
        if (hasAlready(c, etag)) return ok({ response: c.body(null, 304, headers) })
        const content = { 'content-type': file.content_type, 'content-length': String(file.size) }
        return ok({ response: c.body(new Uint8Array(bytes), 200, { ...headers, ...content }) })
      },
    ),
  )

  .put(
    '/:id/files/:path{.+}',
    route(
      {
        summary: 'Write a file of the workspace',
        scope: 'run',
        refuse: sessionInPath,
        headers: ['If-Match', 'If-None-Match'],
        reads: query(putQuery),
        takesBytes: true,
        returns: 'WorkspaceFile',
        status: [200, 201],
        errors: ['needs_newer', 'precondition_failed', 'too_many', 'workspace_full'],
        audit: { action: 'file.write' },
      },
      async (call) => {
        call.note({ path: call.param('path') })
        const packed = encoded(call.c) ?? (await withoutRoom(serviceOf(call.c), call.tenant))
        if (packed) return fail(packed)
        const bytes = await bodyBytes(call.c, LIMITS.files.fileBytesMax)
        if (!bytes.ok) return bytes
        const options = { untrusted: call.input.untrusted, ...conditions(call.c) }
        const made = await session(call).putFile(call.param('path'), bytes.value, options)
        if (!made.ok) return made
        const { file, isNew } = made.value
        const written = { body: file, etag: fileTag(file.sha256) }
        return ok(isNew ? { ...written, location: fileAddress(call.param('id'), file.path), status: 201 } : written)
      },
    ),
  )

  .delete(
    '/:id/files/:path{.+}',
    route(
      {
        summary: 'Delete a file of the workspace',
        scope: 'run',
        refuse: sessionInPath,
        headers: ['If-Match'],
        reads: nothing,
        errors: ['needs_newer', 'precondition_failed'],
        audit: { action: 'file.delete' },
      },
      async (call) => {
        call.note({ path: call.param('path') })
        const removed = await session(call).removeFile(call.param('path'), conditions(call.c))
        return removed.ok ? ok({}) : removed
      },
    ),
  )

async function zip(call: Call<unknown>): Promise<Result<Answer>> {
  const made = await session(call).filesZip()
  if (!made.ok) return made
  const disposition = `attachment; filename="${call.param('id')}.zip"`
  const headers = { 'content-type': 'application/zip', 'content-disposition': disposition }
  return ok({ response: call.c.body(made.value, 200, headers) })
}

function conditions(c: Context<AppEnv>): { ifMatch?: string | undefined; ifNoneMatch?: string | undefined } {
  return { ifMatch: c.req.header('if-match'), ifNoneMatch: c.req.header('if-none-match') }
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
