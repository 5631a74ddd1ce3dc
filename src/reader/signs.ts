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
/** The same in a name as it is written. */
const CONTENT_WRITTEN = new RegExp(CONTENT.source, 'i')

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
  const written = isMade(id) ? className : `${className} ${id}`
  if (!mayTell(written)) return CONTENT_WRITTEN.test(written) ? SIGN.content : 0
  const names = written.replace(CAMEL, '$1-$2').toLowerCase().replace(SEPARATORS, '-')
  if (CONSENT.test(names)) return SIGN.consent
  const also = furtherSigns(names)
  if (SURROUNDINGS.test(names)) return SIGN.surroundings | also
  const isContent = CONTENT.test(names)
  if (MAYBE_SURROUNDINGS.test(names)) return isContent ? also : SIGN.surroundings | also
  return isContent ? SIGN.content | also : also
}

/** Whether an id has more words than one that is given. */
function isMade(id: string): boolean {
  let words = 1
  for (let index = 0; index < id.length; index += 1) {
    const unit = id.charCodeAt(index)
    if (unit === DASH || unit === LOW_LINE) words += 1
  }
  return words > ID_WORDS_MAX
}

const DASH = 0x2d
const LOW_LINE = 0x5f
const CASE = 0x20

/** Letters of a word by which it is known that it may be one of those above. */
const BEGINNING = 4
/** Beginnings of all words above; shorter words are there as they are. */
const BEGINNINGS = beginnings([SURROUNDINGS, MAYBE_SURROUNDINGS, COMMENTS, CONSENT, PAGINATION, GALLERY, BYLINE])

function beginnings(patterns: readonly RegExp[]): ReadonlySet<number> {
  const words = patterns.flatMap(({ source }) =>
    [source, source.replaceAll('-?', '')].flatMap((written) => written.match(/[a-z]{2,}\??/g) ?? []),
  )
  const ways = words.flatMap((word) => (word.endsWith('?') ? [word.slice(0, -1), word.slice(0, -2)] : [word]))
  return new Set(ways.map((word) => codeOf(word.slice(0, BEGINNING))))
}

function codeOf(word: string): number {
  let code = 0
  for (let index = 0; index < word.length; index += 1) code = (code << 5) | (word.charCodeAt(index) & 0x1f)
  return code
}

/** Whether a word of a name begins as one of those above, so that they have to be looked for. Most names have none. */
function mayTell(written: string): boolean {
  let code = 0
  let letters = 0
  let wasSmall = false
  for (let index = 0; index < written.length; index += 1) {
    const unit = written.charCodeAt(index)
    const small = unit | CASE
    const isLetter = small >= 0x61 && small <= 0x7a
    if (!isLetter || (wasSmall && unit !== small)) {
      if (letters > 0 && letters < BEGINNING && BEGINNINGS.has(code)) return true
      code = 0
      letters = 0
    }
    wasSmall = isLetter ? unit === small : unit >= 0x30 && unit <= 0x39
    if (!isLetter) continue
    letters += 1
    if (letters > BEGINNING) continue
    code = (code << 5) | (unit & 0x1f)
    if (letters === BEGINNING && BEGINNINGS.has(code)) return true
  }
  return letters > 0 && letters < BEGINNING && BEGINNINGS.has(code)
}

function furtherSigns(names: string): number {
  let signs = 0
  if (BYLINE.test(names)) signs |= SIGN.byline
  if (GALLERY.test(names)) signs |= SIGN.gallery
  if (COMMENTS.test(names)) signs |= SIGN.comments
  if (PAGINATION.test(names)) signs |= SIGN.pagination
  return signs
}
