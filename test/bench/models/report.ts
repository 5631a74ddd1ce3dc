import { KINDS } from './task.ts'
import type { Outcome } from './outcome.ts'

const HEAD = [
  'kind',
  'tasks',
  'completed',
  'own words',
  'right',
  'bare right',
  'calls',
  'tokens',
  'finish',
  'reply',
  'loops',
  'failed',
  'waiting',
  'wedged',
]

/** A row a kind and one for all; calls and tokens are of all tasks of the row together. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const kinds = KINDS.filter((kind) => outcomes.some((one) => one.kind === kind))
  const rows = [
    HEAD,
    ...kinds.map((kind) =>
      rowOf(
        kind,
        outcomes.filter((one) => one.kind === kind),
      ),
    ),
    rowOf('all', outcomes),
  ]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ')).join('\n')
}

function rowOf(name: string, outcomes: readonly Outcome[]): string[] {
  const many = (is: (one: Outcome) => boolean) => outcomes.filter(is).length
  const sum = (of: (one: Outcome) => number) => outcomes.reduce((all, one) => all + of(one), 0)
  return [
    outcomes.length,
    many((one) => one.isCompleted),
    many((one) => one.hasOwnWords),
    many((one) => one.isRight),
    many((one) => one.isBareRight),
    sum((one) => one.calls),
    sum((one) => one.tokens),
    many((one) => one.endedBy === 'finish'),
    many((one) => one.endedBy === 'reply'),
    many((one) => one.isLoop),
    many((one) => one.status === 'failed'),
    many((one) => one.status === 'interrupted'),
    many((one) => one.status === 'wedged'),
  ].reduce<string[]>((row, count) => [...row, String(count)], [name])
}

/** What is wanted of any model, and whether it is so. */
export function goalsOf(outcomes: readonly Outcome[], serverErrors: number): string {
  const questions = outcomes.filter((one) => one.kind === 'questions')
  const atRest = outcomes.filter((one) => one.status !== 'wedged')
  const [right, bare] = [outcomes.filter((one) => one.isRight), outcomes.filter((one) => one.isBareRight)]
  const wedged = outcomes.length - atRest.length
  const completed = shareOf(atRest, (one) => one.isCompleted)
  const own = shareOf(questions, (one) => one.hasOwnWords)
  return [
    goal('wedged', String(wedged), '0', wedged === 0),
    goal('answers of 500 and above', String(serverErrors), '0', serverErrors === 0),
    goal('runs at rest completed', percent(completed), '≥ 90 %', completed >= 0.9),
    ...(questions.length > 0 ? [goal('questions completed in own words', percent(own), '≥ 95 %', own >= 0.95)] : []),
    goal('right, beside the model alone', String(right.length), `≥ ${bare.length}`, right.length >= bare.length),
  ].join('\n')
}

const goal = (name: string, value: string, wanted: string, isMet: boolean) =>
  `${name}: ${value} (wanted ${wanted}) ${isMet ? 'ok' : 'missed'}`

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

function shareOf(outcomes: readonly Outcome[], is: (one: Outcome) => boolean): number {
  return outcomes.length === 0 ? 1 : outcomes.filter(is).length / outcomes.length
}
