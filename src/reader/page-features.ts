import { AROUND, type Block } from './blocks.ts'
import type { PageHead } from './head.ts'
import type { Measures } from './measures.ts'
import { isPrice } from './surroundings.ts'

/** What a page says of its kind in JSON-LD, `og:type`, its generator and its address. */
const TYPES: readonly (readonly [string, RegExp])[] = [
  ['ldArticle', /"(?:news|tech|scholarly)?article"|"blogposting"|"report"/i],
  ['ldProduct', /"product(?:group)?"|"offer"/i],
  ['ldForum', /"discussionforumposting"|"qapage"|"socialmediaposting"|"question"/i],
  ['ldList', /"itemlist"|"collectionpage"|"searchresultspage"|"offercatalog"/i],
  ['ldFaq', /"faqpage"/i],
  ['ldService', /"service"|"localbusiness"|"softwareapplication"|"professionalservice"/i],
  ['ldRecipe', /"recipe"|"howto"/i],
]
const PATHS: readonly (readonly [string, RegExp])[] = [
  ['pathArticle', /\/(?:blog|news|articles?|posts?|stor(?:y|ies)|magazine|20\d\d)(?:[/._-]|$)|\/20\d\d\/\d/],
  ['pathProduct', /\/(?:products?|p|dp|item|itm|shop|store|buy|app)(?:[/._-]|$)/],
  ['pathForum', /forum|thread|topic|discuss|communit|question|\/t\/|\/r\/|comments|viewtopic|board/],
  ['pathDocs', /docs?[/.]|documentation|reference|manual|guide|tutorial|api|learn|wiki|help|support|readthedocs/],
  ['pathList', /categor|collections?|tags?\/|archive|catalog|browse|list|search|\/c\/|topics\/|directory|best/],
  ['pathService', /services?|solutions?|about|pricing|features|company|contact|platform|industr/],
  ['pathRoot', /^[^/]*\/?$/],
]
const GENERATORS: readonly (readonly [string, RegExp])[] = [
  ['genBlog', /wordpress|blogger|ghost|medium|hugo|jekyll/i],
  ['genForum', /discourse|phpbb|vbulletin|xenforo|flarum|invision|smf|mybb|vanilla|nodebb/i],
  ['genDocs', /docusaurus|sphinx|mkdocs|mediawiki|gitbook|vitepress|javadoc|doxygen|rustdoc|docfx|antora/i],
  ['genShop', /shopify|woocommerce|magento|prestashop|squarespace|wix/i],
]
const TYPES_CHARS_MAX = 2_000

export interface RulesResult {
  confidence: number
  isListing: boolean
}

/** What a page says of itself to machines. */
interface Told {
  address: string
  /** Types of JSON-LD, wherever they stand in it. */
  types: readonly string[]
}

/** The features of a page as a whole. */
export function pageFeatures(
  blocks: readonly Block[],
  m: Measures,
  head: PageHead,
  rules: RulesResult,
  { address, types }: Told,
): Float32Array {
  const sum = {
    words: 0,
    chars: 0,
    links: 0,
    kept: 0,
    p: 0,
    list: 0,
    table: 0,
    comments: 0,
    long: 0,
    prices: 0,
    stops: 0,
  }
  let headings = 0
  let articles = 0
  let times = 0
  let bylines = 0
  let images = 0
  let pre = 0
  let lastArticle: unknown = null
  let hasMain = 0
  const kinds = new Map<number, number>()
  let lastKind = blocks[0]?.place.kind ?? 0
  let wordsOfKind = 0
  for (let index = 0; index < blocks.length; index += 1) {
    const place = blocks[index]?.place
    if (place === undefined) continue
    const words = m.words[index] ?? 0
    const { around } = place
    sum.words += words
    sum.chars += m.chars[index] ?? 0
    sum.links += m.linkChars[index] ?? 0
    sum.stops += m.stops[index] ?? 0
    if ((around & AROUND.kept) !== 0) sum.kept += words
    if (place.node.name === 'p') sum.p += words
    if (place.node.name === 'pre') pre += words
    if ((around & AROUND.list) !== 0) sum.list += words
    if ((around & AROUND.table) !== 0) sum.table += words
    if ((around & AROUND.comments) !== 0) sum.comments += words
    if (words >= 40) sum.long += words
    if (isPrice(m, index)) sum.prices += 1
    if ((around & AROUND.heading) !== 0) headings += 1
    if ((around & AROUND.byline) !== 0) bylines += 1
    if ((around & AROUND.main) !== 0) hasMain = 1
    times += m.times[index] ?? 0
    images += m.images[index] ?? 0
    if (place.kind !== lastKind) {
      kinds.set(lastKind, (kinds.get(lastKind) ?? 0) + wordsOfKind)
      lastKind = place.kind
      wordsOfKind = 0
    }
    wordsOfKind += words
    if ((around & AROUND.article) !== 0) {
      let up: typeof place | null = place
      while (up !== null && up.node.name !== 'article') up = up.up
      if (up !== null && up !== lastArticle) {
        lastArticle = up
        articles += 1
      }
    }
  }
  if (blocks.length > 0) kinds.set(lastKind, (kinds.get(lastKind) ?? 0) + wordsOfKind)
  const ld = types
    .map((type) => `"${type}"`)
    .join(' ')
    .slice(0, TYPES_CHARS_MAX)
  const kind = head.meta.get('kind')?.toLowerCase() ?? ''
  const path = pathOf(address)
  const generator = head.meta.get('generator') ?? ''
  const words = Math.max(1, sum.words)
  let mostOfKind = 0
  kinds.forEach((count) => {
    if (count > mostOfKind) mostOfKind = count
  })
  const told = (tests: readonly (readonly [string, RegExp])[], text: string) =>
    tests.map(([, test]) => (test.test(text) ? 1 : 0))
  return new Float32Array([
    blocks.length,
    sum.words,
    sum.words / Math.max(1, blocks.length),
    sum.links / Math.max(1, sum.chars),
    sum.kept,
    sum.kept / words,
    sum.p / words,
    sum.list / words,
    sum.table / words,
    sum.comments / words,
    sum.long / words,
    sum.prices,
    sum.stops / words,
    headings,
    articles,
    times,
    bylines,
    images,
    pre / words,
    hasMain,
    mostOfKind / words,
    kinds.size / Math.max(1, blocks.length),
    rules.confidence,
    rules.isListing ? 1 : 0,
    kind.includes('article') ? 1 : kind.includes('product') ? 2 : kind.includes('website') ? 3 : kind === '' ? 0 : 4,
    path.split('/').length,
    path.length,
    (path.match(/-/g) ?? []).length,
    ...told(TYPES, ld),
    ...told(PATHS, path),
    ...told(GENERATORS, generator),
  ])
}

/** Host and path without the scheme. */
function pathOf(address: string): string {
  return address
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '')
    .slice(0, 300)
}

export const PAGE_FEATURES: readonly string[] = [
  ...'blocks words wordsPerBlock links kept keptShare p list table comments long prices stops headings articles times bylines images pre main kindShare kinds confidence listing ogType depth pathChars dashes'
    .split(' ')
    .map((name) => `page_${name}`),
  ...[...TYPES, ...PATHS, ...GENERATORS].map(([name]) => `page_${name}`),
]
