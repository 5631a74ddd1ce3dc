import { parseMediaType } from '../lib/media-type.ts'

/** Where a page may declare its character set; browsers look at 1,024 bytes, pages are less tidy. */
const PRESCAN_BYTES = 4_096
const REPLACEMENT = '\uFFFD'

const BYTE_ORDER_MARKS: readonly { bytes: readonly number[]; label: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], label: 'utf-8' },
  { bytes: [0xff, 0xfe], label: 'utf-16le' },
  { bytes: [0xfe, 0xff], label: 'utf-16be' },
]

const META = /<meta\s[^>]{0,1000}>/gi
const META_CHARSET = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i
const XML_DECLARATION = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"']+)["']/i

/**
 * The text of a document: byte order mark, then the `Content-Type`, then what the document declares, then UTF-8. Bytes
 * that do not fit become U+FFFD; if the first choice leaves many and another declared one leaves none, that one is taken.
 */
export function decodeBytes(bytes: Uint8Array, contentType: string | null): string {
  const mark = BYTE_ORDER_MARKS.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte))
  if (mark !== undefined) return decodeWith(mark.label, bytes) ?? ''
  const labels = [() => parseMediaType(contentType).charset, () => declaredCharset(bytes), () => 'utf-8']
  const texts = new Map<string, string>()
  for (const labelOf of labels) {
    const label = labelOf()
    const text = label === null || texts.has(label) ? null : decodeWith(label, bytes)
    if (text !== null && !text.includes(REPLACEMENT)) return text
    if (label !== null && text !== null) texts.set(label, text)
  }
  return [...texts.values()][0] ?? ''
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

/** Null: nobody knows the label. */
function decodeWith(label: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return null
  }
}
