import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { readPage } from '../../../src/reader/read-page.ts'

/** What people marked of a page: `date` as YYYY-MM-DD; null where nothing is marked. */
const marked = z.object({
  file: z.string(),
  url: z.string().nullable(),
  type: z.string(),
  title: z.string().nullish(),
  author: z.string().nullish(),
  date: z.string().nullish(),
})
type Marked = z.infer<typeof marked>

const FIELDS = ['title', 'author', 'date'] as const
export type MetadataField = (typeof FIELDS)[number]

/** One fact of one page, as it is marked and as it was read. */
export interface MetadataRow {
  field: MetadataField
  type: string
  file: string
  marked: string | null
  read: string | null
  /** The same: letters and digits, in either case, whatever stands between them; the same day of a date. */
  same: boolean
  /** Names the same thing: one holds all words of the other in a row, or at least half of the words of both are shared. */
  alike: boolean
}

/** What is read of each page of a folder with `truth.jsonl.gz` and `html`, beside what is marked. */
export function measureMetadata(folder: string): MetadataRow[] {
  const truth = gunzipSync(readFileSync(join(folder, 'truth.jsonl.gz'))).toString()
  const lines = truth.trim().split('\n')
  return lines.flatMap((line) => rowsOf(folder, marked.parse(JSON.parse(line))))
}

function rowsOf(folder: string, page: Marked): MetadataRow[] {
  const bytes = gunzipSync(readFileSync(join(folder, 'html', page.file)))
  const { title, byline, publishedTime } = readPage({ bytes, contentType: 'text/html', url: page.url ?? '' })
  const read = { title, author: byline, date: publishedTime }
  return FIELDS.map((field) => {
    const [want, have] = [page[field] || null, read[field]]
    const same = field === 'date' ? isDay(have, want) : folded(have) === folded(want)
    const alike = same || (field !== 'date' && isAlike(folded(have), folded(want)))
    return { field, type: page.type, file: page.file, marked: want, read: have, same, alike }
  })
}

function isDay(have: string | null, want: string | null): boolean {
  return have === want || (have !== null && want !== null && have.startsWith(want))
}

function folded(text: string | null): string {
  const words = (text ?? '').normalize('NFKC').toLowerCase()
  return words.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
}

const SHARED_MIN = 0.5

function isAlike(have: string, want: string): boolean {
  if (have === '' || want === '') return false
  if (` ${have} `.includes(` ${want} `) || ` ${want} `.includes(` ${have} `)) return true
  const [ours, theirs] = [have.split(' '), new Set(want.split(' '))]
  const shared = ours.filter((word) => theirs.has(word)).length
  return (2 * shared) / (ours.length + theirs.size) >= SHARED_MIN
}

/** Lines of figures: each fact over all pages where it is marked, how often none is read where none is marked, and titles by type of page. */
export function metadataLines(rows: readonly MetadataRow[], worst: number): string[] {
  const share = (some: readonly MetadataRow[], is: (row: MetadataRow) => boolean) =>
    `${(some.filter(is).length / Math.max(1, some.length)).toFixed(3)} of ${some.length}`
  const lines = FIELDS.flatMap((field) => {
    const all = rows.filter((row) => row.field === field)
    const [told, untold] = [all.filter((row) => row.marked !== null), all.filter((row) => row.marked === null)]
    const figures = `same ${share(told, (row) => row.same)}  alike ${share(told, (row) => row.alike)}`
    return [`${field.padEnd(7)} ${figures}  none where none is marked ${share(untold, (row) => row.read === null)}`]
  })
  for (const type of [...new Set(rows.map((row) => row.type))].toSorted()) {
    const titles = rows.filter((row) => row.field === 'title' && row.type === type)
    lines.push(
      `title of ${type.padEnd(13)} same ${share(titles, (row) => row.same)}  alike ${share(titles, (row) => row.alike)}`,
    )
  }
  const misses = rows.filter((row) => row.marked !== null && !row.alike)
  const listed = FIELDS.flatMap((field) => misses.filter((row) => row.field === field).slice(0, worst))
  return [
    ...lines,
    ...listed.map((row) => `${row.field} ${row.type} ${row.file}\n  marked ${row.marked}\n  read   ${row.read}`),
  ]
}
