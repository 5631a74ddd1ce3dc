import { randomUUID } from 'node:crypto'
import { fileURLToPath, URL } from 'node:url'
import * as z from 'zod'
import { bundleWorker } from '../../../src/build/bundle.ts'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { type MockModel, startMockModel } from '../../../src/cli/mock-model/server.ts'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import { DOORS, OWN, type TaskSender } from '../harness/door-requests.ts'
import { ask } from '../harness/request.ts'
import { SERVE } from '../harness/sides.ts'
import { startWorkerd, type Workerd } from '../harness/workerd.ts'

/** What one run costs, by name; what is not named costs nothing. */
export type RunCost = Record<string, number>

const TASK = 'Look into three folders and tell what is there'
const look = (folder: number): StepInput => ({
  tool_calls: [{ name: 'list_files', arguments: { path: `folder-${folder}` } }],
})
const finish: StepInput = { tool_calls: [{ name: 'finish', arguments: { reason: 'They are empty.' } }] }
const SCRIPT = [look(1), look(2), look(3), finish]
const WORD = 'Say one word'
const word: StepInput = { when: { contains: WORD }, content: 'Word', repeat: true }

/** After so many looks in a row that saw nothing new, nothing more is awaited. */
const LOOKS = 20

const sums = z.record(z.string(), z.number())
const counted = z.object({
  rows: sums,
  transactions: sums,
  statements: sums,
  hashes: z.number(),
  macs: z.number(),
  calls: sums,
  alarms: sums,
  lines: z.number(),
  errors: z.array(z.string()),
  underWay: z.number(),
})
type Counted = z.infer<typeof counted>
const ended = z.looseObject({
  status: z.literal('completed'),
  last_seq: z.number(),
  usage: z.looseObject({ model_calls: z.literal(SCRIPT.length) }),
})
const flowEnded = z.looseObject({ status: z.literal('completed') })
const STEPS = { few: 10, many: 20 }
const STEP = {
  tool: (index: number) => ({ tool: 'list_files', arguments: { path: `folder-${index}` } }),
  agent: (index: number) => ({ prompt: index === 0 ? WORD : `${WORD} {{ steps.step${index - 1}.output }}` }),
}
const made = z.looseObject({ id: z.string() })
const prompt = z.object({ messages: z.unknown(), tools: z.unknown() })

/** Our server, which counts what it does for a run: a task in a new session, three calls of a tool without effects, an answer. */
export class CountingServer {
  readonly #model: MockModel
  readonly #workerd: Workerd

  private constructor(model: MockModel, workerd: Workerd) {
    this.#model = model
    this.#workerd = workerd
  }

  /** `more`: of its config. */
  static async start(more: Partial<ServerConfig> = {}): Promise<CountingServer> {
    const model = await startMockModel({ script: { steps: [word, ...SCRIPT], loop: true } })
    const models = { scripted: { api_url: model.url, model: 'scripted' } }
    const workerd = await startWorkerd({
      config: SERVE,
      bundle: await bundleWorker(fileURLToPath(new URL('worker.ts', import.meta.url))),
      env: { YAA_CONFIG: JSON.stringify({ models, default_model: 'scripted', ...more }) },
    })
    return new CountingServer(model, workerd)
  }

  async stop(): Promise<void> {
    await this.#workerd.stop()
    await this.#model.close()
  }

  /** Of a run whose tenant and isolate had others before. */
  async runCost(): Promise<RunCost> {
    const [first = NaN, ...later] = await this.#promptTokens('en')
    const [firstChinese = NaN] = await this.#promptTokens('zh-CN')
    await this.#countAfresh()
    const { last_seq: events } = await this.#run('en')
    const { rows, transactions, statements, calls, lines } = await this.#whenOver()
    await this.#countAfresh()
    await this.#keyedRun()
    const { calls: keyed } = await this.#whenOver()
    return {
      events,
      ...named('rows of', rows),
      ...named('transactions of', transactions),
      ...named('statements of', statements),
      ...named('calls of', calls),
      ...named('calls of a keyed request of', difference(keyed, calls)),
      'log lines': lines,
      'prompt tokens, first request': first,
      'prompt tokens, first request in Chinese': firstChinese,
      'prompt tokens, all requests': later.reduce((sum, tokens) => sum + tokens, first),
    }
  }

