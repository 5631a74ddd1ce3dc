import { fingerprint } from '../lib/hash.ts'

const CHARS_MAX = 64
const OTHERS = /[^A-Za-z0-9_-]/g

/** The id of a tool of a server, or of an API: `SERVER__TOOL`, other characters than letters, digits, `_` and `-` as `_`. Over 64, or where
 *  that is the id of another (`isTaken`), the end is a hash of the whole. */
export function serverToolId(
  server: string,
  tool: string,
  isTaken: (id: string) => boolean = () => false,
  shown = tool,
): string {
  const id = `${server}__${shown}`.replaceAll(OTHERS, '_')
  if (id.length <= CHARS_MAX && !isTaken(id)) return id
  const hash = fingerprint(`${server}__${tool}`)
  return `${id.slice(0, CHARS_MAX - hash.length - 1)}_${hash}`
}

/** The same of an operation of an API. A name without a letter of those would be a row of `_`: method and path stand in its place. */
export function operationToolId(
  server: string,
  { name, method, path }: { name: string; method: string; path: string },
  isTaken?: (id: string) => boolean,
): string {
  const placed = `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`
  return serverToolId(server, name, isTaken, /[A-Za-z0-9]/.test(name) ? name : placed)
}

/** What the ids of such tools begin with. */
export function serverPrefix(server: string): string {
  return `${server}__`.replaceAll(OTHERS, '_')
}
