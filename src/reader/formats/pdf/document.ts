import type { Budget } from './budget.ts'
import { unpacked } from './filters.ts'
import { latin1, type ObjectId, openLock, type PdfLock } from './lock.ts'
import { asText, isName, isRef, type PdfDict, PdfReader, type PdfValue } from './syntax.ts'

const OBJECTS_MAX = 500_000
const REFERENCES_MAX = 20
/** Objects that are held once they were read. */
const KNOWN_MAX = 20_000
/** Streams that are held unpacked, as every page may show the same, and their letters. */
const TEXTS_MAX = 100
const TEXT_CHARS_MAX = 64 * 1_024
/** Filters of one stream, and one more. */
const NAMES_MAX = 9
/** Work of giving a stream, besides that of its letters. */
const STREAM_WORK = 16
/** Letters of an object in which its type is looked for. */
const HEAD_CHARS = 2_000
/** Between a dictionary and the word `stream`. */
const STREAM_GAP = 20

/** Where an object is: in the file up to the next one, or in a stream of objects that begins there. */
interface Place extends ObjectId {
  from: number
  text: string
  at: number
  end: number
}

export interface PdfStream extends ObjectId {
  dict: PdfDict
  start: number
}

/** What begins an object or a stream, and short strings, in which what looks like one is a text. */
const OBJECT =
  /(?<!\d)(\d{1,9})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+obj(?![a-z])|>>[\0\t\n\f\r ]{0,20}stream(?=[\r\n])|\((?:[^()\\]|\\[^]){0,1000}\)/g
const TRAILER = /(?<=[\n\r])trailer[\0\t\n\f\r ]*(?=<<)/g

/** The objects of a PDF, found by going through it: the tables of where they are need not be right. Of two of one number the later counts. */
export class PdfDocument {
  readonly #bytes: Uint8Array
  readonly #raw: string
  readonly #places = new Map<number, Place>()
  readonly #known = new Map<number, PdfValue>()
  readonly #streams = new Map<number, PdfStream | null>()
  readonly #texts = new Map<number, string>()
  /** Null: nothing is encrypted. */
  #lock: PdfLock | null = null
  readonly budget: Budget

  constructor(bytes: Uint8Array, budget: Budget) {
    this.budget = budget
    this.#bytes = bytes
    this.#raw = asText(bytes)
    this.#findObjects()
  }

  #findObjects(): void {
    const raw = this.#raw
    const pattern = new RegExp(OBJECT)
    let before: Place | undefined
    let streamsEnd = true
    for (let found = pattern.exec(raw); found !== null; found = pattern.exec(raw)) {
      this.budget.spend(1)
      if (found[0].startsWith('(')) continue
      if (found[1] === undefined) {
        const end: number = streamsEnd ? raw.indexOf('endstream', pattern.lastIndex) : -1
        streamsEnd = end >= 0
        if (streamsEnd) pattern.lastIndex = end
        continue
      }
      if (this.#places.size >= OBJECTS_MAX) break
      const at = pattern.lastIndex
      if (before !== undefined) before.end = found.index
      const [number, generation] = [Number(found[1]), Number(found[2])]
      before = { number, generation, from: found.index, text: raw, at, end: raw.length }
      this.#places.set(number, before)
    }
  }

  /** Have what is encrypted read, too, where the password is empty. False: it is not, or the lock is not known. */
  unlock(): boolean {
    const told = this.#lockDict()
    if (told === null) return true
    const dict = this.dict(told.get('Encrypt'))
    const [id] = this.array(told.get('ID'))
    const resolve = (value: PdfValue | undefined) => this.resolve(value)
    if (dict === null) return false
    this.#lock = openLock(dict, typeof id === 'string' ? id : '', resolve, this.budget)
    this.#known.clear()
    return this.#lock !== null
  }

  /** The trailer that tells of a lock, or the dictionary of a stream that stands for one; null: none does. */
  #lockDict(): PdfDict | null {
    for (const found of this.#raw.matchAll(TRAILER)) {
      const dict = this.#reader(this.#raw.slice(found.index + found[0].length)).value()
      if (dict instanceof Map && dict.has('Encrypt')) return dict
    }
    for (const place of this.#places.values()) {
      if (!this.#headOf(place).includes('/XRef')) continue
      const dict = this.#readerAt(place).value()
      if (dict instanceof Map && this.name(dict.get('Type')) === 'XRef' && dict.has('Encrypt')) return dict
    }
    return null
  }

