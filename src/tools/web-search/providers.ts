import type { SearchMapping, WebSearchConfig } from '../../domain/web-config.ts'

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

/** Where the service of a config is; null: the config does not say it, and has to. */
export function searchAddress({ provider, url }: Pick<WebSearchConfig, 'provider' | 'url'>): string | null {
  return url ?? (provider === 'custom' ? null : PROVIDERS[provider].url)
}

/** The service that a config means; null when it cannot be asked: no address, or no key where one is needed. */
export function searchService(config: WebSearchConfig | undefined, key: string | undefined): SearchService | null {
  if (config === undefined || (config.api_key_env !== undefined && !key)) return null
  if (config.provider === 'custom') {
    return config.url === undefined || config.mapping === undefined
      ? null
      : { url: config.url, mapping: config.mapping }
  }
  const { needsKey, mapping } = PROVIDERS[config.provider]
  const address = searchAddress(config)
  if (address === null || (needsKey && !key)) return null
  return { url: config.provider === 'searxng' ? searchPath(address) : address, mapping }
}

/** Instances of SearXNG are named by their home page. */
function searchPath(address: string): string {
  const url = new URL(address)
  if (!url.pathname.endsWith('/search')) url.pathname = `${url.pathname.replace(/\/$/, '')}/search`
  return url.href
}
