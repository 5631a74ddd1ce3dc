import type { ElementNode } from './node.ts'
import { TAG } from './tags.ts'

/** Words in class and id that authors give to what surrounds an article, whatever else they call it. */
const SURROUNDINGS =
  /(?:^|[\s_-])(?:ads?|advert\w*|breadcrumbs?|comments?\w*|cookies?|consent|disqus\w*|footer|gdpr|jp-relatedposts|masthead|navbar|navigation|newsletter\w*|outbrain|pagination|paywall|popup|promo\w*|recommend\w*|related\w*|replies|share\w*|sharing|sidebar\w*|signup|social\w*|sponsor\w*|subscri\w*|taboola)(?:$|[\s_-])/i

/** Words that may as well name a part of an article. */
const MAYBE_SURROUNDINGS =
  /(?:^|[\s_-])(?:banner|community|extra|footnav|header-nav|legends|menu\w*|meta-?nav|nav|pager|rss|skip-?link|skyscraper|supplemental|tags?|teaser|toolbar|tools|widget\w*)(?:$|[\s_-])/i

/** Words that authors give to the article itself. */
const CONTENT = /article|body|content|entry|main|post|story|text|column|blog/i

/** An id of more words is made of a heading, not given by its part in the page. */
const ID_WORDS_MAX = 3

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

/** Whether a browser would not show it. Pictures of formulas are hidden from sight for those who cannot see them. */
export function isHidden({ attributes }: ElementNode): boolean {
  if ('hidden' in attributes) return true
  const style = attributes['style']
  if (style !== undefined && HIDDEN_STYLE.test(style)) return true
  return attributes['aria-hidden'] === 'true' && !/fallback-image/.test(attributes['class'] ?? '')
}

/** Whether its tag or role says that it is not part of the article. */
export function isBoilerplate({ bits, attributes }: ElementNode): boolean {
  if ((bits & TAG.boilerplate) !== 0) return true
  const role = attributes['role']
  return role !== undefined && BOILERPLATE_ROLES.has(role)
}

/** −1: named as surroundings, 1: named as content, 0: neither or both. */
export function nameHint({ attributes }: ElementNode): -1 | 0 | 1 {
  const { class: className = '', id = '' } = attributes
  const names = id.split(/[-_]/).length > ID_WORDS_MAX ? className : `${className} ${id}`
  if (names.length < 2) return 0
  if (SURROUNDINGS.test(names)) return -1
  const isContent = CONTENT.test(names)
  if (MAYBE_SURROUNDINGS.test(names)) return isContent ? 0 : -1
  return isContent ? 1 : 0
}
