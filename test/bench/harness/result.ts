import { median, type Block, type Pair } from './rounds.ts'

/** One line of the table. */
export interface Result {
  name: string
  /** What was measured, with its unit, of us and of what we are compared to. */
  ours: string
  floor: string
  ratio: number
  /** Lowest and highest ratio of a round; null: it was measured once. */
  spread: [number, number] | null
  bound: number
}

/** One benchmark; its name is what `--only` takes. */
export interface Case {
  name: string
  run: (rounds: number) => Promise<Result[]>
}

/** The median of the rounds' ratios, beside the medians of both sides. */
export function resultOf(name: string, bound: number, pairs: readonly Pair[], of: (block: Block) => number): Result {
  const ratios = pairs.map(({ ours, floor }) => of(ours) / of(floor)).toSorted((a, b) => a - b)
  return {
    name,
    ours: ms(median(pairs.map(({ ours }) => of(ours)))),
    floor: ms(median(pairs.map(({ floor }) => of(floor)))),
    ratio: median(ratios),
    spread: [ratios[0] ?? NaN, ratios.at(-1) ?? NaN],
    bound,
  }
}

export const ms = (value: number) => `${value.toFixed(2)} ms`

/** A table in plain text, columns aligned. */
export function table(results: readonly Result[]): string {
  const head = ['name', 'ours', 'floor', 'ratio', 'rounds', 'bound', '']
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

function rowOf({ name, ours, floor, ratio, spread, bound }: Result): string[] {
  const rounds = spread === null ? '' : spread.map((value) => value.toFixed(2)).join('–')
  return [name, ours, floor, ratio.toFixed(2), rounds, `≤ ${bound}`, ratio <= bound ? 'ok' : 'over']
}
