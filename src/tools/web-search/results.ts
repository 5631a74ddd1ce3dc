import type { SearchMapping } from '../../domain/web-config.ts'
import { memberOf, parseJson } from '../../lib/json.ts'
import { cutText } from '../../lib/text.ts'
import { buildTree } from '../../reader/build-tree.ts'
import { collapse } from '../../reader/node.ts'
import { plainText } from '../../reader/plain-text.ts'

/** One find, as text on one line each. */
export interface SearchResult {
  title: string
  url: string
  snippet: string
  date: string
}

const ENTRIES_MAX = 100
const URL_CHARS_MAX = 500
const TITLE_CHARS_MAX = 150
const SNIPPET_CHARS_MAX = 280
const DATE_CHARS_MAX = 40
const RAW_CHARS_MAX = 4_000

/** The finds of an answer, each address once; null when it is not what the mapping says. */
export function readResults(json: string, mapping: SearchMapping, countMax: number): SearchResult[] | null {
  const answer = parseJson(json)
  const entries = mapping.results === '.' ? answer : valueAt(answer, mapping.results)
  if (!Array.isArray(entries)) return null
  const found = new Map<string, SearchResult>()
  for (const entry of entries.slice(0, ENTRIES_MAX)) {
    const result = resultOf(entry, mapping)
    if (result !== null && !found.has(result.url) && found.size < countMax) found.set(result.url, result)
  }
  return [...found.values()]
}

/** Null: it has no address that could be visited. */
function resultOf(entry: unknown, mapping: SearchMapping): SearchResult | null {
  const url = URL.parse(textAt(entry, mapping.url))
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > URL_CHARS_MAX) return null
  return {
    title: cutText(bare(textAt(entry, mapping.title)), TITLE_CHARS_MAX) || url.hostname,
    url: url.href,
    snippet: cutText(bare(textAt(entry, mapping.snippet)), SNIPPET_CHARS_MAX),
    date: cutText(bare(textAt(entry, mapping.date)), DATE_CHARS_MAX),
  }
}

/** Without the markup and entities that services put into titles and snippets. */
function bare(text: string): string {
  const short = text.slice(0, RAW_CHARS_MAX)
  return collapse(/[<&]/.test(short) ? plainText(buildTree(short).root) : short)
}

function textAt(value: unknown, path: string | undefined): string {
  const found = path === undefined ? '' : valueAt(value, path)
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : ''
}

function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const name of path.split('.')) at = memberOf(at, name)
  return at
}
