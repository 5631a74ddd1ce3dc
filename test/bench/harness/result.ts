import { median, type Block, type Pair } from './rounds.ts'

/** One line of the table: a ratio, or a count. */
export type Result = Ratio | Count

export interface Ratio {
  name: string
  /** What was measured, with its unit, of us and of what we are compared to. */
  ours: string
  floor: string
  ratio: number
  /** Lowest and highest ratio of a round; null: it was measured once. */
  spread: [number, number] | null
  /** What the ratio is to be at most. */
  goal: number
}

export interface Count {
  name: string
  count: number
  /** What it is to be at most; null: nobody has said. */
  goal: number | null
}

/** One benchmark; its name is what `--only` takes. */
export interface Case {
  name: string
  run: (rounds: number) => Promise<Result[]>
}

/** The median of the rounds' ratios, beside the medians of both sides. */
export function resultOf(
  name: string,
  goal: number,
  pairs: readonly Pair[],
  of: (block: Block) => number,
  show: (value: number) => string = ms,
): Result {
  const ratios = pairs.map(({ ours, floor }) => of(ours) / of(floor)).toSorted((a, b) => a - b)
  return {
    name,
    ours: show(median(pairs.map(({ ours }) => of(ours)))),
    floor: show(median(pairs.map(({ floor }) => of(floor)))),
    ratio: median(ratios),
    spread: [ratios[0] ?? NaN, ratios.at(-1) ?? NaN],
    goal,
  }
}

export const ms = (value: number) => `${value.toFixed(2)} ms`

/** A table in plain text, columns aligned. */
export function table(results: readonly Result[]): string {
  const head = ['name', 'ours', 'floor', 'ratio', 'rounds', 'goal', '']
  const rows = [head, ...results.map(rowOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function rowOf(result: Result): string[] {
  const { name, goal } = result
  if ('count' in result) return [name, String(result.count), '', '', '', ...verdict(result.count, goal)]
  const { ours, floor, ratio, spread } = result
  const rounds = spread === null ? '' : spread.map((value) => value.toFixed(2)).join('–')
  return [name, ours, floor, ratio.toFixed(2), rounds, ...verdict(ratio, goal)]
}

function verdict(value: number, goal: number | null): [string, string] {
  if (goal === null) return ['', '']
  return [`≤ ${goal}`, value <= goal ? 'ok' : 'over']
}
