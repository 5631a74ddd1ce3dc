/** Finds all of some byte strings at once, in one pass. Source: Aho and Corasick, "Efficient string matching", 1975. */
export class ByteFinder {
  /** Where each node goes on with a byte, by 256 times its number and the byte. Node 0 is the start of all. */
  readonly #next = new Map<number, number>()
  /** The longest end of a node's bytes that is the beginning of another. */
  readonly #fallback: number[] = [0]
  /** The length of the longest that ends at a node; 0: none does. */
  readonly #found: number[] = [0]
  /** How many bytes lead to a node. */
  readonly #depth: number[] = [0]
  /** What each byte is read as; -1: it may stand anywhere within what is looked for, and says nothing. */
  readonly #readAs: Int16Array
  readonly longest: number

  constructor(wanted: readonly (readonly number[])[], readAs: (byte: number) => number) {
    this.#readAs = Int16Array.from({ length: 256 }, (_, byte) => readAs(byte))
    const read = wanted.map((bytes) => bytes.map((byte) => this.read(byte)).filter((byte) => byte >= 0))
    this.longest = read.reduce((longest, { length }) => Math.max(longest, length), 0)
    const nodes = read.flatMap((bytes) => this.#add(bytes)).toSorted((one, other) => one.depth - other.depth)
    for (const { node, parent, byte, depth } of nodes) {
      const fallback = depth === 1 ? 0 : this.after(this.#fallback[parent] ?? 0, byte)
      this.#fallback[node] = fallback
      this.#found[node] ||= this.#found[fallback] ?? 0
    }
  }

  read(byte: number): number {
    return this.#readAs[byte] ?? -1
  }

  /** The node after a byte, as it is read. How often it falls back is never more than how often it went on. */
  after(from: number, byte: number): number {
    for (let node = from; ; node = this.#fallback[node] ?? 0) {
      const next = this.#next.get(node * 256 + byte)
      if (next !== undefined || node === 0) return next ?? 0
    }
  }

  /** How many bytes back that begins which ends at this node; 0: nothing does. */
  lengthAt(node: number): number {
    return this.#found[node] ?? 0
  }

  /** How many of the last bytes at this node begin something that may go on. */
  begunAt(node: number): number {
    return this.#depth[node] ?? 0
  }

  #add(bytes: readonly number[]): { node: number; parent: number; byte: number; depth: number }[] {
    let node = 0
    const made = bytes.flatMap((byte, index) => {
      const parent = node
      const known = this.#next.get(parent * 256 + byte)
      node = known ?? this.#found.push(0) - 1
      if (known !== undefined) return []
      this.#next.set(parent * 256 + byte, node)
      this.#depth[node] = index + 1
      return [{ node, parent, byte, depth: index + 1 }]
    })
    this.#found[node] = bytes.length
    return made
  }
}

/** One look through bytes that go by. */
export class ByteSearch {
  readonly #finder: ByteFinder
  readonly #report: (from: number, to: number) => void
  /** Where the last bytes began, as many as the longest of what is looked for has. */
  readonly #began: Int32Array
  #count = 0
  #node = 0

  constructor(finder: ByteFinder, report: (from: number, to: number) => void) {
    this.#finder = finder
    this.#report = report
    this.#began = new Int32Array(finder.longest)
  }

  push(raw: number, from: number, to: number): void {
    const finder = this.#finder
    const byte = finder.read(raw)
    if (byte < 0) return
    this.#began[this.#count % finder.longest] = from
    this.#count++
    this.#node = finder.after(this.#node, byte)
    const length = finder.lengthAt(this.#node)
    if (length > 0) this.#report(this.#began[(this.#count - length) % finder.longest] ?? from, to)
  }

  /** Reports what the last bytes begin, if they are at least so many, up to where the text was cut. */
  reportBegun(bytesMin: number, to: number): void {
    const length = this.#finder.begunAt(this.#node)
    if (length >= bytesMin) this.#report(this.#began[(this.#count - length) % this.#finder.longest] ?? to, to)
  }
}
