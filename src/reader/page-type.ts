import type { Tree } from './build-tree.ts'
import { attribute, type ElementNode } from './node.ts'

/** What a page is for. `shell`: nothing without its scripts. */
export const PAGE_TYPES = [
  'article',
  'documentation',
  'forum',
  'product',
  'collection',
  'listing',
  'service',
  'shell',
] as const
export type PageTypeName = (typeof PAGE_TYPES)[number]

/** The kind of a page, and how sure that is (0–1): how often pages with the same signs are of it. */
export interface PageType {
  name: PageTypeName
  sure: number
}

/** What is known of a page when its kind is guessed. */
export interface PageSigns {
  tree: Tree
  html: string
  url: string
  /** Types of JSON-LD. */
  types: readonly string[]
  /** Whether its text is scattered over items, and whether those are what several people wrote. */
  isListing: () => boolean
  isThread: () => boolean
  /** Whether one part of it stands out as its text. */
  isSure: boolean
  isByline: boolean
  isDated: boolean
}

/** Guesses by a few cheap signs. This one function is what a learned guess takes the place of. */
export function pageTypeOf(signs: PageSigns): PageType {
  if (isShell(signs)) return { name: 'shell', sure: 0.9 }
  const path = pathOf(signs.url)
  const known = { ...signs, itemTypes: countsOf(signs.tree.itemTypes) }
  for (const { name, sure, is } of RULES) if (is(known, path)) return { name, sure }
  return { name: 'article', sure: 0.4 }
}

interface Rule {
  name: PageTypeName
  sure: number
  is: (signs: PageSigns & { itemTypes: ItemTypes }, path: string) => boolean
}

/** How often each type of schema.org is named in the attributes of a page. */
type ItemTypes = ReadonlyMap<string, number>

const SCHEMA_TYPE = /^https?:\/\/(?:www\.)?schema\.org\/(\w+)/

function countsOf(written: readonly string[]): ItemTypes {
  const counts = new Map<string, number>()
  for (const address of written) {
    const type = SCHEMA_TYPE.exec(address)?.[1]
    if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}

const FORUM_PATH =
  /forum|\/threads?[/.-]|\/topics?[/.-]|viewtopic|showthread|\/t\/|\/r\/|\/questions?\/|discuss|communit|\/comments\//
const PRODUCT_PATH = /\/(?:products?|p|dp|item|itm|pd)(?:[/._-]|$)/
const COLLECTION_PATH = /\/(?:(?:collections?|categor(?:y|ies)|shop|store|catalog|browse)(?:[/._-]|$)|c(?:\/|$))/
const DOCS_PATH =
  /^(?:docs?|developers?|api|learn|wiki)\.|\/(?:docs?|documentation|reference|manual|api|wiki|library|stable|latest)(?:[/._-]|$)|readthedocs/
const ARTICLE_PATH =
  /\/(?:blogs?|news|articles?|posts?|stor(?:y|ies)|magazine|insights?|resources|guides?)(?:[/._-]|$)|\/(?:19|20)\d{2}\/\d/
const LISTING_PATH = /\/(?:tags?|topics?|archive|search|list|directory|ranking|best|top)(?:[/._-]|$)/
const SERVICE_PATH = /\/(?:services?|solutions?|about|pricing|features|contact|platform|industr\w*)(?:[/._-]|$)/

const ARTICLE_TYPES = /Article$|(?<!Job)Posting$|^Report$|^Recipe$/

const RULES: readonly Rule[] = [
  {
    name: 'forum',
    sure: 0.95,
    is: ({ types, itemTypes }) =>
      has([...types, ...itemTypes.keys()], /^(?:DiscussionForumPosting|QAPage)$/) || itemTypes.get('Question') === 1,
  },
  {
    name: 'product',
    sure: 0.8,
    is: ({ types }, path) => has(types, /^Product/) && !COLLECTION_PATH.test(path) && !ARTICLE_PATH.test(path),
  },
  {
    name: 'forum',
    sure: 0.9,
    is: ({ types, isThread }, path) => !has(types, ARTICLE_TYPES) && !ARTICLE_PATH.test(path) && isThread(),
  },
  { name: 'forum', sure: 0.6, is: (_, path) => FORUM_PATH.test(path) },
  { name: 'article', sure: 0.9, is: ({ types }) => has(types, ARTICLE_TYPES) },
  {
    name: 'product',
    sure: 0.85,
    is: ({ tree, itemTypes }) => itemTypes.get('Product') === 1 || tree.head.meta.get('kind') === 'product',
  },
  { name: 'collection', sure: 0.85, is: ({ tree }) => tree.head.meta.get('kind') === 'product.group' },
  { name: 'documentation', sure: 0.9, is: (_, path) => DOCS_PATH.test(path) },
  { name: 'product', sure: 0.4, is: (_, path) => PRODUCT_PATH.test(path) },
  {
    name: 'collection',
    sure: 0.6,
    is: ({ types }, path) => COLLECTION_PATH.test(path) || has(types, /^(?:OfferCatalog)$/),
  },
  { name: 'article', sure: 0.9, is: ({ isByline, isDated, isListing }) => isByline && isDated && !isListing() },
  { name: 'listing', sure: 0.5, is: ({ isSure }, path) => !isSure && LISTING_PATH.test(path) },
  { name: 'service', sure: 0.8, is: (_, path) => SERVICE_PATH.test(path) },
  { name: 'article', sure: 0.9, is: (_, path) => ARTICLE_PATH.test(path) },
  { name: 'listing', sure: 0.25, is: ({ isListing }) => isListing() },
  {
    name: 'service',
    sure: 0.35,
    is: ({ isDated, isByline }, path) => !isDated && !isByline && path.split('/').length <= 3,
  },
]

function has(types: readonly string[], kinds: RegExp): boolean {
  return types.some((type) => kinds.test(type))
}

/** Host and path in small letters. */
function pathOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? '' : `${parsed.host}${parsed.pathname}`.toLowerCase()
}

