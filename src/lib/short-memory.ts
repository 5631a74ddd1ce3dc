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
  /** Unix ms; 0: it was not read yet. */
  until: number
}

/** What was read by its key lately. It may be older than a change by so long, but for one that `forget` tells of: that holds at
 *  once, also for what is just being read. */
export class ShortMemory<T> {
  readonly #ports: ShortMemoryPorts<T>
  readonly #entries = new Map<string, Entry<T>>()

  constructor(ports: ShortMemoryPorts<T>) {
    this.#ports = ports
  }

  /** What is kept, else what is read now. Where that fails it stays as it was; null: it was never had. */
  async load(key: string): Promise<T | null> {
    for (;;) {
      const entry = this.#entry(key)
      if (this.#isFresh(entry)) return entry.value
      const found = await this.#ports.read(key).catch(() => null)
      // Forgotten in the meantime: what was found may be from before the change.
      if (this.#entries.get(key) !== entry) continue
      entry.until = this.#ports.now() + this.#ports.keptMs
      entry.value = found ?? entry.value
      return entry.value
    }
  }

  /** What is at hand, however old. */
  at(key: string): T | null {
    return this.#entries.get(key)?.value ?? null
  }

  isFresh(key: string): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#isFresh(entry)
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  #isFresh({ until }: Entry<T>): boolean {
    return until > this.#ports.now()
  }

  #entry(key: string): Entry<T> {
    const known = this.#entries.get(key)
    if (known) return known
    if (this.#entries.size >= this.#ports.keysMax) this.#entries.clear()
    const made: Entry<T> = { value: null, until: 0 }
    this.#entries.set(key, made)
    return made
  }
}
