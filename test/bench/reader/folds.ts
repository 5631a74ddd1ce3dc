import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, URL } from 'node:url'
import { createModel, type Model } from '../../../src/reader/learned.ts'
import { mean } from './accuracy.ts'
import { addPage, type Figures, noFigures } from './marked.ts'
import { groupOf, GROUPS, markedPages } from './train/pages.ts'

const TRAIN = fileURLToPath(new URL('train/', import.meta.url))

export interface FoldOptions {
  /** The folder with `pages-wcxb` and `pages-annotated`. */
  data: string
  /** Where tables and models are kept between runs. */
  work: string
  /** A Python with lightgbm, numpy and scipy. */
  python: string
}

/** Learn anew without the domains of each fold, read those with what was learned, and print that beside the shipped model's figures. */
export function crossValidate(options: FoldOptions, say: (line: string) => void): void {
  const lack = whatIsMissing(options)
  if (lack !== null) throw new Error(lack)
  learn(options)
  const models = Array.from({ length: GROUPS }, (_, fold) => modelOf(join(options.work, `model-${fold}.json`)))
  const [unseen, shipped] = [noFigures(), noFigures()]
  for (const set of ['wcxb', 'annotated'] as const) {
    for (const page of markedPages(options.data, set)) {
      addPage(unseen, page, models[groupOf(page.domain)])
      addPage(shipped, page)
    }
  }
  report(unseen, shipped, say)
}

function whatIsMissing({ data, python }: FoldOptions): string | null {
  if (!existsSync(join(data, 'pages-wcxb')))
    return `${data}: no pages-wcxb in it; say with --data where the marked pages are`
  try {
    execFileSync(python, ['-c', 'import lightgbm, numpy, scipy'], { stdio: 'ignore' })
    return null
  } catch {
    return `${python}: no Python with lightgbm, numpy and scipy; test/bench/reader/train/README.md says how to make one (--python)`
  }
}

/** The steps of test/bench/reader/train/README.md: one core, some minutes. */
function learn({ data, work, python }: FoldOptions): void {
  mkdirSync(work, { recursive: true })
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' }
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: TRAIN, env, stdio: ['ignore', 'inherit', 'inherit'] })
  run(process.execPath, ['dump.ts', 'tokens', data, work])
  run(python, ['-B', 'lexicons.py', work])
  run(process.execPath, ['dump.ts', 'features', data, work])
  run(python, ['-B', 'train.py', work])
}

function modelOf(path: string): Model {
  return createModel(JSON.parse(readFileSync(path, 'utf8')))
}

function report(unseen: Figures, shipped: Figures, say: (line: string) => void): void {
  const line = (name: string, pages: number, one: number, other: number) =>
    say(`${name.padEnd(20)} ${String(pages).padStart(5)}   ${one.toFixed(3)}            ${other.toFixed(3)}`)
  say('F1                   pages   cross-validated  in-sample')
  for (const type of [...unseen.byType.keys()].toSorted()) {
    const scores = unseen.byType.get(type) ?? []
    line(`wcxb ${type}`, scores.length, mean(scores), mean(shipped.byType.get(type) ?? []))
  }
  const all = [...unseen.byType.values()].flat()
  line('wcxb', all.length, mean(all), mean([...shipped.byType.values()].flat()))
  line('annotated (passages)', unseen.passages.found + unseen.passages.missed, passagesF1(unseen), passagesF1(shipped))
}

function passagesF1({ passages: { found, missed, wrong } }: Figures): number {
  return (2 * found) / Math.max(1, 2 * found + missed + wrong)
}
