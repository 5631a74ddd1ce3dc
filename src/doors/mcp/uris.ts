import { isId } from '../../lib/id.ts'

/** Files of workspaces as resources. */

export const FILE_TEMPLATE = 'yaa://sessions/{session}/files/{+path}'
const FORM = /^yaa:\/\/sessions\/([^/]+)\/files\/(.+)$/

export function fileUri(session: string, path: string): string {
  return `yaa://sessions/${session}/files/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** Null: no file has such an address. */
export function readFileUri(uri: string): { session: string; path: string } | null {
  const [, session = '', written = ''] = FORM.exec(uri) ?? []
  if (!isId('ses', session)) return null
  try {
    return { session, path: decodeURIComponent(written) }
  } catch {
    return null
  }
}
