import { matchesGlob } from '../lib/glob.ts'

/** Whether one of the patterns means an operation; null: all are meant. A pattern is a name, a method and a path (`GET /repos/**`), a path
 *  alone, or a tag (`tag:issues`). */
export function isIncluded(
  { name, method, path, tags }: { name: string; method: string; path: string; tags: readonly string[] },
  include: readonly string[] | null,
): boolean {
  if (include === null) return true
  return include.some((pattern) => {
    if (pattern.startsWith('tag:')) return tags.some((tag) => matchesGlob(tag, pattern.slice(4).trim(), ''))
    const [, verb, place] = /^(?:([A-Za-z]+)\s+)?(\/.*)$/.exec(pattern) ?? []
    if (place === undefined) return matchesGlob(name, pattern, '')
    return (verb === undefined || verb.toUpperCase() === method) && matchesGlob(path, place, '/')
  })
}
