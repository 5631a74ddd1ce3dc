import type { Context } from 'hono'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { serviceOf } from '../../http/caller.ts'
import type { AppEnv } from '../../http/context.ts'
import { toBase64 } from '../../lib/base64.ts'
import { decodedText } from '../../lib/content-type.ts'
import { isId } from '../../lib/id.ts'
import { sessionObject } from '../../objects/env.ts'
import { TenantLists } from '../../objects/tenant-lists.ts'
import { unknownSession } from '../../service/given-out.ts'
import { allowed } from '../kernel/allowed.ts'
import { FILE_TEMPLATE, fileUri, readFileUri } from './place.ts'

/** Files of workspaces as resources: those of the newest sessions are listed, any is read. */

export interface ListedFile {
  uri: string
  name: string
  title: string
  mimeType: string
  size: number
}

/** A page of the list, and the cursor of the next; undefined: there is none. */
export async function listedFiles(
  c: Context<AppEnv>,
  cursor: string | undefined,
): Promise<Result<{ resources: ListedFile[]; nextCursor?: string }>> {
  const { tenant } = c.get('principal')
  if (cursor !== undefined && !isId('ses', cursor))
    return fail({ code: 'invalid_input', detail: 'No page has this cursor.', issues: [] })
  return allowed(c, { scope: 'read' }, async () => {
    const { resourceSessionsMax: limit, resourceFilesMax } = LIMITS.mcpDoor
    const page = await new TenantLists(c.env, tenant).list({ limit, ...(cursor === undefined ? {} : { cursor }) })
    const listed = await Promise.all(
      page.data.map(async ({ id, title }) => {
        const files = await sessionObject(c.env, tenant, id).files({ limit: resourceFilesMax })
        return files.ok
          ? files.value.map(({ path, size, content_type: mimeType }) => ({ id, title, path, size, mimeType }))
          : []
      }),
    )
    const resources = listed.flat().map(({ id, title, path, size, mimeType }) => ({
      uri: fileUri(id, path),
      name: path,
      title: `${path} (${title || id})`,
      mimeType,
      size,
    }))
    return ok({ resources, ...(page.nextCursor === null ? {} : { nextCursor: page.nextCursor }) })
  })
}

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: FILE_TEMPLATE,
    name: 'session-file',
    title: 'A file of a session',
    description: 'A file of the workspace of a session, as run_task names it in its result.',
  },
]

type Contents = { uri: string; mimeType: string } & ({ text: string } | { blob: string })

/** The text or the bytes of a file. */
export async function readResource(c: Context<AppEnv>, uri: string): Promise<Result<Contents>> {
  const { tenant } = c.get('principal')
  const place = readFileUri(uri)
  if (!place) return fail({ code: 'not_found', what: 'resource' })
  return allowed(c, { scope: 'read', target: place.session }, async () => {
    const unknown = await unknownSession(serviceOf(c), tenant, place.session)
    if (unknown) return fail(unknown)
    const found = await sessionObject(c.env, tenant, place.session).file(place.path)
    if (!found.ok) return found
    const { file, bytes } = found.value
    const { resourceBytesMax: bytesMax } = LIMITS.mcpDoor
    if (file.size > bytesMax) return fail({ code: 'body_too_large', bytesMax })
    const decoded = decodedText(bytes)
    const about = { uri, mimeType: file.content_type }
    return ok(decoded ? { ...about, text: decoded.text } : { ...about, blob: toBase64(bytes) })
  })
}