/** Letters that a page shows without its scripts; from the last on it is not empty, whatever it says. */
const EMPTY_CHARS_MAX = 200
const SHELL_CHARS_MAX = 1_200
const SCRIPT = /<script(?=[\s>])/gi
/** Where scripts put a page. */
const MOUNT =
  /^(?:root|app|__next|__nuxt|main-?app|react-?root|app-?root|svelte|ember-?app|gatsby-focus-wrapper|___gatsby)$/i
const ASKS_FOR_SCRIPTS =
  /(?:enable|activate|turn on|requires?|need|without)\s+(?:\w+\s+){0,3}(?:java ?script|js)\b|java ?script\s+(?:\w+\s+){0,4}(?:enabled|required|disabled|activ)|javascript[^.]{0,30}(?:aktivieren|aktiviert|activar|activer)|(?:启用|啟用|开启|打开|有効|활성화)[^。]{0,12}java ?script|java ?script[^。]{0,12}(?:启用|啟用|开启|打开|有効|활성화)/gi
/** What is said of a part of the page, or as advice, is not said of the page. */
const OF_A_PART =
  /\b(?:comments?|disqus|works? (?:best|better)|best (?:viewed|experience)|kommentare?|commentaires?|comentarios?)\b|评论|評論|コメント|댓글/i

/** Whether a page shows nothing, or next to nothing, to who runs no scripts. */
function isShell({ tree: { root, shownChars }, html }: PageSigns): boolean {
  if (root.chars >= SHELL_CHARS_MAX) return false
  const scripts = html.match(SCRIPT)?.length ?? 0
  if (scripts === 0) return false
  if (asksForScripts(html.slice(0, ASKED_CHARS_MAX))) return shownChars < EMPTY_CHARS_MAX
  return root.chars < EMPTY_CHARS_MAX && (hasEmptyMount(root) || root.chars < NOTHING_CHARS)
}

const ASKED_CHARS_MAX = 200_000
const AROUND_CHARS = 200
const ASKS_MAX = 20

function asksForScripts(html: string): boolean {
  const found = html.matchAll(ASKS_FOR_SCRIPTS).take(ASKS_MAX)
  return found.some(({ 0: phrase, index }) => !OF_A_PART.test(sentenceAround(html, index, phrase.length)))
}

/** Links within it are part of it. */
function sentenceAround(html: string, at: number, length: number): string {
  const before =
    html
      .slice(Math.max(0, at - AROUND_CHARS), at)
      .split(SENTENCE_END)
      .at(-1) ?? ''
  const after = html.slice(at + length, at + length + AROUND_CHARS).split(SENTENCE_END)[0] ?? ''
  return `${before}${html.slice(at, at + length)}${after}`.replace(/<[^>]*>/g, '')
}

const SENTENCE_END = /[.!?](?=[\s<])|。|<\/?(?:noscript|p|div|li|td|h\d|body|script)\b/i

const NOTHING_CHARS = 20
const MOUNT_DEPTH = 4

function hasEmptyMount(node: ElementNode, depth = 0): boolean {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    if (child.chars === 0 && MOUNT.test(attribute(child.attributes, 'id') ?? '')) return true
    if (depth < MOUNT_DEPTH && hasEmptyMount(child, depth + 1)) return true
  }
  return false
}
