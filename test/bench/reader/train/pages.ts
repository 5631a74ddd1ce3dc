import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { decodeBytes } from '../../../../src/reader/decode.ts'
import { hashOf } from '../../../../src/reader/names.ts'
import { ARTICLE_STYLES } from '../../../unit/reader/styles/article-styles.ts'
import { LISTING_STYLES } from '../../../unit/reader/styles/listing-styles.ts'
import { Writer } from '../../../unit/reader/styles/words.ts'

export interface MarkedPage {
  set: 'wcxb' | 'annotated' | 'styles'
  file: string
  domain: string
  type: string
  text: string
  with: readonly string[]
  without: readonly string[]
  html: string
}

/** The pages of a set with what people marked in them, one at a time. */
export function* markedPages(data: string, set: 'wcxb' | 'annotated'): Generator<MarkedPage> {
  const folder = join(data, `pages-${set}`)
  const plain = join(folder, 'truth.jsonl')
  const lines = existsSync(plain) ? readFileSync(plain, 'utf8') : gunzipSync(readFileSync(`${plain}.gz`)).toString()
  for (const line of lines.trim().split('\n')) {
    const row: { file: string; url: string | null; type?: string; text?: string; with: string[]; without: string[] } =
      JSON.parse(line)
    const html = decodeBytes(gunzipSync(readFileSync(join(folder, 'html', row.file))), null)
    yield { set, type: set, text: '', ...row, domain: domainOf(row.url ?? '', row.file), html }
  }
}

export const GROUPS = 5

/** The fold that the pages of a domain are kept for. */
export function groupOf(domain: string): number {
  return (hashOf(domain) >>> 3) % GROUPS
}

const SEEDS = [11, 12, 13, 14]

/** Pages in the styles of the unit tests, with other words: what the reader owes to its users whatever others marked. They are in no fold. */
export function* styledPages(): Generator<MarkedPage> {
  for (const seed of SEEDS) {
    for (const [name, language, style] of ARTICLE_STYLES) {
      const { html, text } = style(new Writer(language, seed))
      yield { ...NO_MARKS, file: `${name} ${seed}`, text, html }
    }
    for (const [name, language, style] of LISTING_STYLES) {
      const { html, lacks } = style(new Writer(language, seed))
      yield { ...NO_MARKS, file: `${name} ${seed}`, without: [...lacks], html }
    }
  }
}

const NO_MARKS = {
  set: 'styles',
  type: 'styles',
  domain: 'styles',
  text: '',
  with: [],
  without: [],
} as const satisfies Partial<MarkedPage>

/** The registered domain of an address, nearly: its last two labels, or three where the second is as short as `co` or `com`. */
function domainOf(url: string, file: string): string {
  const bare = url.replace(/^https?:\/\/web\.archive\.org\/web\/[^/]*\//, '')
  const host = URL.parse(bare)?.hostname ?? /^[\w-]+(?:\.[\w-]+)+?(?=-|\.html)/.exec(file)?.[0] ?? file
  const labels = host.split('.')
  return labels.slice((labels.at(-2)?.length ?? 0) <= 3 ? -3 : -2).join('.')
}
