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
  /** Asks for leave to track. */
  consent: 256,
  /** Named as what leads to the other parts of a listing. */
  pagination: 512,
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

const CONSENT =
  /(?:^|-)(?:(?:cookies?|privacy|gdpr|ccpa|tracking|amp)-?(?:alert|banner|bar|box|consent|dialog|hint|law|message|modal|notice|notification|overlay|popup|wall)\w*|consent-(?:banner|box|dialog|manager|modal|overlay|popup)|cookiebot\w*|didomi\w*|eu-cookie\w*|onetrust\w*|truste|usercentrics\w*)(?:-|$)/
const PAGINATION = /(?:^|-)(?:pager|paginat(?:ion|or)|pagenavi|page-?(?:links|nav|numbers))(?:-|$)/

const GALLERY = /(?:^|-)(?:gallery|galleries|slideshow|slide-show|carousel|lightbox)(?:-|$)/
const BYLINE = /(?:^|-)(?:byline|author|dateline|p-author)(?:-|$)/

/** An id of more words is made of a heading, not given by its part in the page. */
const ID_WORDS_MAX = 3
const CAMEL = /([a-z\d])([A-Z])/g
const SEPARATORS = /[\s_:./-]+/g

/** The signs of an element by what its author calls it. */
export function signsOfNames(className: string, id: string): number {
  const written = id.split(/[-_]/).length > ID_WORDS_MAX ? className : `${className} ${id}`
  const names = written.replace(CAMEL, '$1-$2').toLowerCase().replace(SEPARATORS, '-')
  if (CONSENT.test(names)) return SIGN.consent
  const also = furtherSigns(names)
  if (SURROUNDINGS.test(names)) return SIGN.surroundings | also
  const isContent = CONTENT.test(names)
  if (MAYBE_SURROUNDINGS.test(names)) return isContent ? also : SIGN.surroundings | also
  return isContent ? SIGN.content | also : also
}

function furtherSigns(names: string): number {
  let signs = 0
  if (BYLINE.test(names)) signs |= SIGN.byline
  if (GALLERY.test(names)) signs |= SIGN.gallery
  if (COMMENTS.test(names)) signs |= SIGN.comments
  if (PAGINATION.test(names)) signs |= SIGN.pagination
  return signs
}
