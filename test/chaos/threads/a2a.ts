import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { OWN_TOOL } from '../plan.ts'
import type { Answer } from '../world.ts'
import { readFrames } from './frames.ts'
import { foundIn, Thread } from './thread.ts'

const part = z.looseObject({ text: z.string().optional(), data: z.unknown().optional() })
const status = z.looseObject({ state: z.string(), message: z.looseObject({ parts: z.array(part) }).optional() })
const artifact = z.looseObject({ artifactId: z.string(), parts: z.array(part) })
const task = z.looseObject({ id: z.string(), status, artifacts: z.array(artifact).default([]) })
const update = z.looseObject({
  task: task.optional(),
  statusUpdate: z.looseObject({ status }).optional(),
  artifactUpdate: z.looseObject({ artifact, append: z.boolean() }).optional(),
})
const answer = z.looseObject({ result: z.unknown().optional(), error: z.unknown().optional() })
const waiting = z.looseObject({ pending_id: z.string(), type: z.string(), arguments: z.unknown().optional() })
type Task = z.infer<typeof task>

const POLL_MS = 25
const RESTING = /^TASK_STATE_(COMPLETED|FAILED|CANCELED|INPUT_REQUIRED)$/

/** What became of a request: its task as it rests, or that it is to be asked for again, or that its run failed. */
type Told = Task | 'again' | 'over'

/** A client of A2A: its context has its own name, and it comes back to a task that it knows by following it, by looking at it, or by its message again. */
export class A2aThread extends Thread {
  #said = 0

  protected async ask(content: string): Promise<string | null> {
    let parts: object[] = [{ text: content }]
    for (let taskId = ''; ;) {
      const told = await this.#task({ parts, ...(taskId === '' ? {} : { taskId }) })
      if (told === null) return null
      taskId = told.id
      parts = repliesTo(told)
      if (parts.length === 0) return answerOf(told)
    }
  }

  /** The task of a message once it rests, however often it has to be asked for. */
  async #task(about: { parts: object[]; taskId?: string }): Promise<Task | null> {
    const metadata = { client_tools: [OWN_TOOL] }
    const messageId = `${this.plan.id}-m${++this.#said}`
    const message = { messageId, contextId: this.plan.id, role: 'ROLE_USER', metadata, ...about }
    let known: string | null = null
    for (let tries = 0; ; tries++) {
      const told: Told =
        known !== null && this.random.chance(0.6)
          ? await this.#comeBack(known)
          : await this.#sent(message, tries, (id) => (known = id))
      if (told === 'over') return null
      if (told !== 'again') return this.#looked(told)
    }
  }

  async #sent(message: { taskId?: string }, tries: number, knows: (id: string) => void): Promise<Told> {
    const streams = this.random.chance(0.6)
    const method = streams ? 'SendStreamingMessage' : 'SendMessage'
    const configuration = !streams && this.random.chance(0.3) ? { returnImmediately: true } : {}
    const response = await this.#call(method, { message, configuration }, tries)
    return response === null ? 'again' : this.#told(response, knows, message.taskId)
  }

  /** Follows a task that goes on, or looks at it until it rests. */
  async #comeBack(id: string): Promise<Told> {
    if (this.random.chance(0.5)) {
      const response = await this.#call('SubscribeToTask', { id }, 0)
      if (response === null) return 'again'
      this.world.count('streams of doors taken up')
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      // What rests for good cannot be followed.
      if (isStream) return this.#told(response, () => {})
    }
    for (;;) {
      const seen = await this.#read(id)
      if (RESTING.test(seen.status.state)) return seen
      await sleep(POLL_MS)
    }
  }

  async #told(response: Response, knows: (id: string) => void, known = ''): Promise<Told> {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const said = await this.world.answerOf(response)
      if (said === null) return 'again'
      const { result, error } = answer.parse(said.body)
      if (error !== undefined) return (await this.#failedUnheard(said, known)) ?? this.refused(said)
      const whole = update.parse(result).task
      if (!whole) throw new Error(`no task in ${JSON.stringify(result)}`)
      knows(whole.id)
      return RESTING.test(whole.status.state) ? whole : 'again'
    }
    let left = this.patience()
    let heard: Task | null = null
    await readFrames(response, (data) => {
      this.world.begin()
      heard = heardWith(heard, update.parse(answer.parse(JSON.parse(data)).result))
      if (heard) knows(heard.id)
      return --left <= 0
    })
    return restOf(heard) ?? 'again'
  }

  /** A message to a task that failed, unheard, is refused: how it failed is shown. Null: it was refused for something else. */
  async #failedUnheard({ body }: Answer, id: string): Promise<Task | null> {
    if (id === '' || !JSON.stringify(body).includes('run_over')) return null
    const seen = await this.#read(id)
    return seen.status.state === 'TASK_STATE_FAILED' ? seen : null
  }

  /** What is shown of a task later says the same. */
  async #looked(told: Task): Promise<Task | null> {
    const again = await this.#read(told.id)
    this.world.count('tasks read again')
    const isSame = again.status.state === told.status.state && answerOf(again) === answerOf(told)
    if (!isSame)
      this.violate(`${told.id} was told as ${JSON.stringify(told)}, and is shown as ${JSON.stringify(again)}`)
    if (told.status.state !== 'TASK_STATE_FAILED') return told
    await this.refused({ status: 200, replayed: false, location: null, body: told })
    return null
  }

  async #read(id: string): Promise<Task> {
    for (;;) {
      const response = await this.#call('GetTask', { id }, 0)
      const said = response && (await this.world.answerOf(response))
      if (said) return task.parse(answer.parse(said.body).result)
    }
  }

  #call(method: string, params: object, tries: number): Promise<Response | null> {
    return this.send('/a2a', { jsonrpc: '2.0', id: 1, method, params }, tries, { 'a2a-version': '1.0' })
  }
}

const restOf = (heard: Task | null): Task | null => (heard && RESTING.test(heard.status.state) ? heard : null)

/** A task as its client puts it together: artifacts are replaced or added to. */
function heardWith(
  known: Task | null,
  { task: whole, statusUpdate, artifactUpdate }: z.infer<typeof update>,
): Task | null {
  const heard = whole ?? known
  if (!heard) throw new Error('the task comes first')
  const artifacts = artifactUpdate ? artifactsWith(heard.artifacts, artifactUpdate) : heard.artifacts
  return { ...heard, artifacts, status: statusUpdate?.status ?? heard.status }
}

function artifactsWith(
  known: Task['artifacts'],
  { artifact: told, append }: NonNullable<z.infer<typeof update>['artifactUpdate']>,
): Task['artifacts'] {
  const before = known.find(({ artifactId }) => artifactId === told.artifactId)
  const parts = append && before ? [...before.parts, ...told.parts] : told.parts
  return [...known.filter((one) => one !== before), { ...told, parts }]
}

function answerOf({ artifacts }: Task): string {
  const parts = artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts ?? []
  return parts.map(({ text = '' }) => text).join('')
}

/** What the client says to what waits. */
function repliesTo({ status: { state, message } }: Task): object[] {
  if (state !== 'TASK_STATE_INPUT_REQUIRED') return []
  return (message?.parts ?? []).flatMap(({ data }) => {
    const item = waiting.safeParse(data)
    if (!item.success) return []
    const { pending_id: id, type, arguments: args } = item.data
    const said = type === 'tool_call' ? { result: foundIn(JSON.stringify(args)) } : { decision: 'approve' }
    return [{ data: { pending_id: id, ...said } }]
  })
}