  /** What a door adds to what the same task costs by our own API, in a session that is there. */
  async doorCost(door: keyof typeof DOORS, streamed: boolean): Promise<RunCost> {
    const [own, through] = [await this.#taskCost(OWN, streamed), await this.#taskCost(DOORS[door], streamed)]
    const added = Object.entries(difference(through, own))
    // The counters of all runs are written now and then.
    return Object.fromEntries(added.filter(([name]) => !name.includes('METRICS')))
  }

  async #taskCost(send: TaskSender, streamed: boolean): Promise<RunCost> {
    const { url } = this.#workerd
    const run = async () => {
      const { id } = made.parse(JSON.parse((await ask(`${url}/v1/sessions`, { body: {} })).text))
      await this.#countAfresh()
      const { path, ...asked } = send(id, TASK, streamed)
      await ask(`${url}${path}`, asked)
    }
    // A door is loaded by its first request.
    await run()
    await run()
    const { rows, transactions, statements, calls, hashes, macs, lines } = await this.#whenOver()
    return {
      ...named('rows of', rows),
      ...named('transactions of', transactions),
      ...named('statements of', statements),
      ...named('calls of', calls),
      hashes,
      macs,
      'log lines': lines,
    }
  }

  /** What one more step of a workflow costs, whose steps are all of one kind: a call of a tool without a model, or a call of a model. */
  async stepCost(kind: keyof typeof STEP): Promise<RunCost> {
    const [few, many] = [await this.#flowCost(kind, STEPS.few), await this.#flowCost(kind, STEPS.many)]
    const more = Object.entries(many).map(
      ([name, count]) => [name, (count - (few[name] ?? 0)) / (STEPS.many - STEPS.few)] as const,
    )
    return Object.fromEntries(more.filter(([, count]) => count > 0))
  }

  async #flowCost(kind: keyof typeof STEP, count: number): Promise<RunCost> {
    const steps = Array.from({ length: count }, (_, index) => ({
      id: `step${index}`,
      type: kind,
      ...STEP[kind](index),
    }))
    const name = `${kind}-${count}`
    await ask(`${this.#workerd.url}/v1/workflows/${name}`, { method: 'PUT', body: { description: 'Steps.', steps } })
    const run = async () => {
      const body = { task: TASK, config: { limits: { max_iterations: STEPS.many } } }
      const { text } = await ask(`${this.#workerd.url}/v1/workflows/${name}/run`, { body })
      return flowEnded.parse(JSON.parse(text))
    }
    await run()
    await this.#countAfresh()
    await run()
    const { rows, transactions, statements } = await this.#whenOver()
    return {
      ...named('rows of', rows),
      ...named('transactions of', transactions),
      ...named('statements of', statements),
    }
  }

  /** Resolves when a run, of a keyed request, is answered though these calls of the tenant's objects (`OBJECT.method`) are not. */
  async answerWithout(calls: readonly string[]): Promise<void> {
    await this.#hold(calls)
    await this.#keyedRun()
    await this.#letGo()
  }

  /** The same of a task in a session that is there already, and had one. Gives the text of the answer. */
  async answerTaskWithout(calls: readonly string[], accept: string): Promise<string> {
    const { id } = made.parse(JSON.parse((await ask(`${this.#workerd.url}/v1/sessions`, { body: {} })).text))
    const send = () => ask(`${this.#workerd.url}/v1/sessions/${id}/messages`, { body: { content: TASK }, accept })
    await send()
    await this.#hold(calls)
    const { text } = await send()
    await this.#letGo()
    return text
  }

