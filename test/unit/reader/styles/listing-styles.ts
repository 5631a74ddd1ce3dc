import { blogIndex, chinesePortal, docsIndex, frontPage, sections } from './front-pages.ts'
import { discussion, forum, issues, nestedDiscussion, points, products, questions, searchResults } from './finds.ts'
import type { Style } from './listing.ts'
import type { Language } from './words.ts'

export const LISTING_STYLES: readonly (readonly [name: string, language: Language, style: Style])[] = [
  ['a front page of cards', 'en', frontPage],
  ['a front page of sections with more links', 'en', sections],
  ['search results', 'en', searchResults],
  ['Chinese search results', 'zh', searchResults],
  ['a list with points in a table', 'en', points],
  ['a Chinese portal', 'zh', chinesePortal],
  ['a table of products', 'en', products],
  ['a forum thread', 'en', forum],
  ['questions and answers', 'en', questions],
  ['a discussion', 'en', discussion],
  ['a discussion in Korean', 'ko', nestedDiscussion],
  ['a list of issues', 'en', issues],
  ['an index of documentation', 'en', docsIndex],
  ['an index of a blog', 'en', blogIndex],
  ['a Japanese index of a blog', 'ja', blogIndex],
]
