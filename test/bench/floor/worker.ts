import { DurableObject } from 'cloudflare:workers'
import type { FloorPlan } from './plan.ts'

interface Env {
  RUNS: DurableObjectNamespace<FloorObject>
  NETWORK: Fetcher
  /** JSON of a FloorPlan: what to do for `/run` and for `/talk`. */
  PLANS: string
}

type Plans = { run: FloorPlan; talk: FloorPlan }

const TABLE = `CREATE TABLE IF NOT EXISTS events
  (seq INTEGER PRIMARY KEY, type TEXT NOT NULL, run_id TEXT, time TEXT NOT NULL, data TEXT)`
const ROW = 'INSERT INTO events (seq, type, run_id, time, data) VALUES (?, ?, ?, ?, ?)'

let plans: Plans | undefined

/** The least that a run of this shape costs on the platform: rows in transactions, fetches whose bodies are read, an answer. */
export class FloorObject extends DurableObject<Env> {
  #seq = 0

  override async fetch(request: Request): Promise<Response> {
    plans ??= JSON.parse(this.env.PLANS) as Plans
    await request.text()
    this.ctx.storage.sql.exec(TABLE)
    return new URL(request.url).pathname === '/talk' ? this.#talk(plans.talk) : this.#run(plans.run)
  }

  async #run({ steps, answerBytes }: FloorPlan): Promise<Response> {
    for (const step of steps) {
      this.#append(step.rows)
      if (step.fetch) await (await this.#fetch(step.fetch)).text()
    }
    return new Response('x'.repeat(answerBytes), { headers: { 'content-type': 'application/json' } })
  }

  /** Up to the model's stream, which is passed through. */
  async #talk({ steps }: FloorPlan): Promise<Response> {
    for (const step of steps) {
      this.#append(step.rows)
      if (step.fetch) {
        const { body } = await this.#fetch(step.fetch)
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      }
    }
    return new Response(null, { status: 500 })
  }

  #append(rows: readonly string[]): void {
    const time = new Date().toISOString()
    this.ctx.storage.transactionSync(() => {
      for (const data of rows) this.ctx.storage.sql.exec(ROW, ++this.#seq, 'message', 'run', time, data)
    })
  }

  #fetch({ url, body }: { url: string; body: unknown }): Promise<Response> {
    if (body === null) return this.env.NETWORK.fetch(url)
    const headers = { 'content-type': 'application/json' }
    return this.env.NETWORK.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  }
}

/** `/run/NAME` and `/talk/NAME`: by name to the object. */
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const [, what = '', name = ''] = new URL(request.url).pathname.split('/')
    return env.RUNS.getByName(name).fetch(`http://floor/${what}`, request)
  },
}
