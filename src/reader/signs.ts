import { BEGINNING, codeBehind, codeOf, LetterFilter } from './letter-filter.ts'
import { unitAt } from './units.ts'

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
/** A dash alone stays as it is. */
const SEPARATORS = /[\s_:./][\s_:./-]*|-[\s_:./-]+/g

/** Bits of a name beside those of `SIGN`: what may surround an article unless another name says that it is of it. */
const MAYBE = 1_024

/** The signs of an element by what its author calls it; `namesOf`: the bits of a class or an id. */
export function signsOfNames(className: string, id: string, namesOf: (written: string) => number): number {
  const names = namesOf(className) | (id === '' || isMade(id) ? 0 : namesOf(id))
  if ((names & SIGN.consent) !== 0) return SIGN.consent
  const also = names & (SIGN.byline | SIGN.gallery | SIGN.comments | SIGN.pagination)
  if ((names & SIGN.surroundings) !== 0) return SIGN.surroundings | also
  const content = names & SIGN.content
  if ((names & MAYBE) !== 0) return content === 0 ? SIGN.surroundings | also : also
  return content | also
}

/** What a class or an id says, as bits of `SIGN` and `MAYBE`. */
export function bitsOfName(written: string): number {
  const may = mayTell(written)
  if (may === 0) return 0
  if (may === SIGN.content) return CONTENT_WRITTEN.test(written) ? SIGN.content : 0
  const lower = written.toLowerCase()
  const parted = lower === written ? written : written.replace(CAMEL, '$1-$2').toLowerCase()
  const names = parted.replace(SEPARATORS, '-')
  let bits = (may & SIGN.content) !== 0 && CONTENT.test(names) ? SIGN.content : 0
  for (const [bit, words] of WORDS) if ((may & bit) !== 0 && words.test(names)) bits |= bit
  return bits
}

const WORDS: readonly (readonly [number, RegExp])[] = [
  [SIGN.surroundings, SURROUNDINGS],
  [MAYBE, MAYBE_SURROUNDINGS],
  [SIGN.consent, CONSENT],
  [SIGN.byline, BYLINE],
  [SIGN.gallery, GALLERY],
  [SIGN.comments, COMMENTS],
  [SIGN.pagination, PAGINATION],
]

/** Whether an id has more words than one that is given. */
function isMade(id: string): boolean {
  const { length } = id
  let words = 1
  for (let index = 0; index < length; index += 1) {
    const unit = unitAt(id, index)
    if (unit === DASH || unit === LOW_LINE) words += 1
  }
  return words > ID_WORDS_MAX
}

const DASH = 0x2d
const LOW_LINE = 0x5f
const CASE = 0x20

/** For the beginnings of all words above the bits that they may tell; shorter words are there as they are. */
const BEGINNINGS = beginnings()

function beginnings(): ReadonlyMap<number, number> {
  const bits = new Map<number, number>()
  for (const [bit, { source }] of WORDS) {
    const words = [source, source.replaceAll('-?', '')].flatMap((written) => written.match(/[a-z]{2,}\??/g) ?? [])
    const ways = words.flatMap((word) => (word.endsWith('?') ? [word.slice(0, -1), word.slice(0, -2)] : [word]))
    for (const word of ways) {
      const code = codeOf(word)
      bits.set(code, (bits.get(code) ?? 0) | bit)
    }
  }
  return bits
}

/** Letters that a word above may begin with, and those that one of the article may begin with wherever it stands. */
const MAY_BEGIN = new LetterFilter([...BEGINNINGS.keys()])
const MAY_HOLD = new LetterFilter(CONTENT.source.split('|').map(codeOf))

/** What a name may tell by the beginnings of its words, as bits; most names have none. Words of the article may stand within others. */
function mayTell(written: string): number {
  const { length } = written
  let bits = 0
  let code = 0
  let letters = 0
  let lately = 0
  let wasSmall = false
  for (let index = 0; index <= length; index += 1) {
    const unit = index === length ? 0 : unitAt(written, index)
    const small = unit | CASE
    const isLetter = small >= 0x61 && small <= 0x7a
    if (!isLetter || (wasSmall && unit !== small)) {
      if (letters > 0 && letters < BEGINNING && MAY_BEGIN.has(code)) bits |= BEGINNINGS.get(code) ?? 0
      code = 0
      letters = 0
    }
    wasSmall = isLetter ? unit === small : unit >= 0x30 && unit <= 0x39
    if (!isLetter) {
      lately = 0
      continue
    }
    lately = codeBehind(lately, unit)
    if (MAY_HOLD.has(lately)) bits |= SIGN.content
    letters += 1
    if (letters > BEGINNING) continue
    code = codeBehind(code, unit)
    if (letters === BEGINNING && MAY_BEGIN.has(code)) bits |= BEGINNINGS.get(code) ?? 0
  }
  return bits
}
