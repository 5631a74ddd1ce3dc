import { attribute, type Attributes } from './node.ts'

/** What the attributes of an element tell about its part in the page, as bits. */
export const SIGN = {
  /** A browser would not show it. */
  hidden: 1,
  /** Its role says that it is not part of the article. */
  boilerplate: 2,
  /** Named as what surrounds an article. */
  surroundings: 4,
  /** Named as the article or a part of it. */
  content: 8,
  /** Names who wrote it. */
  byline: 16,
  /** Named as what readers wrote below it. */
  comments: 32,
  /** Its class and id have been read. */
  named: 64,
  /** Named as a show of pictures. */
  gallery: 128,
} as const

/** Words in class and id that authors give to what surrounds an article, whatever else they call it. */
const SURROUNDINGS =
  /(?:^|-)(?:ads?|advert\w*|aside|breadcrumbs?|byline-?social|comments?\w*|commentaires?|comentarios?|kommentare?|cookies?|consent|disqus\w*|footer|gdpr|hatom-extra|jp-relatedposts|livefyre|masthead|most-?(?:popular|read|viewed)|navbar|navigation|newsletter\w*|outbrain|pagination|paywall|popup|promo\w*|read-?more|recirc\w*|recommend\w*|related\w*|replies|respond|share\w*|sharing|shoutbox|sidebar\w*|signup|sign-?in|log-?in|social\w*|sponsor\w*|subscri\w*|taboola|trending|verwandte?s?|tuijian|pinglun|xiangguan|fenxiang)(?:-|$)/

/** Words that may as well name a part of an article. */
const MAYBE_SURROUNDINGS =
  /(?:^|-)(?:banner|community|extra|footnav|header-nav|legends|menu\w*|meta-?nav|nav|pager|rss|skip-?link|skyscraper|supplemental|tags?|teasers?|toolbar|tools|widget\w*)(?:-|$)/

/** Words that authors give to the article itself. */
const CONTENT = /article|body|content|entry|main|post|story|text|column|blog/

const COMMENTS = /(?:^|-)(?:comments?\w*|commentaires?|comentarios?|kommentare?|disqus\w*|livefyre|pinglun)(?:-|$)/

const GALLERY = /(?:^|-)(?:gallery|galleries|slideshow|slide-show|carousel|lightbox)(?:-|$)/
const BYLINE = /(?:^|-)(?:byline|author|dateline|p-author)(?:-|$)/

/** An id of more words is made of a heading, not given by its part in the page. */
const ID_WORDS_MAX = 3
const CAMEL = /([a-z\d])([A-Z])/g
const SEPARATORS = /[\s_:./-]+/g

const BOILERPLATE_ROLES: ReadonlySet<string> = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'menubar',
  'toolbar',
  'dialog',
  'alertdialog',
  'tooltip',
])

const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i
const NAMES_CACHED_MAX = 2_000

/** Reads the signs of elements; one for each page, since names repeat within it. */
export class SignReader {
  readonly #known = new Map<string, number>()

  /** `isNamed`: class and id are read too. */
  read(attributes: Attributes, isNamed: boolean): number {
    let signs = 0
    let className = ''
    let id = ''
    for (let index = 0; index < attributes.length; index += 2) {
      const value = attributes[index + 1] ?? ''
      switch (attributes[index]) {
        case 'class':
          className = value
          break
        case 'id':
          id = value
          break
        case 'role':
          if (BOILERPLATE_ROLES.has(value)) signs |= SIGN.boilerplate
          break
        case 'hidden':
          signs |= SIGN.hidden
          break
        case 'style':
          if (HIDDEN_STYLE.test(value)) signs |= SIGN.hidden
          break
        case 'aria-hidden':
          if (value === 'true' && !isFormulaImage(attributes)) signs |= SIGN.hidden
          break
        case 'rel':
          if (value === 'author') signs |= SIGN.byline
          break
        case 'itemprop':
          if (value.includes('author')) signs |= SIGN.byline
          break
        default:
      }
    }
    if (className === '' && id === '') return signs | SIGN.named
    if (isNamed) return signs | SIGN.named | this.#ofNames(className, id)
    const isByline = /byline|author/.test(className) && (this.#ofNames(className, '') & SIGN.byline) !== 0
    return isByline ? signs | SIGN.byline : signs
  }

  #ofNames(className: string, id: string): number {
    const names = id === '' ? className : `${className} ${id}`
    const known = this.#known.get(names)
    if (known !== undefined) return known
    const signs = signsOfNames(className, id)
    if (this.#known.size < NAMES_CACHED_MAX) this.#known.set(names, signs)
    return signs
  }
}

/** Pictures of formulas are hidden from those who hear the page, not from those who see it. */
function isFormulaImage(attributes: Attributes): boolean {
  return attribute(attributes, 'class')?.includes('fallback-image') === true
}

function signsOfNames(className: string, id: string): number {
  const written = id.split(/[-_]/).length > ID_WORDS_MAX ? className : `${className} ${id}`
  const names = written.replace(CAMEL, '$1-$2').toLowerCase().replace(SEPARATORS, '-')
  const also = (BYLINE.test(names) ? SIGN.byline : 0) | (GALLERY.test(names) ? SIGN.gallery : 0)
  if (SURROUNDINGS.test(names)) return SIGN.surroundings | also | (COMMENTS.test(names) ? SIGN.comments : 0)
  const isContent = CONTENT.test(names)
  if (MAYBE_SURROUNDINGS.test(names)) return isContent ? also : SIGN.surroundings | also
  return isContent ? SIGN.content | also : also
}
