/** Steps that are taken for one document: characters parsed and given, letters shown, and more for what costs more. */
const WORK_MAX = 30_000_000
/** Bytes that all filters of one document give. */
const UNPACKED_BYTES_MAX = 24 * 1_024 * 1_024

/** Thrown where a document costs more than is spent on one. */
export class TooLarge extends Error {}

/** What may still be done for one document, whatever part of it asks for it. */
export class Budget {
  #work: number
  #bytes: number

  constructor({ work = WORK_MAX, bytes = UNPACKED_BYTES_MAX } = {}) {
    this.#work = work
    this.#bytes = bytes
  }

  spend(work: number): void {
    this.#work -= work
    if (this.#work < 0) throw new TooLarge()
  }

  unpack(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) throw new TooLarge()
  }
}

const BEGINNING_BYTES = 4_096

/** Bytes that are written one after the other, each within the budget. */
export class Output {
  readonly #budget: Budget
  #bytes = new Uint8Array(BEGINNING_BYTES)
  length = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  push(byte: number): void {
    this.#makeRoom(1)
    this.#bytes[this.length++] = byte
  }

  append(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Write once more what was written from a place on, which may be what is written just now. */
  repeat(from: number, count: number): void {
    this.#makeRoom(count)
    for (let index = 0; index < count; index += 1) this.#bytes[this.length++] = this.#bytes[from + index] ?? 0
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  #makeRoom(count: number): void {
    this.#budget.unpack(count)
    if (this.length + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
