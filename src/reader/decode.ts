import { parseMediaType } from '../lib/content-type.ts'
import { guessEncoding, isEscapedJapanese } from './guess-encoding.ts'

/** Where a page may declare its character set; browsers look at 1,024 bytes, pages are less tidy. */
const PRESCAN_BYTES = 4_096
/** So many characters beyond ASCII that are all right in UTF-8 are in UTF-8, whatever somebody wrote above them. */
const SURE_CHARS = 8
/** From this share of broken ones among all characters beyond ASCII on, a character set is the wrong one. */
const BROKEN_SHARE_MAX = 0.1

/** So many more characters are broken than whole in a text that is in something else. */
const OTHER_TIMES = 2

/** How a text begins that needs no label: with a byte order mark (null: any byte), else with markup in UTF-16. */
const BEGINNINGS: readonly { bytes: readonly (number | null)[]; label: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], label: 'utf-8' },
  { bytes: [0xff, 0xfe], label: 'utf-16le' },
  { bytes: [0xfe, 0xff], label: 'utf-16be' },
  { bytes: [0x3c, 0, null, 0], label: 'utf-16le' },
  { bytes: [0, 0x3c, 0, null], label: 'utf-16be' },
]

const META = /<meta\s[^>]{0,1000}>/gi
const META_CHARSET = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i
const XML_DECLARATION = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"']+)["']/i
const ASCII_END = 0x80
const REPLACEMENT = 0xfffd

interface Decoded {
  text: string
  /** As the platform calls it. */
  encoding: string
  /** Characters beyond ASCII that are whole, and those that are U+FFFD. */
  whole: number
  broken: number
}

/**
 * The text of a document: byte order mark, then the `Content-Type`, then what the document declares, then UTF-8. Bytes
 * that do not fit become U+FFFD. A label that the bytes belie is passed over: when they are UTF-8 beyond doubt, or when
 * many do not fit and far more fit a later one. Without another label than UTF-8, text that is not in UTF-8 is read by what it looks like.
 */
export function decodeBytes(bytes: Uint8Array, contentType: string | null): string {
  const beginning = BEGINNINGS.find((candidate) => startsWith(bytes, candidate.bytes))
  if (beginning !== undefined) return new TextDecoder(beginning.label).decode(bytes)
  const labels = [parseMediaType(contentType).charset, declaredCharset(bytes)]
  const decoders = [...labels.flatMap((label) => decoderOf(label)), new TextDecoder()]
  if (decoders.every(({ encoding }) => encoding === 'utf-8')) {
    const text = new TextDecoder().decode(bytes)
    if (isEscapedJapanese(text)) return new TextDecoder('iso-2022-jp').decode(bytes)
    // Where a text is cut, its last character may be.
    const isBroken = text.includes('\ufffd') && isOther(counted(text.replace(/\ufffd$/, ''), 'utf-8'))
    return isBroken ? new TextDecoder(guessEncoding(bytes)).decode(bytes) : text
  }
  const choices = decoders.map((decoder) => decodeWith(decoder, bytes))
  return choices.find((choice) => isUtf8(choice, choices))?.text ?? choices.reduce(better).text
}

/** Whether bytes are UTF-8 whatever was said of them: no other text of some length looks like it by chance. */
function isUtf8(choice: Decoded, [declared]: readonly Decoded[]): boolean {
  if (choice.encoding !== 'utf-8' || choice.whole === 0 || !isFitting(choice) || declared === undefined) return false
  if (choice.whole >= SURE_CHARS) return true
  return choice.broken === 0 && (declared.broken > 0 || isSingleByte(declared))
}

function isSingleByte({ encoding }: Decoded): boolean {
  return /^(?:windows|iso-8859|koi8|ibm|mac|x-mac)/.test(encoding)
}

function isFitting({ whole, broken }: Decoded): boolean {
  return broken <= (whole + broken) * BROKEN_SHARE_MAX
}

/** Hardly any character fits but by chance. */
function isOther({ whole, broken }: Decoded): boolean {
  return broken > OTHER_TIMES * whole
}

/** The earlier one if it fits, or unless the later one has far fewer broken characters; in one of single bytes nothing is ever broken, but it may well be what is no UTF-8. */
function better(earlier: Decoded, later: Decoded): Decoded {
  if (isFitting(earlier) || (isSingleByte(later) && earlier.encoding !== 'utf-8')) return earlier
  return later.broken < earlier.broken / 2 ? later : earlier
}

/** What `<meta charset>`, `<meta http-equiv>` or an XML declaration near the start says. */
function declaredCharset(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES))
  const label = XML_DECLARATION.exec(start)?.[1] ?? metaCharset(start)
  if (label === null) return null
  // A document whose declaration could be read as ASCII is not in UTF-16.
  return /^utf-?16/i.test(label) ? 'utf-8' : label.trim().toLowerCase()
}

function metaCharset(start: string): string | null {
  for (const [tag] of start.matchAll(META)) {
    const label = META_CHARSET.exec(tag)?.[1]
    if (label !== undefined) return label
  }
  return null
}

/** None for a label that nobody knows. */
function decoderOf(label: string | null): TextDecoder[] {
  try {
    return label === null ? [] : [new TextDecoder(label)]
  } catch {
    return []
  }
}

function decodeWith(decoder: TextDecoder, bytes: Uint8Array): Decoded {
  return counted(decoder.decode(bytes), decoder.encoding)
}

function counted(text: string, encoding: string): Decoded {
  let whole = 0
  let broken = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === REPLACEMENT) broken += 1
    else if (code >= ASCII_END) whole += 1
  }
  return { text, encoding, whole, broken }
}

function startsWith(bytes: Uint8Array, start: readonly (number | null)[]): boolean {
  return bytes.length >= start.length && start.every((byte, index) => byte === null || bytes[index] === byte)
}
