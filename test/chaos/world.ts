import { isDeepStrictEqual } from 'node:util'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { MortalServer } from './server.ts'
import { WITH_KEY } from '../support/admin-key.ts'

/** Something that must not be, with where it was seen. */
export interface Violation {
  session: string
  claim: string
  story: string[]
}

export interface Answer {
  status: number
  replayed: boolean
  location: string | null
  body: unknown
}

/** What the sessions of a chaos run share: the server, the moments at which something begins, what was seen. */
export class World {
  readonly server: MortalServer
  readonly counts = new Map<string, number>()
  readonly violations: Violation[] = []
  /** Unix ms of the last kill; null: there are more to come. */
  calmSince: number | null = null
  #lookTime = Infinity
  #begun: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(server: MortalServer) {
    this.server = server
  }

  /** No more kills. After so long all sessions may be looked at. */
  calm(lookAfterMs: number): void {
    this.calmSince = Date.now()
    this.#lookTime = this.calmSince + lookAfterMs
  }

  /** Whether a session that nobody looks at may be looked at, which wakes it. */
  get mayLook(): boolean {
    return Date.now() >= this.#lookTime
  }

  /** Something begins: a request, a model call, a page, an event that is told. */
  begin(): void {
    this.#begun.resolve()
    this.#begun = Promise.withResolvers()
  }

  /** Resolves when something begins next. */
  nextBegin(): Promise<void> {
    return this.#begun.promise
  }

  count(name: string, by = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by)
  }

  violate(session: string, claim: string, story: string[] = []): void {
    this.violations.push({ session, claim, story })
  }

  /** One request while the server is up; null: the line broke before its answer was whole. */
  async send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<Response | null> {
    await this.server.up()
    this.begin()
    try {
      const response = await fetch(`${this.server.url}${path}`, {
        method,
        headers: { ...WITH_KEY, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      // A door says there how a run ended: one whose move was cut too often has failed.
      const isEnd = response.status === 500 && (await response.clone().text()).includes('attempts_exhausted')
      if (response.status >= 500 && !isEnd)
        this.violate(path, `${method} answered ${response.status}: ${await response.text()}`)
      return response
    } catch {
      this.count('lines cut')
      return null
    }
  }

  /** One request that is answered in JSON. */
  async ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<Answer | null> {
    const response = await this.send(method, path, { accept: 'application/json', ...headers }, body)
    return response && this.answerOf(response)
  }

  async answerOf(response: Response): Promise<Answer | null> {
    try {
      return {
        status: response.status,
        replayed: response.headers.get('idempotent-replayed') === 'true',
        location: response.headers.get('location'),
        body: await response.json(),
      }
    } catch {
      this.count('lines cut')
      return null
    }
  }

  /** A GET, as often as it takes. */
  async read<T>(path: string): Promise<T> {
    for (;;) {
      const answer = await this.ask('GET', path)
      if (answer?.status === 200) return answer.body as T
      if (answer) throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    }
  }

  async events(id: string, after = 0): Promise<SessionEvent[]> {
    const events: SessionEvent[] = []
    for (;;) {
      const seq = events.at(-1)?.seq ?? after
      const page = await this.read<{ data: SessionEvent[] }>(`/v1/sessions/${id}/events?after=${seq}&limit=100`)
      events.push(...page.data)
      if (page.data.length < 100) return events
    }
  }
}

export const same = (one: unknown, other: unknown) => isDeepStrictEqual(one, other)
