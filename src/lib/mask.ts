import { toBase64 } from './base64.ts'
import { type ByteSink, feedBytes, Unescaper } from './escapes.ts'
import { ByteFinder, ByteSearch } from './finder.ts'
import { SECRET_MASK } from './text.ts'

/** How often one escape may stand over another: a text that was quoted in JSON, in an address, in JSON again. */
const LAYERS_MAX = 4
/** A shorter piece of a written value would be found in every text. */
const FORM_BYTES_MIN = 4
/** The digits of a shorter value are found only where they stand together: apart, they are numbers and words of many a text. */
const APART_BYTES_MIN = 8

/** `isCut`: the text goes on, but was not read further; what its end begins of a value is taken out, too. */
export type Mask = (text: string, isCut?: boolean) => string

/** Takes values out of a text, in every spelling that an answer gives them back in: as they are; escaped for addresses, JSON or HTML, wholly or
 *  in part, up to four times over each other; in Base64, alone or within a longer text, and in hex, whatever stands between the digits of a value that is not short.
 *  What it takes grows with the text and with nothing else: each layer goes by once, and all values are looked for at the same time. */
export function maskOf(values: readonly string[]): Mask {
  const given = values.filter((value) => value !== '')
  if (given.length === 0) return (text) => text
  const plain = new ByteFinder(given.flatMap(plainForms), ofForm)
  const { long = [], short = [] } = Object.groupBy(given, (value) => (isLong(value) ? 'long' : 'short'))
  const apart = [
    new ByteFinder(long.flatMap(base64Forms), ifAlphanumeric(ofBase64)),
    new ByteFinder(long.flatMap(hexForms), ifAlphanumeric(ofHex)),
  ]
  const together = [
    new ByteFinder(short.flatMap(base64Forms), ofBase64),
    new ByteFinder(short.flatMap(hexForms), ofHex),
  ]
  const finders = [plain, ...apart, ...together].filter(({ longest }) => longest > 0)
  // A character that is cut is U+FFFD.
  return (text, isCut = false) => withoutFound(isCut ? text.replace(/\uFFFD$/, '') : text, finders, isCut)
}

function withoutFound(text: string, finders: readonly ByteFinder[], isCut: boolean): string {
  // How many finds begin at each unit of the text, less those that end there.
  let bounds: Int32Array | null = null
  const found = (from: number, to: number) => {
    bounds ??= new Int32Array(text.length + 1)
    bounds[from] = (bounds[from] ?? 0) + 1
    bounds[to] = (bounds[to] ?? 0) - 1
  }
  const layers = /[%\\&]/.test(text) ? LAYERS_MAX : 0
  const ends: (() => void)[] = []
  const all: ByteSearch[] = []
  let sink: ByteSink = () => {}
  for (let layer = layers; layer >= 0; layer--) {
    const searches = finders.map((finder) => new ByteSearch(finder, found))
    all.push(...searches)
    const unescaper = layer < layers ? new Unescaper(sink) : null
    if (unescaper) ends.unshift(() => unescaper.end())
    sink = (byte, from, to) => {
      for (const search of searches) search.push(byte, from, to)
      unescaper?.push(byte, from, to)
    }
  }
  feedBytes(text, sink)
  // Before the ends, too: an escape that is cut stands for a byte that nobody knows.
  const takeBegun = () => {
    if (isCut) for (const search of all) search.reportBegun(FORM_BYTES_MIN, text.length)
  }
  takeBegun()
  for (const end of ends) {
    end()
    takeBegun()
  }
  return bounds ? masked(text, bounds) : text
}

function masked(text: string, bounds: Int32Array): string {
  let left = ''
  let open = 0
  let from = 0
  for (let at = 0; at <= text.length; at++) {
    const before = open
    open += bounds[at] ?? 0
    if (before === 0 && open > 0) left += text.slice(from, at) + SECRET_MASK
    if (before > 0 && open === 0) from = at
  }
  return left + text.slice(from)
}

/** A value, and what remains of it when escapes within it are taken away as those of the text are. */
function plainForms(value: string): number[][] {
  const forms = [bytesIn((sink) => feedBytes(value, sink))]
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const form = forms.at(-1) ?? []
    const next = bytesIn((sink) => {
      const unescaper = new Unescaper(sink)
      form.forEach((byte) => unescaper.push(byte, 0, 0))
      unescaper.end()
    })
    if (next.length === form.length || next.length < FORM_BYTES_MIN) break
    forms.push(next)
  }
  return forms
}

function bytesIn(feed: (sink: ByteSink) => void): number[] {
  const bytes: number[] = []
  feed((byte) => bytes.push(byte))
  return bytes
}

/** Forms write a space as `+`. */
function ofForm(byte: number): number {
  return byte === PLUS ? SPACE : byte
}

/** Of both alphabets; forms write a `+` as a space. */
function ofBase64(byte: number): number {
  if (byte === SLASH) return UNDERSCORE
  return byte === MINUS || byte === SPACE ? PLUS : byte
}

/** Of small and capital letters. */
function ofHex(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}

/** Lines may be broken, indented, quoted and joined anywhere, so what is no digit says nothing; the `+` of Base64 neither. */
function ifAlphanumeric(readAs: (byte: number) => number): (byte: number) => number {
  return (byte) => (/[\dA-Za-z_]/.test(String.fromCharCode(readAs(byte))) ? readAs(byte) : -1)
}

const [SPACE, PLUS, MINUS, SLASH, UNDERSCORE] = [0x20, 0x2b, 0x2d, 0x2f, 0x5f]

function isLong(value: string): boolean {
  return new TextEncoder().encode(value).length >= APART_BYTES_MIN
}

function base64Forms(value: string): number[][] {
  const bytes = new TextEncoder().encode(value)
  return longEnough([0, 1, 2].map((offset) => base64Within(bytes, offset)))
}

/** Of its bytes, and as a program writes a list of them. */
function hexForms(value: string): number[][] {
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, '0'))
  return bytes.length < FORM_BYTES_MIN ? [] : longEnough([bytes.join(''), `0x${bytes.join('0x')}`])
}

function longEnough(forms: readonly string[]): number[][] {
  return forms.filter(({ length }) => length >= FORM_BYTES_MIN).map((form) => [...new TextEncoder().encode(form)])
}

/** The characters that all stand for bytes of the value when it begins `offset` bytes into a group of three. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const padded = new Uint8Array(offset + bytes.length)
  padded.set(bytes, offset)
  return toBase64(padded).slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6))
}