  #headOf({ text, at, end }: Place): string {
    return text.slice(at, Math.min(end, at + HEAD_CHARS))
  }

  #readerAt({ text, at, end }: Place): PdfReader {
    return this.#reader(text.slice(at, end))
  }

  #reader(text: string): PdfReader {
    return new PdfReader(text, this.budget)
  }

  /** Look into the streams that hold objects. */
  openStreams(): void {
    this.#known.clear()
    for (const place of Array.from(this.#places.values())) {
      if (!this.#headOf(place).includes('/ObjStm')) continue
      const stream = this.#streamAt(place)
      const text = stream === null ? '' : this.text(stream)
      const [count, first] = [this.number(stream?.dict.get('N')), this.number(stream?.dict.get('First'))]
      const reader = this.#reader(text)
      for (let index = 0; index < Math.min(count, OBJECTS_MAX) && !reader.isAtEnd; index += 1) {
        const [number, at] = [reader.value(false), reader.value(false)]
        if (typeof number !== 'number' || typeof at !== 'number') break
        const known = this.#places.get(number)
        if (known === undefined || known.from < place.from) {
          if (this.#places.size >= OBJECTS_MAX) break
          const inStream = { number, generation: 0, from: place.from, text }
          this.#places.set(number, { ...inStream, at: first + at, end: text.length })
        }
      }
    }
  }

  /** The last dictionary that a trailer calls so; else the first object of a type. */
  root(key: string, type: string | null): PdfDict | null {
    const pattern = `/${key}[\\0\\t\\n\\f\\r ]+(\\d{1,9})[\\0\\t\\n\\f\\r ]+\\d{1,5}[\\0\\t\\n\\f\\r ]+R`
    const told = new Set<number>()
    for (const found of this.#raw.matchAll(new RegExp(pattern, 'g'))) {
      this.budget.spend(1)
      told.delete(Number(found[1]))
      told.add(Number(found[1]))
    }
    for (const ref of [...told].toReversed()) {
      const dict = this.dict({ ref })
      if (dict !== null) return dict
    }
    if (type === null) return null
    for (const number of this.#places.keys()) {
      const dict = this.dict({ ref: number })
      const name = dict?.get('Type')
      if (isName(name) && name.name === type) return dict
    }
    return null
  }

  /** A value, or what it refers to. */
  resolve(value: PdfValue | undefined): PdfValue {
    let found = value ?? null
    for (let count = 0; isRef(found) && count < REFERENCES_MAX; count += 1) {
      found = this.#object(found.ref)
    }
    return isRef(found) ? null : found
  }

  #object(number: number): PdfValue {
    const known = this.#known.get(number)
    if (known !== undefined) return known
    const place = this.#places.get(number)
    const value = place === undefined ? null : this.#opened(this.#readerAt(place).value(), place)
    if (this.#known.size < KNOWN_MAX) this.#known.set(number, value)
    return value
  }

  /** A dictionary with its strings as they were before they were encrypted. Those in streams of objects are encrypted with these. */
  #opened(value: PdfValue, place: Place): PdfValue {
    const lock = this.#lock
    if (lock === null || !(value instanceof Map) || place.text !== this.#raw) return value
    for (const [name, told] of value)
      if (typeof told === 'string') value.set(name, asText(lock.string(latin1(told), place)))
    return value
  }

  dict(value: PdfValue | undefined): PdfDict | null {
    const found = this.resolve(value)
    return found instanceof Map ? found : null
  }

  array(value: PdfValue | undefined): readonly PdfValue[] {
    const found = this.resolve(value)
    return Array.isArray(found) ? found : []
  }

  number(value: PdfValue | undefined): number {
    const found = this.resolve(value)
    return typeof found === 'number' ? found : 0
  }

  name(value: PdfValue | undefined): string {
    const found = this.resolve(value)
    return isName(found) ? found.name : ''
  }

  /** Streams are objects of their own and never within another. */
  stream(value: PdfValue | undefined): PdfStream | null {
    if (!isRef(value)) return null
    const known = this.#streams.get(value.ref)
    if (known !== undefined) return known
    const place = this.#places.get(value.ref)
    const stream = place === undefined || place.text !== this.#raw ? null : this.#streamAt(place)
    if (this.#streams.size < KNOWN_MAX) this.#streams.set(value.ref, stream)
    return stream
  }

  #streamAt(place: Place): PdfStream | null {
    const reader = this.#readerAt(place)
    const dict = reader.value()
    if (!(dict instanceof Map)) return null
    const from = place.at + reader.at
    const gap = this.#raw.slice(from, from + STREAM_GAP + 'stream'.length).indexOf('stream')
    if (gap < 0) return null
    const end = from + gap + 'stream'.length
    const { number, generation } = place
    return { number, generation, dict, start: end + (this.#raw.startsWith('\r\n', end) ? 2 : 1) }
  }

  /** What a stream holds, unpacked; '' where it cannot be. */
  text(stream: PdfStream): string {
    const { dict, start } = stream
    const known = this.#texts.get(start)
    if (known !== undefined) {
      this.budget.spend(STREAM_WORK + known.length)
      return known
    }
    const filters = this.#names(dict.get('Filter') ?? dict.get('F'))
    const told = this.resolve(dict.get('DecodeParms') ?? dict.get('DP'))
    const parameters = (Array.isArray(told) ? told.slice(0, NAMES_MAX) : [told]).map((one) => this.dict(one))
    const packed = this.#bytes.subarray(start, this.#endOf(stream))
    this.budget.spend(STREAM_WORK + (packed.length >> 2))
    const bytes = unpacked(this.#lock?.stream(packed, stream) ?? packed, filters, parameters, this.budget)
    this.budget.spend(bytes?.length ?? 0)
    const text = bytes === null ? '' : asText(bytes)
    if (this.#texts.size < TEXTS_MAX && text.length <= TEXT_CHARS_MAX) this.#texts.set(start, text)
    return text
  }

  #endOf({ dict, start }: PdfStream): number {
    const told = start + this.number(dict.get('Length'))
    if (told > start && /^\s{0,2}endstream/.test(this.#raw.slice(told, told + 12))) return told
    const end = this.#raw.indexOf('endstream', start)
    return end < 0 ? this.#raw.length : end
  }

  #names(value: PdfValue | undefined): string[] {
    const found = this.resolve(value)
    return (Array.isArray(found) ? found.slice(0, NAMES_MAX) : [found])
      .map((one) => this.name(one))
      .filter((name) => name !== '')
  }
}
