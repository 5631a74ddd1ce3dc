import { readHtml } from '../../../src/reader/read-page.ts'
import { readability, tokenize } from './other-readers.ts'

/** Pages shorter than this are over in microseconds. */
export const SHORT_CHARS = 5_000
/** A page is read so often in a row that about so many characters are behind one reading of the clock. */
const TIMED_CHARS = 400_000

/** A page to be read. */
export interface Html {
  html: string
}

export interface Speed {
  /** Medians over the rounds of the time for all pages, in ms. */
  oursMs: number
  readabilityMs: number
  tokensMs: number
  /** Our time over bare tokenising, page by page, each at its fastest: the 50th and 95th of a hundred, of all and of those that
   *  are not short. */
  all: Percentiles
  long: Percentiles
}

export interface Percentiles {
  pages: number
  p50: number
  p95: number
}

type Run = (html: string) => unknown

/** All three in turns, round by round, so that what else the machine does falls on each. */
export function measureSpeed(pages: readonly Html[], rounds: number): Speed {
  const ours: Run = (html) => readHtml(html, 'https://site.example/page')
  for (const run of [ours, tokenize, readability]) for (const { html } of pages) run(html)
  const times = { ours: [] as number[][], tokens: [] as number[][], readability: [] as number[][] }
  for (let round = 0; round < rounds; round += 1) {
    times.tokens.push(timesOf(tokenize, pages, inARow))
    times.ours.push(timesOf(ours, pages, inARow))
    times.readability.push(timesOf(readability, pages, () => 1))
  }
  const ratios = pages.map((page, index) => ({
    chars: page.html.length,
    ratio:
      Math.min(...times.ours.map((round) => round[index] ?? 0)) /
      Math.min(...times.tokens.map((round) => round[index] ?? 0)),
  }))
  return {
    oursMs: median(times.ours.map(sum)),
    readabilityMs: median(times.readability.map(sum)),
    tokensMs: median(times.tokens.map(sum)),
    all: percentiles(ratios.map(({ ratio }) => ratio)),
    long: percentiles(ratios.filter(({ chars }) => chars >= SHORT_CHARS).map(({ ratio }) => ratio)),
  }
}

/** What another reader left behind is cleared away first (with `--expose-gc`, as the script has it). */
function timesOf(run: Run, pages: readonly Html[], countOf: (html: string) => number): number[] {
  globalThis.gc?.()
  return pages.map(({ html }) => {
    const count = countOf(html)
    const start = performance.now()
    for (let time = 0; time < count; time += 1) run(html)
    return (performance.now() - start) / count
  })
}

function inARow(html: string): number {
  return Math.max(1, Math.round(TIMED_CHARS / html.length))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export function median(values: readonly number[]): number {
  return at(values, 0.5)
}

function percentiles(values: readonly number[]): Percentiles {
  return { pages: values.length, p50: at(values, 0.5), p95: at(values, 0.95) }
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
