import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { memberOf } from '../../../src/lib/json.ts'
import { WITH_KEY } from '../../support/admin-key.ts'
import { wordsOf, type ModelTask } from './task.ts'

const LOOK_MS = 200
/** A person who answers a question of the agent so often, and approves each call. */
const ANSWERS_MAX = 3
const DECIDE_YOURSELF = { en: 'Do as you think best.', 'zh-CN': '您看着办，不必再问。' } as const

const sessionAtRest = z.object({
  status: z.string(),
  result: z.string().nullish(),
  finish_reason: z.string().nullish(),
  ended_by: z.string().nullish(),
  loop: z.boolean().nullish(),
  error: z.object({ code: z.string() }).nullish(),
  usage: z.object({ model_calls: z.number(), total_tokens: z.number() }),
  pending: z.array(z.object({ id: z.string(), type: z.string() })),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.unknown(),
      tool_calls: z.array(z.object({ arguments: z.record(z.string(), z.unknown()) })).default([]),
    }),
  ),
})
export type SessionAtRest = z.infer<typeof sessionAtRest>

/** How a task ended. */
export interface Ended {
  /** Null: it was not at rest in time. */
  session: SessionAtRest | null
  /** Its log; null where there is no session, or nobody wants it. */
  exported: string | null
  fileText: (path: string) => Promise<string | null>
  ms: number
}

export interface ProductOptions {
  url: string
  pagesUrl: string
  /** How long a task is waited for. */
  patienceMs: number
  /** Whether the logs of the sessions are wanted. */
  isKept: boolean
}

/** A server of yaa, of this release or another, that does tasks by HTTP. */
export class Product {
  readonly #options: ProductOptions
  /** Answers of 500 and above. */
  serverErrors = 0

  constructor(options: ProductOptions) {
    this.#options = options
  }

  async run(task: ModelTask): Promise<Ended> {
    const started = performance.now()
    const id = await this.#begin(task)
    const session = await this.#rest(id, task)
    const exported = this.#options.isKept ? await (await this.#ask('GET', `/v1/sessions/${id}/export`)).text() : null
    const fileText = async (path: string) => {
      const answer = await this.#ask('GET', `/v1/sessions/${id}/files/${path}`)
      return answer.ok ? answer.text() : null
    }
    return { session, exported, fileText, ms: performance.now() - started }
  }

  /** Starts a task in the background; gives its session. */
  async #begin(task: ModelTask): Promise<string> {
    const config = { language: task.language }
    if (task.schema !== undefined) await this.#addSkill(task)
    const skill = task.schema ? { name: `bench-${task.name}`, input: task.text } : task.skill
    if (skill !== undefined)
      return this.#idOf('session_id', `/v1/skills/${skill.name}/run`, { input: skill.input, config })
    const orchestrator = task.kind === 'plans' ? { orchestrator: 'plan' } : {}
    const id = await this.#idOf('id', '/v1/sessions', { ...orchestrator, config })
    for (const [path, text] of Object.entries(task.files))
      await this.#done('PUT', `/v1/sessions/${id}/files/${path}`, text)
    await this.#done('POST', `/v1/sessions/${id}/messages`, { content: wordsOf(task, this.#options.pagesUrl) })
    return id
  }

  async #addSkill({ name, schema }: ModelTask): Promise<void> {
    await this.#done('POST', '/v1/skills', {
      name: `bench-${name}`,
      version: '1',
      description: 'Answers a question of the bench.',
      prompt: "Answer the user's question.",
      finish: 'no_call',
      output_schema: schema,
    })
  }

  /** Waits until the run is at rest, and decides what it asks for; null: it takes too long. */
  async #rest(id: string, { language }: ModelTask): Promise<SessionAtRest | null> {
    const until = performance.now() + this.#options.patienceMs
    for (let answers = 0; performance.now() < until; await sleep(LOOK_MS)) {
      const answer = await this.#ask('GET', `/v1/sessions/${id}`)
      if (!answer.ok) continue
      const session = sessionAtRest.parse(await answer.json())
      if (session.status === 'in_progress') continue
      const [waiting] = session.pending
      const isQuestion = waiting?.type === 'question'
      if (waiting === undefined || (isQuestion && ++answers > ANSWERS_MAX)) return session
      const decision = isQuestion ? { decision: 'answer', answer: DECIDE_YOURSELF[language] } : { decision: 'approve' }
      await this.#done('POST', `/v1/sessions/${id}/pending/${waiting.id}`, decision)
    }
    return null
  }

  async #idOf(member: string, path: string, body: unknown): Promise<string> {
    const answer: unknown = await (await this.#done('POST', path, body)).json()
    return z.string().parse(memberOf(answer, member))
  }

  async #done(method: string, path: string, body: unknown): Promise<Response> {
    const answer = await this.#ask(method, path, body)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`)
    return answer
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Response> {
    const isText = typeof body === 'string'
    const answer = await fetch(`${this.#options.url}${path}`, {
      method,
      headers: {
        ...WITH_KEY,
        prefer: 'respond-async',
        'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    if (answer.status >= 500) this.serverErrors++
    return answer
  }
}
