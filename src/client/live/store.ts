/** A value that changes, as those want it who look at it: React's `useSyncExternalStore`, Svelte, plain code. */
export interface Store<T> {
  /** The same object until something changes. */
  readonly get: () => T
  /** Calls back after each change; what is given back ends that. While nobody listens nothing is asked of the server. */
  readonly subscribe: (listener: () => void) => () => void
}

/** Between two callbacks for text as it is written: a frame of a screen. */
const FRAME_MS = 16

/** A store that works while somebody listens. */
export abstract class LiveStore<T> implements Store<T> {
  #value: T
  #isStale = false
  readonly #listeners = new Set<() => void>()
  #frame: ReturnType<typeof setTimeout> | undefined
  #stop: AbortController | null = null

  constructor(value: T) {
    this.#value = value
  }

  /** What it does from the first listener on until the signal; throws nothing that is not a fault of ours. */
  protected abstract work(signal: AbortSignal): Promise<void>

  /** The value as it is now. */
  protected abstract view(): T

  readonly get = (): T => {
    if (this.#isStale) this.#value = this.view()
    this.#isStale = false
    return this.#value
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    // Each subscription is one of its own, also of a function that listens twice.
    const own = () => listener()
    this.#listeners.add(own)
    if (this.#stop === null) {
      this.#stop = new AbortController()
      void this.work(this.#stop.signal)
    }
    return () => {
      this.#listeners.delete(own)
      // Who looks away and back at once, as React does under StrictMode, is served by the same work.
      queueMicrotask(() => this.#rest())
    }
  }

  #rest(): void {
    if (this.#listeners.size > 0) return
    clearTimeout(this.#frame)
    this.#frame = undefined
    this.#stop?.abort(new Error('nobody listens'))
    this.#stop = null
  }

  protected changed(): void {
    clearTimeout(this.#frame)
    this.#frame = undefined
    this.#isStale = true
    for (const listener of this.#listeners) listener()
  }

  /** The same for what changes many times a second. */
  protected changedOften(): void {
    this.#frame ??= setTimeout(() => this.changed(), FRAME_MS)
  }
}

/** Stores by the client that they ask and a name; who asks for the same gets the same, as long as anybody holds it. */
export class Shared<T extends object> {
  readonly #made = new WeakMap<object, Map<string, WeakRef<T>>>()

  of(client: object, name: string, make: () => T): T {
    const stores = this.#made.get(client) ?? new Map<string, WeakRef<T>>()
    this.#made.set(client, stores)
    for (const [key, held] of stores) if (held.deref() === undefined) stores.delete(key)
    const known = stores.get(name)?.deref()
    if (known) return known
    const made = make()
    stores.set(name, new WeakRef(made))
    return made
  }
}
