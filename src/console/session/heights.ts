/** Heights of the rows of a long list: measured where they were seen, guessed elsewhere. */
export class Heights {
  readonly #measured = new Map<string, number>()
  #keys: readonly string[] = []
  #offsets = new Float64Array(1)
  #isStale = true
  readonly #guess: number

  /** `guess`: pixels of a row that was not seen yet. */
  constructor(guess: number) {
    this.#guess = guess
  }

  set keys(keys: readonly string[]) {
    if (this.#keys === keys) return
    this.#keys = keys
    this.#isStale = true
  }

  /** True when it is another height than before. */
  measure(key: string, height: number): boolean {
    if (this.#measured.get(key) === height) return false
    this.#measured.set(key, height)
    this.#isStale = true
    return true
  }

  /** Where row `index` begins; that of the row behind the last is the height of all. */
  offset(index: number): number {
    this.#refresh()
    return this.#offsets[Math.max(0, Math.min(index, this.#keys.length))] ?? 0
  }

  get total(): number {
    return this.offset(this.#keys.length)
  }

  /** The row at a place. */
  indexAt(pixels: number): number {
    this.#refresh()
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#offsets[middle + 1] ?? Infinity) <= pixels) low = middle + 1
      else high = middle
    }
    return Math.min(low, Math.max(0, this.#keys.length - 1))
  }

  #refresh(): void {
    if (!this.#isStale) return
    this.#isStale = false
    const offsets = new Float64Array(this.#keys.length + 1)
    this.#keys.forEach((key, index) => {
      offsets[index + 1] = (offsets[index] ?? 0) + (this.#measured.get(key) ?? this.#guess)
    })
    this.#offsets = offsets
  }
}
