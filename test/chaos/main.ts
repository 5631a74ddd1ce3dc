// `npm run chaos -- --kills 200 --seed N [--sessions N] [--look-after-ms N] [--pace N] [--logs FOLDER] [--verbose]`: exit 0 when every claim
// holds, 1 when one does not. `--pace`: for a slow machine, on which the server would be killed before it does anything. `--logs`: where the exports of sessions that break a claim are kept.
import { parseArgs } from 'node:util'
import { type ChaosReport, runChaos } from './run.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    sessions: { type: 'string', default: '12' },
    'look-after-ms': { type: 'string', default: '600000' },
    pace: { type: 'string', default: '1' },
    logs: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const numbers = {
  kills: Number(values.kills),
  seed: Number(values.seed),
  sessions: Number(values.sessions),
  lookAfterMs: Number(values['look-after-ms']),
  pace: Number(values.pace),
}
const wrong = Object.entries(numbers).find(
  ([name, value]) => !Number.isInteger(value) || value < (name === 'sessions' || name === 'pace' ? 1 : 0),
)
if (wrong) {
  console.error(`--${wrong[0]}: expected a whole number`)
  process.exit(2)
}

console.log(`chaos: ${numbers.kills} kills, seed ${numbers.seed}, ${numbers.sessions} sessions at a time`)
const report = await runChaos({
  ...numbers,
  logsFolder: values.logs ?? null,
  verbose: values.verbose,
  tell: (line) => console.log(line),
})
print(report)
process.exit(report.violations.length > 0 ? 1 : 0)

function print({ sessions, counts, violations, ms }: ChaosReport): void {
  const seen = new Map<string, number>()
  for (const { session, claim, story } of violations) {
    const times = (seen.get(session) ?? 0) + 1
    seen.set(session, times)
    console.log(
      `\nVIOLATION in ${session} (seed ${numbers.seed}): ${claim.slice(0, values.verbose ? undefined : 2_000)}`,
    )
    if (times === 1) for (const line of story) console.log(`  ${line}`)
  }
  const width = Math.max(...[...counts.keys()].map((name) => name.length))
  console.log('')
  for (const [name, value] of [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    console.log(`  ${name.padEnd(width)} ${value}`)
  console.log(
    `chaos: ${numbers.kills} kills, ${sessions} sessions, ${violations.length} violations, ${(ms / 1_000).toFixed(1)} s (seed ${numbers.seed})`,
  )
}
