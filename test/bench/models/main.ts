// `npm run bench:models -- --url URL --model NAME`: what becomes of 60 tasks with a model of an OpenAI-compatible service, and what the
// same model says to the bare questions. The server is the product's own in bare workerd; `--release DIR` drives that of another
// checkout, by the same HTTP. Pages that tasks read are served here. A person approves every call and answers each question of the
// agent with "do as you think best". Exit 0 whatever the numbers are; 1 when something broke.
//
// tasks/ a file a kind · check.ts what is right · product.ts the server by HTTP · outcome.ts one task · report.ts the table
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { bundleWorker } from '../../../src/build/bundle.ts'
import { PROTOCOLS } from '../../../src/domain/model.ts'
import { SERVE } from '../harness/sides.ts'
import { startWorkerd, type Workerd } from '../harness/workerd.ts'
import { bareAnswer, outcomeOf, type Outcome, type Service } from './outcome.ts'
import { startPages } from './pages.ts'
import { Product } from './product.ts'
import { goalsOf, tableOf } from './report.ts'
import { chosenTasks, loadTasks, type ModelTask } from './task.ts'

interface Flags {
  url: string
  model: string
  key?: string
  only?: string
  language?: string
  protocol: string
  temperature: number
  maxTokens: number
  contextTokens: number
  patience: number
  release?: string
  keep?: string
}

const program = new Command('bench:models')
  .requiredOption('--url <url>', 'base of the service, before /chat/completions')
  .requiredOption('--model <name>', 'its model')
  .option('--key <key>', 'its key')
  .option('--only <names>', 'kinds, and tasks as KIND/NAME, with commas between')
  .addOption(new Option('--language <tag>', 'tasks in one language').choices(['en', 'zh-CN']))
  .addOption(new Option('--protocol <name>', 'how the model calls tools').choices(PROTOCOLS).default('auto'))
  .addOption(new Option('--temperature <n>', 'of every call').argParser(numberOf).default(0))
  .addOption(new Option('--max-tokens <n>', 'of a reply').argParser(numberOf).default(512))
  .addOption(new Option('--context-tokens <n>', "the model's window").argParser(numberOf).default(8192))
  .addOption(new Option('--patience <seconds>', 'how long a task is waited for').argParser(numberOf).default(1_200))
  .option('--release <dir>', 'a checkout of another release, which is driven instead of this one')
  .option('--keep <dir>', 'where each log and outcome is written, as JSON')
  .parse()
const flags = program.opts<Flags>()
const tasks = tasksIn(flags).filter(({ language }) => language === (flags.language ?? language))

const service: Service = {
  url: flags.url.replace(/\/+$/, ''),
  model: flags.model,
  key: flags.key ?? null,
  temperature: flags.temperature,
  maxTokens: flags.maxTokens,
}
// What was started ends with this process, also where a signal ends it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const pages = await startPages(tasks)
const workerd = await startProduct()
try {
  await measure(tasks)
} finally {
  await workerd.stop()
  await pages.close()
}

async function measure(chosen: readonly ModelTask[]): Promise<void> {
  const isKept = flags.keep !== undefined
  const patienceMs = flags.patience * 1_000
  const product = new Product({ url: workerd.url, pagesUrl: pages.url, patienceMs, isKept })
  const outcomes: Outcome[] = []
  for (const task of chosen) {
    const outcome = await outcomeIn(product, task)
    outcomes.push(outcome)
    const { kind, name, status, endedBy, calls, tokens, ms } = outcome
    const verdict = `${outcome.isRight ? 'right' : 'wrong'}, alone ${outcome.isBareRight ? 'right' : 'wrong'}`
    const how = endedBy ?? outcome.finishReason ?? ''
    console.error(
      `${kind}/${name}: ${status} ${how}, ${verdict}, ${calls} calls, ${tokens} tokens, ${ms.toFixed(0)} ms`,
    )
  }
  keep('outcomes', JSON.stringify(outcomes, null, 2))
  console.log(
    `${flags.model}, protocol ${flags.protocol}, ${outcomes.length} tasks, ${flags.language ?? 'both languages'}`,
  )
  console.log(tableOf(outcomes))
  console.log(goalsOf(outcomes, product.serverErrors))
}

async function outcomeIn(product: Product, task: ModelTask): Promise<Outcome> {
  const ended = await product.run(task).catch((error: unknown) => {
    console.error(`${task.kind}/${task.name}: ${error instanceof Error ? error.message : String(error)}`)
    return null
  })
  if (ended?.exported) keep(`${task.kind}-${task.name}`, ended.exported)
  return outcomeOf(task, ended, await bareAnswer(service, task, pages.url))
}

function tasksIn({ only }: Flags): ModelTask[] {
  if (only === undefined) return loadTasks()
  const chosen = chosenTasks(loadTasks(), only)
  return chosen ?? program.error(`--only ${only}: a name in it is neither a kind nor a KIND/NAME`)
}

async function startProduct(): Promise<Workerd> {
  const { protocol, contextTokens, release } = flags
  const { url, model, key, temperature, maxTokens } = service
  const spec = { api_url: url, model, protocol, temperature, max_tokens: maxTokens, context_tokens: contextTokens }
  const config = {
    models: { bench: { ...spec, ...(key === null ? {} : { api_key_env: 'BENCH_KEY' }) } },
    default_model: 'bench',
    web: { allow_private_hosts: [pages.host] },
  }
  const folder = release === undefined ? null : resolve(release)
  return startWorkerd({
    config: folder === null ? SERVE : join(folder, 'src/cli/serve/config.capnp'),
    bundle: await bundleWorker(folder === null ? undefined : join(folder, 'src/index.ts')),
    env: {
      YAA_CONFIG: JSON.stringify(config),
      YAA_SECRETS: JSON.stringify(key === null ? {} : { BENCH_KEY: key }),
    },
  })
}

function keep(name: string, text: string): void {
  if (flags.keep === undefined) return
  mkdirSync(flags.keep, { recursive: true })
  writeFileSync(join(flags.keep, `${name}.json`), text)
}

function numberOf(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number
  throw new InvalidArgumentError('a number was expected.')
}
