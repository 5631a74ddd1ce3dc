import { fingerprint } from '../lib/hash.ts'

const CHARS_MAX = 64
const OTHERS = /[^A-Za-z0-9_-]/g

/** The id of a tool of a server, or of an API: `SERVER__TOOL`, other characters than letters, digits, `_` and `-` as `_`. Over 64, or where
 *  that is the id of another (`isTaken`), the end is a hash of the whole. */
export function serverToolId(server: string, tool: string, isTaken: (id: string) => boolean = () => false): string {
  const written = `${server}__${tool}`
  const id = written.replaceAll(OTHERS, '_')
  if (id.length <= CHARS_MAX && !isTaken(id)) return id
  const hash = fingerprint(written)
  return `${id.slice(0, CHARS_MAX - hash.length - 1)}_${hash}`
}

/** What the ids of such tools begin with. */
export function serverPrefix(server: string): string {
  return `${server}__`.replaceAll(OTHERS, '_')
}
