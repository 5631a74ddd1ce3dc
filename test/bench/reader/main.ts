// `npm run bench:reader -- --pages DIR`: how much of known articles the reader gets, and how fast it is beside other readers.
// Measures score.ts: F1 of shingles of four words (Latin and the like: runs of letters and digits; Chinese and Japanese: characters),
// page by page, then the mean. Expected and read text come from HTML by one rule. Exit 0 whatever the numbers are.
// `-- --metadata DIR`: titles, authors and days of pages that people marked (`truth.jsonl.gz`, `html/`); metadata.ts says when two are the same.
// `npm run bench:reader -- --speed --data DIR`: how fast it is on marked pages, one in 16 of them.
// `npm run bench:reader -- --folds 5 --data DIR --python PATH`: how well it reads marked pages of domains that it did not learn from.
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { FIELDS, mean, measure, type PageResult } from './accuracy.ts'
import { crossValidate, type FoldOptions } from './folds.ts'
import { measureHostile } from './hostile.ts'
import { measureMetadata, metadataLines } from './metadata.ts'
import { loadPages } from './pages.ts'
import { GROUPS, markedPages } from './train/pages.ts'
import { type Html, measureSpeed, type Percentiles, SHORT_CHARS } from './speed.ts'

const ROUNDS = 7
const HOSTILE_ROUNDS = 3
const WORST = 15
/** One marked page in so many, for --speed. */
const SAMPLE_STEP = 16

const command = new Command('bench:reader')
  .addOption(new Option('--pages <dir>', 'folder of pages with known answers'))
  .addOption(new Option('--metadata <dir>', 'folder of pages whose title, author and day are marked'))
  .addOption(
    new Option('--folds <n>', 'learn anew by folds of domains, and read what was not learned from').choices([
      String(GROUPS),
    ]),
  )
  .addOption(new Option('--speed', 'how fast marked pages are read'))
  .addOption(new Option('--data <dir>', 'folder of marked pages, for --folds and --speed').default('../shared/data'))
  .addOption(new Option('--work <dir>', 'what is kept between runs of --folds').default(join(tmpdir(), 'reader-folds')))
  .addOption(new Option('--python <path>', 'Python with lightgbm, numpy and scipy, for --folds').default('python3'))
  .addOption(new Option('--rounds <n>', 'rounds of the speed test; 0: none').argParser(numberOf).default(ROUNDS))
  .addOption(new Option('--worst <n>', 'worst pages to list').argParser(numberOf).default(WORST))
  .parse()
interface Options extends FoldOptions {
  pages?: string
  metadata?: string
  folds?: string
  speed?: true
  rounds: number
  worst: number
}

const options = command.opts<Options>()

if (options.metadata !== undefined) metadataLines(measureMetadata(options.metadata), options.worst).forEach(say)
else if (options.folds !== undefined) reportFolds()
else if (options.speed) reportSpeed(markedSample(options.data), options.rounds)
else if (options.pages === undefined) command.error('--pages DIR, --metadata DIR, --speed or --folds N is needed')
else reportPages(options.pages)

function reportFolds(): void {
  try {
    const python = options.python.includes('/') ? resolve(options.python) : options.python
    crossValidate({ data: resolve(options.data), work: resolve(options.work), python }, say)
  } catch (error) {
    command.error(error instanceof Error ? error.message : String(error))
  }
}

function markedSample(data: string): Html[] {
  const sets = (['wcxb', 'annotated'] as const).flatMap((set) => [...markedPages(resolve(data), set)])
  return sets.filter((_, index) => index % SAMPLE_STEP === 0)
}

function reportPages(folder: string): void {
  const pages = loadPages(folder)
  if (pages.length === 0) command.error(`${folder}: no folder in it holds a source.html`)
  reportAccuracy(pages.map(measure))
  if (options.rounds > 0) reportSpeed(pages, options.rounds)
}

function reportAccuracy(results: readonly PageResult[]): void {
  const share = (values: readonly number[]) => mean(values).toFixed(4)
  say(`pages ${results.length}`)
  say(
    `F1 ${share(results.map((r) => r.f1))}  precision ${share(results.map((r) => r.precision))}  recall ${share(results.map((r) => r.recall))}`,
  )
  say(`F1 of Readability + linkedom ${share(results.map((r) => r.theirs))}`)
  for (const field of FIELDS) {
    const told = results.flatMap(({ hits }) => (hits[field] === undefined ? [] : [hits[field]]))
    say(`${field} ${told.filter(Boolean).length} of ${told.length}`)
  }
  const shares = results.map((r) => r.tokenShare).toSorted((a, b) => a - b)
  say(
    `tokens of Markdown / HTML: median ${percent(shares[Math.floor(shares.length / 2)] ?? 0)}, most ${percent(shares.at(-1) ?? 0)}`,
  )
  say(`\nworst pages             F1     precision recall  theirs  confidence`)
  for (const r of results.toSorted((a, b) => a.f1 - b.f1).slice(0, options.worst)) {
    const numbers = [r.f1, r.precision, r.recall, r.theirs, r.confidence].map((value) => value.toFixed(3).padEnd(8))
    say(`${r.name.slice(0, 22).padEnd(23)} ${numbers.join(' ')}`)
  }
}

function reportSpeed(known: readonly Html[], rounds: number): void {
  const { oursMs, readabilityMs, tokensMs, all, long } = measureSpeed(known, rounds)
  say(`\nspeed, medians of ${rounds} rounds`)
  say(
    `yaa ${oursMs.toFixed(0)} ms · Readability + linkedom ${readabilityMs.toFixed(0)} ms · bare tokenising ${tokensMs.toFixed(0)} ms`,
  )
  say(`times as fast as Readability + linkedom: ${(readabilityMs / oursMs).toFixed(2)} (wanted ≥ 7)`)
  say(`share of the speed of bare tokenising: ${(tokensMs / oursMs).toFixed(2)} (wanted ≥ 0.50)`)
  say(`a page / its bare tokenising, all: ${ratios(all)} (wanted p95 ≤ 3)`)
  say(`a page / its bare tokenising, from ${SHORT_CHARS} characters: ${ratios(long)}`)
  say('\nhostile pages            characters      ms   growth (1: linear, 8: quadratic)')
  for (const { name, chars, ms, growth } of measureHostile(HOSTILE_ROUNDS)) {
    say(`${name.padEnd(24)} ${String(chars).padEnd(12)} ${ms.toFixed(0).padStart(5)}   ${growth.toFixed(2)}`)
  }
}

function ratios({ pages: count, p50, p95 }: Percentiles): string {
  return `p50 ${p50.toFixed(2)}, p95 ${p95.toFixed(2)} of ${count} pages`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function numberOf(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 0) return number
  throw new InvalidArgumentError('a whole number was expected.')
}

function say(line: string): void {
  console.log(line)
}