  /** What begins the run that a request asks for, where no alarm of a session rings: the request itself, or an alarm that it left the run to. */
  async beginsRun(path: string, body: unknown, accept: string, headers = {}): Promise<'request' | 'alarm'> {
    await this.#hold(['SESSION.alarm'])
    await this.#control('DELETE', 'counts')
    let isAnswered = false
    const answered = ask(`${this.#workerd.url}${path}`, { body, accept, headers }).finally(() => (isAnswered = true))
    const isLeft = async () => {
      // eslint-disable-next-line no-unmodified-loop-condition -- the answer sets it
      while (!isAnswered) if (await this.#leftToAlarm()) return true
      return this.#leftToAlarm()
    }
    const begun = await isLeft()
    await this.#letGo()
    await answered
    return begun ? 'alarm' : 'request'
  }

  async #leftToAlarm(): Promise<boolean> {
    const { alarms } = counted.parse(JSON.parse(await this.#control('GET', 'counts')))
    return (alarms['SESSION'] ?? 0) > 0
  }

  /** Whether the answer to a keyed request that runs waits for such a call. */
  async waitsFor(call: string): Promise<boolean> {
    await this.#hold([call])
    const answered = this.#keyedRun().then(() => false)
    const waits = await Promise.race([answered, this.#whenQuiet().then(() => true)])
    await this.#letGo()
    await answered
    return waits
  }

  /** Those of the calls that a run makes. */
  async awaitedCalls(cost: RunCost): Promise<string[]> {
    const awaited: string[] = []
    for (const call of callsOf(cost)) if (await this.waitsFor(call)) awaited.push(call)
    return awaited
  }

  async #run(language: string, headers: Record<string, string> = {}) {
    const body = { task: TASK, config: { language } }
    const { text } = await ask(`${this.#workerd.url}/v1/sessions`, { body, headers })
    return ended.parse(JSON.parse(text))
  }

  #keyedRun() {
    return this.#run('en', { 'idempotency-key': randomUUID() })
  }

  /** Estimated tokens of each request to the model. */
  async #promptTokens(language: string): Promise<number[]> {
    const from = this.#model.requests.length
    await this.#run(language)
    return this.#model.requests.slice(from).map(({ body }) => estimateTokens(JSON.stringify(prompt.parse(body))))
  }

  async #countAfresh(): Promise<void> {
    await this.#whenOver()
    await this.#control('DELETE', 'counts')
  }

  async #hold(calls: readonly string[]): Promise<void> {
    await this.#whenOver()
    for (const call of calls) await this.#control('PUT', `held/${call}`)
  }

  async #letGo(): Promise<void> {
    await this.#control('DELETE', 'held')
  }

  /** What was counted, once nothing new is seen any more. */
  async #whenQuiet(): Promise<Counted> {
    let seen = ''
    for (let looks = 0; looks < LOOKS; looks++) {
      const text = await this.#control('GET', 'counts')
      if (text !== seen) looks = 0
      seen = text
    }
    return counted.parse(JSON.parse(seen))
  }

  /** The same, once what was begun is over too: a run calls its tenant's objects after its answer. */
  async #whenOver(): Promise<Counted> {
    for (;;) {
      const seen = await this.#whenQuiet()
      if (seen.errors.length > 0) throw new Error(`no errors were expected:\n${seen.errors.join('\n')}`)
      if (seen.underWay === 0) return seen
    }
  }

  async #control(method: 'GET' | 'PUT' | 'DELETE', path: string): Promise<string> {
    return (await ask(`${this.#workerd.url}/${path}`, { method })).text
  }
}

/** The calls of the tenant's objects that a cost names. */
export function callsOf(cost: RunCost): string[] {
  return Object.keys(cost).flatMap((name) => /^calls of .*?([A-Z]+\.\w+)$/.exec(name)?.[1] ?? [])
}

function named(what: string, counts: Record<string, number>): RunCost {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${what} ${name}`, count]))
}

function difference(counts: Record<string, number>, known: Record<string, number>): Record<string, number> {
  const more = Object.entries(counts).map(([name, count]) => [name, count - (known[name] ?? 0)] as const)
  return Object.fromEntries(more.filter(([, count]) => count !== 0))
}
