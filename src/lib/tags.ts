export const OPEN = 0
export const CLOSE = 1
export const EMPTY = 2

const TAG = /<(\/?)([\p{L}\p{N}_][^\s<>/"'`=]{0,127})\s{0,8}(\/?)>/gu

/** The tags of a text without attributes, `<name>`, `</name>` and `<name/>`, as columns by tag number: a reply of a megabyte
 *  may hold 300,000 of them. Names are numbered, too. */
export class Tags {
  readonly text: string
  readonly starts: number[] = []
  /** Position after the tag. */
  readonly ends: number[] = []
  readonly kinds: number[] = []
  readonly nameIds: number[] = []
  readonly names: string[] = []
  /** Whether nothing but white space is between a tag and the next one. */
  readonly #blankAfter: boolean[] = []
  readonly #idOf = new Map<string, number>()

  constructor(text: string) {
    this.text = text
    for (const { 0: tag, 1: slash, 2: name = '', 3: empty, index } of text.matchAll(TAG)) {
      this.#add(index, index + tag.length, slash === '/' ? CLOSE : empty === '/' ? EMPTY : OPEN, name)
    }
  }

  get count(): number {
    return this.starts.length
  }

  name(tag: number): string {
    return this.names[this.nameIds[tag] ?? -1] ?? ''
  }

  start(tag: number): number {
    return this.starts[tag] ?? this.text.length
  }

  end(tag: number): number {
    return this.ends[tag] ?? this.text.length
  }

  is(tag: number, kind: number, nameId: number): boolean {
    return this.kinds[tag] === kind && this.nameIds[tag] === nameId
  }

  isBlankAfter(tag: number): boolean {
    return this.#blankAfter[tag] === true
  }

  #add(start: number, end: number, kind: number, name: string): void {
    const last = this.count - 1
    if (last >= 0) this.#blankAfter[last] = this.text.slice(this.end(last), start).trim() === ''
    this.starts.push(start)
    this.ends.push(end)
    this.kinds.push(kind)
    this.nameIds.push(this.#number(name))
  }

  #number(name: string): number {
    const known = this.#idOf.get(name)
    if (known !== undefined) return known
    this.#idOf.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}
