export interface ShortMemoryPorts<T> {
  read(key: string): Promise<T>
  keptMs: number
  /** A memory that is full begins anew. */
  keysMax: number
  /** Unix ms. */
  now: () => number
}

interface Entry<T> {
  value: T | null
  /** Unix ms until when it counts as read lately. */
  until: number
  /** Whether it is being read anew before it is too old. */
  isRefreshing: boolean
}

/** The share of its time after which what is in use is read anew, beside those who use it: whoever comes often never waits. */
const REFRESH_SHARE = 0.5

/** A read that a change has overtaken is done again, once: what comes of the second is given, and the next asks anew. */
const READS_MAX = 2

/** What was read by its key lately. It may be older than a change by so long, counted from when its read began, but for one that `forget` tells
 *  of: that holds at once, also for what is just being read. */
export class ShortMemory<T> {
  readonly #ports: ShortMemoryPorts<T>
  readonly #entries = new Map<string, Entry<T>>()
  /** Times that any key was forgotten, also one whose entry had gone. */
  #changes = 0

  constructor(ports: ShortMemoryPorts<T>) {
    this.#ports = ports
  }

  /** What is kept, else what is read now. Where that fails it stays as it was; null: it was never had. */
  async load(key: string): Promise<T | null> {
    const entry = this.#entries.get(key) ?? { value: null, until: 0, isRefreshing: false }
    this.#keep(key, entry)
    for (let reads = 0; reads < READS_MAX && !this.#isFresh(entry); reads++) {
      const changes = this.#changes
      await this.#read(key, entry)
      if (this.#changes === changes) break
    }
    // Others may have taken its place.
    this.#keep(key, entry)
    return entry.value
  }

  /** Read anew what is in use and will be too old before long. Null: there is no need. */
  refresh(key: string): Promise<void> | null {
    const entry = this.#entries.get(key)
    const { keptMs, now } = this.#ports
    const msLeft = entry ? entry.until - now() : 0
    if (!entry || entry.isRefreshing || msLeft <= 0 || msLeft > keptMs * (1 - REFRESH_SHARE)) return null
    entry.isRefreshing = true
    return this.#read(key, entry).finally(() => (entry.isRefreshing = false))
  }

  /** What is at hand, however old. */
  at(key: string): T | null {
    return this.#entries.get(key)?.value ?? null
  }

  isFresh(key: string): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#isFresh(entry)
  }

  /** It has changed; what is at hand stays until it is read again. */
  forget(key: string): void {
    this.#changes += 1
    const entry = this.#entries.get(key)
    if (entry) entry.until = 0
  }

  async #read(key: string, entry: Entry<T>): Promise<void> {
    const changes = this.#changes
    const began = this.#ports.now()
    const found = await this.#ports.read(key).catch(() => null)
    // Another read that began later is over already; or nothing came of one that was made ahead of time.
    const isOvertaken = entry.until >= began + this.#ports.keptMs && !this.#isOfLater(entry)
    if (isOvertaken || (found === null && this.#isFresh(entry))) return
    entry.value = found ?? entry.value
    // One whose object was taken away while it read never ends: it keeps nobody from reading ahead of the next time.
    entry.isRefreshing = false
    if (this.#changes === changes) entry.until = began + this.#ports.keptMs
  }

  #isFresh(entry: Entry<T>): boolean {
    return entry.until > this.#ports.now() && !this.#isOfLater(entry)
  }

  /** It was read before the clock was set back. */
  #isOfLater({ until }: Entry<T>): boolean {
    return until > this.#ports.now() + this.#ports.keptMs
  }

  #keep(key: string, entry: Entry<T>): void {
    if (this.#entries.has(key)) return
    if (this.#entries.size >= this.#ports.keysMax) this.#entries.clear()
    this.#entries.set(key, entry)
  }
}
