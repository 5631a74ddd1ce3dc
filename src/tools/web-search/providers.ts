import type { SearchMapping, WebSearchConfig } from '../../domain/server-config.ts'
import { memberOf, parseJson } from '../../lib/json.ts'
import { buildTree } from '../../reader/build-tree.ts'
import { collapse } from '../../reader/node.ts'
import { plainText } from '../../reader/plain-text.ts'
import { cutText } from '../../lib/text.ts'

/** A search service, ready to be asked. */
export interface SearchService {
  url: string
  mapping: SearchMapping
}

interface Provider {
  /** Its public address; null: only the config knows one. */
  url: string | null
  needsKey: boolean
  mapping: SearchMapping
}

/** Sources: docs.searxng.org/dev/search_api, api-dashboard.search.brave.com/app/documentation, docs.tavily.com. */
const PROVIDERS: Readonly<Record<Exclude<WebSearchConfig['provider'], 'custom'>, Provider>> = {
  searxng: {
    url: null,
    needsKey: false,
    mapping: {
      query: 'q',
      parameters: { format: 'json' },
      key_header: 'authorization',
      key_prefix: 'Bearer ',
      results: 'results',
      title: 'title',
      url: 'url',
      snippet: 'content',
      date: 'publishedDate',
    },
  },
  brave: {
    url: 'https://api.search.brave.com/res/v1/web/search',
    needsKey: true,
    mapping: {
      query: 'q',
      count: 'count',
      key_header: 'x-subscription-token',
      results: 'web.results',
      title: 'title',
      url: 'url',
      snippet: 'description',
      date: 'page_age',
    },
  },
  tavily: {
    url: 'https://api.tavily.com/search',
    needsKey: true,
    mapping: {
      method: 'POST',
      query: 'query',
      count: 'max_results',
      key_header: 'authorization',
      key_prefix: 'Bearer ',
      results: 'results',
      title: 'title',
      url: 'url',
      snippet: 'content',
      date: 'published_date',
    },
  },
}

/** The service that a config means; null when it cannot be asked: no address, or no key where one is needed. */
export function searchService(config: WebSearchConfig | undefined, key: string | undefined): SearchService | null {
  if (config === undefined || (config.api_key_env !== undefined && !key)) return null
  if (config.provider === 'custom') {
    return config.url === undefined || config.mapping === undefined
      ? null
      : { url: config.url, mapping: config.mapping }
  }
  const { url, needsKey, mapping } = PROVIDERS[config.provider]
  const address = config.url ?? url
  if (address === null || (needsKey && !key)) return null
  return { url: config.provider === 'searxng' ? searchPath(address) : address, mapping }
}

/** Instances of SearXNG are named by their home page. */
function searchPath(address: string): string {
  const url = new URL(address)
  if (!url.pathname.endsWith('/search')) url.pathname = `${url.pathname.replace(/\/$/, '')}/search`
  return url.href
}

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
