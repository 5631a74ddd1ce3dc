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

/** How an operation of an API stands in its id. A name without a letter of those would be a row of `_`: method and path stand in its place. */
export function operationInId({ name, method, path }: { name: string; method: string; path: string }): string {
  const placed = `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`
  return /[A-Za-z0-9]/.test(name) ? name : placed
}

/** All tools of a server with their ids. Two whose names only differ in what an id cannot hold have ids of their own. `isShared`: ids of
 *  another server begin alike. `inId`: how a tool stands in its id, where that is not its name. */
export function withServerIds<Listed extends { name: string }>(
  server: string,
  tools: readonly Listed[],
  isShared = false,
  inId = ({ name }: Listed): string => name,
): { id: string; tool: Listed }[] {
  const ids = new Set<string>()
  return tools.map((tool) => {
    const id = serverToolId(server, tool.name, (taken) => isShared || ids.has(taken), inId(tool))
    ids.add(id)
    return { id, tool }
  })
}

/** What the ids of such tools begin with. */
export function serverPrefix(server: string): string {
  return `${server}__`.replaceAll(OTHERS, '_')
}
