// `npm run bench [-- --only NAME --rounds N]`: what we cost. Exit 0 whatever it is; 1 when something broke.
//
// Most lines are ratios: the same work is done in turn (A B B A …) by us and by something that we are compared to, and the median of the
// rounds' ratios counts, so that a slow machine slows both. `run` and `first-word` compare us to the fixed floor (floor/worker.ts), the
// least that a run of an agent takes on the platform; both run in bare workerd, with one model for both that takes no time of its own.
// A run is a task in a new session, four calls of the model, three of a tool that does nothing outside of the session (`list_files`), and
// an answer of 50 tokens. The other cases compare us to ourselves or to a limit; what is called `floor` is said in the name.
// Objects are kept on the disk of the temporary folder, whose time is in both sides; `TMPDIR=/dev/shm` leaves it out.
// `cost` counts what one run does. Counts are the same on every machine, so a test holds them (test/e2e/run-cost.test.ts).
//
// `workflow` compares 100 declared steps to 100 of an agent, and a list of 1,000 to one of 100; `waiting` has what sessions take that wait.
// `door` has what each door adds to a run, and what the look-up of a history does; `footprint` has memory and disk of sessions, `far` what a round trip to the tenant's objects costs, `tenant` how many runs a second they can
// be told of, `import` big documents.
//
// cases/ a file each · harness/ servers, the model (script.ts), rounds, the table · floor/ cost/ far/ hono/ memory/ tenant/ what workerd runs
import { Command, InvalidArgumentError, Option } from 'commander'
import { access } from './cases/access.ts'
import { bundle } from './cases/bundle.ts'
import { consoleStream } from './cases/console.ts'
import { cost } from './cases/cost.ts'
import { door } from './cases/door.ts'
import { far } from './cases/far.ts'
import { firstWord } from './cases/first-word.ts'
import { footprint } from './cases/footprint.ts'
import { bigImport } from './cases/import.ts'
import { longSession } from './cases/long-session.ts'
import { memory } from './cases/memory.ts'
import { planTokens } from './cases/plan-tokens.ts'
import { relevance } from './cases/relevance.ts'
import { run } from './cases/run.ts'
import { skill } from './cases/skill.ts'
import { startup } from './cases/startup.ts'
import { team } from './cases/team.ts'
import { tenant } from './cases/tenant.ts'
import { waiting } from './cases/waiting.ts'
import { wake } from './cases/wake.ts'
import { workflow } from './cases/workflow.ts'
import { table } from './harness/result.ts'

const CASES = [
  run,
  firstWord,
  cost,
  door,
  far,
  footprint,
  access,
  longSession,
  bigImport,
  memory,
  skill,
  team,
  workflow,
  waiting,
  tenant,
  planTokens,
  startup,
  wake,
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
