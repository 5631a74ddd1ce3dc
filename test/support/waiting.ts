/** Lists by name that can be waited for: what has happened, told when there is enough of it. */
export class Waiting<T> {
  readonly #lists = new Map<string, T[]>()
  #waiters: { name: string; count: number; told: (list: T[]) => void }[] = []

  all(name: string): T[] {
    return this.#lists.get(name) ?? []
  }

  add(name: string, item: T): void {
    this.#lists.set(name, [...this.all(name), item])
    const ready = this.#waiters.filter((waiter) => waiter.name === name && this.all(name).length >= waiter.count)
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter))
    for (const { told } of ready) told(this.all(name))
  }

  clear(name: string): void {
    this.#lists.delete(name)
  }

  /** Tell the list once it has `count` items. */
  when(name: string, count: number, told: (list: T[]) => void): void {
    if (this.all(name).length >= count) told(this.all(name))
    else this.#waiters.push({ name, count, told })
  }
}
