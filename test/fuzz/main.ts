// `npm run fuzz -- --requests 5000 --seed N`: exit 0 when every answer was sound, 1 when one was not.
import { parseArgs } from 'node:util'
import { runFuzz } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
if (!Number.isInteger(requests) || requests < 1 || !Number.isInteger(seed)) {
  console.error('--requests and --seed: expected whole numbers')
  process.exit(2)
}
console.log(`fuzz: ${requests} requests, seed ${seed}`)
const report = await runFuzz({ requests, seed, tell: (line) => console.log(line) })
for (const violation of report.violations) console.log(`VIOLATION ${violation}`)
const { mib, ratio } = report.memory
console.log(`answers: ${JSON.stringify(report.statuses)}`)
console.log(`memory: ${mib.join(' ')} MiB after each tenth, the end over the half ${ratio}`)
console.log(`fuzz: ${requests} requests, ${report.violations.length} violations, ${Math.round(report.ms / 1_000)} s`)
process.exit(report.violations.length > 0 ? 1 : 0)
