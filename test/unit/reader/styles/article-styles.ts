import type { Style } from './article.ts'
import { blogspot, divsOnly, illustrated, japaneseBlog, listicle, recipe, sectioned, wordpress } from './blogs.ts'
import { amp, application, chineseNews, chineseSections, discussed, koreanNews, paywalled } from './news.ts'
import { encyclopedia, mailingList, readme, reference, tableLayout } from './references.ts'
import type { Language } from './words.ts'

export const ARTICLE_STYLES: readonly (readonly [name: string, language: Language, style: Style])[] = [
  ['a press blog', 'en', wordpress],
  ['divs only', 'en', divsOnly],
  ['Chinese news with line breaks', 'zh', chineseNews],
  ['Chinese sections shown by a script', 'zh', chineseSections],
  ['a Japanese blog', 'ja', japaneseBlog],
  ['Korean news with line breaks', 'ko', koreanNews],
  ['an encyclopedia', 'en', encyclopedia],
  ['a reference', 'en', reference],
  ['a README', 'en', readme],
  ['a mailing list', 'en', mailingList],
  ['a layout of tables', 'en', tableLayout],
  ['AMP', 'en', amp],
  ['an application of many wrappers', 'en', application],
  ['a teaser before a paywall', 'en', paywalled],
  ['more comments than article', 'en', discussed],
  ['pictures, quotes and footnotes', 'en', illustrated],
  ['a list of things', 'en', listicle],
  ['a recipe', 'en', recipe],
  ['a hosted blog of divs', 'en', blogspot],
  ['sections of different length', 'en', sectioned],
  ['Arabic news', 'ar', wordpress],
  ['a Chinese application', 'zh', application],
]
