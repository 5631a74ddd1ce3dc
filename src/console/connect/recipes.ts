/** A block of code of a page of documents that can be run as it stands. */
export interface Recipe {
  /** The heading that it stands under. */
  title: string
  language: string
  /** The file that it is. */
  file: string
  code: string
  /** What it prints, `…` for anything; null: the page does not say. */
  prints: string | null
  /** Whether the page Connect shows it. */
  isShown: boolean
}

/** What stands in recipes for the address of the server and the key. */
export const ADDRESS = 'http://localhost:8787'
export const KEY = 'YOUR_KEY'

const HEADING_OR_BLOCK = /^#{2,3} (?<title>.+)$|^```(?<info>[^\n]*)\n(?<code>[^]*?)^```$/gm

/** The recipes of a page: blocks whose first line names a language and a file, such as ```` ```ts client.ts connect ````. A block of text behind
 *  one is what it prints. */
export function recipesIn(markdown: string): Recipe[] {
  const recipes: Recipe[] = []
  let title = ''
  let last: Recipe | null = null
  for (const { groups = {} } of markdown.matchAll(HEADING_OR_BLOCK)) {
    const [language = '', file, ...marks] = (groups['info'] ?? '').split(' ')
    const code = groups['code'] ?? ''
    if (groups['title'] !== undefined) title = groups['title']
    else if (language === 'text' && last) last.prints = code
    last = null
    if (file === undefined) continue
    last = { title, language, file, code, prints: null, isShown: marks.includes('connect') }
    recipes.push(last)
  }
  return recipes
}

/** The code of a recipe for a server and a key. */
export function filledIn(code: string, server: string, key: string): string {
  return code.replaceAll(ADDRESS, () => server).replaceAll(KEY, () => key)
}
