// `npm run bench [-- --only NAME --rounds N]`: our cost as ratios to what the platform itself costs, measured side by side.
// Exit 0 whatever the ratios are; 1 when something broke.
import { Command, InvalidArgumentError, Option } from 'commander'
import { access } from './cases/access.ts'
import { bundle } from './cases/bundle.ts'
import { consoleStream } from './cases/console.ts'
import { firstToken } from './cases/first-token.ts'
import { longSession } from './cases/long-session.ts'
import { memory } from './cases/memory.ts'
import { planTokens } from './cases/plan-tokens.ts'
import { relevance } from './cases/relevance.ts'
import { run } from './cases/run.ts'
import { skill } from './cases/skill.ts'
import { startup } from './cases/startup.ts'
import { team } from './cases/team.ts'
import { table } from './harness/result.ts'

const CASES = [
  run,
  access,
  firstToken,
  longSession,
  memory,
  skill,
  team,
  planTokens,
  startup,
  bundle,
  relevance,
  consoleStream,
]
const ROUNDS = 12

const command = new Command('bench')
  .addOption(new Option('--only <name>', 'one benchmark').choices(CASES.map(({ name }) => name)))
  .addOption(new Option('--rounds <n>', 'rounds of each').argParser(roundsOf).default(ROUNDS))
  .parse()
const { only, rounds } = command.opts<{ only?: string; rounds: number }>()

function roundsOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1) return count
  throw new InvalidArgumentError('a whole number from 1 was expected.')
}

const results = []
for (const one of CASES) {
  if (only !== undefined && one.name !== only) continue
  console.error(`${one.name} …`)
  results.push(...(await one.run(rounds)))
}
console.log(table(results))
