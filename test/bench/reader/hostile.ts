import { readHtml } from '../../../src/reader/read-page.ts'

/** Pages made to cost more than their length, by the number of their parts. */
const HOSTILE: readonly [string, (parts: number) => string][] = [
  ['nested blocks', (n) => '<div>'.repeat(n)],
  ['nested and closed', (n) => `${'<div>'.repeat(n)}x${'</div>'.repeat(n)}`],
  ['nested inline tags', (n) => '<b>'.repeat(n)],
  ['everything unclosed', (n) => '<ul><li><table><tr><td><p><b>word '.repeat(n / 5)],
  ['end tags of nothing', (n) => `${'<b>'.repeat(200)}${'</i>'.repeat(n)}`],
  ['one line of text', (n) => `<p>${'word, '.repeat(n * 4)}`],
  ['one line of tags', (n) => '<a href=/x class=y>word</a> '.repeat(n)],
  ['attributes', (n) => `<a ${'b=c '.repeat(n * 2)}>x`],
  ['ampersands', (n) => '&'.repeat(n * 4)],
  ['cells that span', (n) => `<table>${'<tr><td colspan=1000>x'.repeat(n)}`],
]
const PARTS = 100_000

export interface Linearity {
  name: string
  chars: number
  ms: number
  /** Time of eight times the page over eight times the time of the page: 1 is linear, 8 quadratic. */
  growth: number
}

export function measureHostile(rounds: number): Linearity[] {
  return HOSTILE.map(([name, make]) => {
    const small = fastestMs(make(PARTS / 8), rounds)
    const html = make(PARTS)
    const ms = fastestMs(html, rounds)
    return { name, chars: html.length, ms, growth: ms / (8 * small) }
  })
}

function fastestMs(html: string, rounds: number): number {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now()
    readHtml(html, 'https://site.example/')
    return performance.now() - start
  })
  return Math.min(...times)
}
