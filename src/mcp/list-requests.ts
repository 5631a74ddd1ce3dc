import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import { sleep } from '../lib/wait.ts'

/** A request under way. */
interface UnderWay {
  isOver: boolean
  /** Signs of life that whoever asks has given: an object can be taken away in the middle of it. */
  signs: number
  /** Unix ms after which it is over, whatever became of it. */
  until: number
}

/** Requests for what servers offer that are under way in this process, one a server. Who waits for that of another looks again and again:
 *  the object of one session cannot wake that of another. */
export class ListRequests {
  readonly #now: Now
  readonly #underWay = new Map<string, UnderWay>()

  constructor(now: Now) {
    this.#now = now
  }

  isUnderWay(key: string): boolean {
    return (this.#underWay.get(key)?.until ?? 0) > this.#now()
  }

  /** Do `work`, which is the request of a server until it is over. */
  async during<T>(key: string, work: () => Promise<T>): Promise<T> {
    const request: UnderWay = { isOver: false, signs: 0, until: this.#now() + LIMITS.mcp.askedMsMax }
    this.#underWay.set(key, request)
    const timer = setInterval(() => request.signs++, LIMITS.mcp.askSignMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      request.isOver = true
      this.#drop(key, request)
    }
  }

  /** Wait for a request to end. `lost`: whoever asked gives no sign of life any more, and nobody or another asks now. Rejects with the
   *  signal's reason. */
  async end(key: string, msMax: number, signal?: AbortSignal): Promise<'ended' | 'lost' | 'late'> {
    const request = this.#underWay.get(key)
    if (!request) return 'lost'
    const { askLookMs, askLostMs } = LIMITS.mcp
    const until = this.#now() + msMax
    // Looks are counted, not the time between them: when the process stands still, so does whoever asks.
    for (let silentLooks = 0, signs = -1; this.#now() < until; silentLooks++) {
      if (request.isOver) return 'ended'
      if (request.signs !== signs) silentLooks = 0
      if (silentLooks * askLookMs >= askLostMs) this.#drop(key, request)
      if (this.#underWay.get(key) !== request) return 'lost'
      signs = request.signs
      await sleep(Math.min(askLookMs, until - this.#now()), signal)
    }
    return request.isOver ? 'ended' : 'late'
  }

  #drop(key: string, request: UnderWay): void {
    if (this.#underWay.get(key) === request) this.#underWay.delete(key)
  }
}
