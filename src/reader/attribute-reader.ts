import { decodeAttribute } from './entities.ts'
import { attribute, type Attributes, NO_ATTRIBUTES } from './node.ts'
import { isNamed } from './tags.ts'

/** Attributes longer than this say nothing to a reader (data addresses). */
const VALUE_CHARS_MAX = 4_096
/** Attributes of one element; more say nothing. */
const ATTRIBUTES_MAX = 32

/** Attributes whose values hold no references. */
const PLAIN: ReadonlySet<string> = new Set(['class', 'id', 'style', 'role'])

/** Gathers those attributes of one start tag after another that tell a reader something. */
export class AttributeReader {
  readonly #html: string
  #gathered: string[] = []
  #name: string | null = null
  #start = 0
  #end = 0

  constructor(html: string) {
    this.#html = html
  }

  /** What was gathered since it was last taken. */
  take(): Attributes {
    const gathered = this.#gathered
    if (gathered.length === 0) return NO_ATTRIBUTES
    this.#gathered = []
    return gathered
  }

  onName(start: number, end: number): void {
    this.#name = keptAttribute(this.#html, start, end)
    this.#start = this.#end = 0
  }

  onValue(start: number, end: number): void {
    this.#start = start
    this.#end = end
  }

  onEnd(): void {
    const name = this.#name
    if (name === null || this.#end - this.#start > VALUE_CHARS_MAX) return
    const gathered = this.#gathered
    if (gathered.length < 2 * ATTRIBUTES_MAX && attribute(gathered, name) === undefined)
      gathered.push(name, this.#valueOf(name))
  }

  #valueOf(name: string): string {
    const value = this.#html.slice(this.#start, this.#end)
    return PLAIN.has(name) ? value : decodeAttribute(value)
  }
}

const KEPT_ATTRIBUTES: readonly string[] = (
  'href src alt title class id role hidden aria-hidden style lang datetime rel property name content itemprop ' +
  'http-equiv type data-src data-original data-lazy-src colspan rowspan start data-lang data-language alttext'
).split(' ')

/** Kept attributes by their length, so that most names are told by it. */
const KEPT_BY_LENGTH: readonly (readonly string[])[] = Array.from({ length: 16 }, (_, length) =>
  KEPT_ATTRIBUTES.filter((name) => name.length === length),
)

const NONE: readonly string[] = []

/** The name of an attribute that is kept, else null. */
function keptAttribute(html: string, start: number, end: number): string | null {
  for (const name of KEPT_BY_LENGTH[end - start] ?? NONE) {
    if ((html.charCodeAt(start) | 0x20) === name.charCodeAt(0) && isNamed(name, html, start, end)) return name
  }
  return null
}
