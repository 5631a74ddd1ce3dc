/** How things that are said stand beside each other, in Chinese by its own full-width signs, in any other language by those of English. */
const isChinese = (language: string) => language.startsWith('zh')

/** Names in a row. */
export const listIn = (language: string, names: readonly string[]): string =>
  names.join(isChinese(language) ? '、' : ', ')

/** What could each be a sentence, in a row. */
export const clausesIn = (language: string, clauses: readonly string[]): string =>
  clauses.join(isChinese(language) ? '；' : '; ')

/** Words about a thing, behind it. */
export const toldIn = (language: string, what: string, words: string): string =>
  isChinese(language) ? `${what}：${words}` : `${what}: ${words}`

/** The same in brackets. */
export const asideIn = (language: string, what: string, words: string): string =>
  isChinese(language) ? `${what}（${words}）` : `${what} (${words})`
