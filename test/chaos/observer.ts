import type { SessionEvent } from '../../src/domain/event.ts'
import { newState, type SessionState } from '../../src/domain/state.ts'
import { reduce } from '../../src/orchestrators/all.ts'
import { isActive } from '../../src/log/branches.ts'
import type { ObserverKind } from './plan.ts'
import type { Random } from './random.ts'
import { isDelta, readTold, type Told } from './stream.ts'
import type { World } from './world.ts'
import { WITH_KEY } from '../support/admin-key.ts'

/** Follows a session over every break, as a client does that knows nothing but the id of the last event it got. */
export class Observer {
  readonly kind: ObserverKind
  readonly told: Told[] = []
  readonly #world: World
  readonly #sessionId: string
  readonly #random: Random
  readonly #gone = new AbortController()
  #state: SessionState = newState(0)
  #waiters: { holds: (state: SessionState) => boolean; done: () => void }[] = []

  constructor(kind: ObserverKind, world: World, sessionId: string, random: Random) {
    this.kind = kind
    this.#world = world
    this.#sessionId = sessionId
    this.#random = random
    void this.#follow()
  }

  /** The fold of what it was told. */
  get state(): SessionState {
    return this.#state
  }

  /** Resolves when the fold of what it was told is so. */
  until(holds: (state: SessionState) => boolean): Promise<void> {
    if (holds(this.#state)) return Promise.resolve()
    return new Promise((done) => this.#waiters.push({ holds, done }))
  }

  stop(): void {
    this.#gone.abort()
  }

  async #follow(): Promise<void> {
    while (!this.#gone.signal.aborted) {
      await this.#world.server.up()
      this.#world.count('observer connections')
      await (this.kind === 'socket' ? this.#bySocket() : this.#byStream())
    }
  }

  async #byStream(): Promise<void> {
    const last = this.told.at(-1)?.id
    const leave = new AbortController()
    const signal = AbortSignal.any([this.#gone.signal, leave.signal])
    const left = this.kind === 'restless' ? this.#random.int(1, 12) : Infinity
    let heard = 0
    try {
      const response = await fetch(`${this.#world.server.url}/v1/sessions/${this.#sessionId}/events`, {
        headers: { ...WITH_KEY, accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
        signal,
      })
      if (response.status !== 200) this.#refused(response.status, await response.text())
      await readTold(response, (told) => {
        this.#take(told)
        return ++heard >= left
      })
    } catch {
      // The line broke: it is taken up again where it was.
    } finally {
      leave.abort()
    }
  }

  #bySocket(): Promise<void> {
    const after = this.told.at(-1)?.id ?? '0'
    const address = `${this.#world.server.url.replace('http', 'ws')}/v1/sessions/${this.#sessionId}/ws?after=${after}`
    // Node's takes headers, which the types of the platform do not know.
    const socket: WebSocket = Reflect.construct(WebSocket, [address, { headers: WITH_KEY }])
    const stop = () => socket.close()
    this.#gone.signal.addEventListener('abort', stop)
    socket.addEventListener('message', ({ data }) => {
      const { event_id: id, ...event } = JSON.parse(String(data)) as Told['data'] & { event_id: string }
      this.#take({ id, data: event })
    })
    return new Promise((resolve) => {
      const end = () => {
        this.#gone.signal.removeEventListener('abort', stop)
        resolve()
      }
      socket.addEventListener('close', end)
      socket.addEventListener('error', end)
    })
  }

  #refused(status: number, text: string): void {
    this.#world.violate(this.#sessionId, `an observer was refused: ${status} ${text}`)
    this.stop()
  }

  #take(told: Told): void {
    this.told.push(told)
    this.#world.begin()
    if (isDelta(told)) return
    this.#state = reduce(this.#state, [told.data as unknown as SessionEvent])
    const ready = this.#waiters.filter(({ holds }) => holds(this.#state))
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter))
    for (const { done } of ready) done()
  }
}

/** Nothing goes on and nothing will by itself: at an end, at a bound, or waiting for a human. */
export function isAtRest(state: SessionState): boolean {
  const isOwnDoing = state.status === 'interrupted' && state.pending.length === 0
  return !isActive(state) && !isOwnDoing && (state.queue.length === 0 || state.status === 'interrupted')
}
