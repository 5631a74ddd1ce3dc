import { plainHost } from './host-pattern.ts'

/** What an address goes on with; behind anything else it has ended. */
const GOES_ON = /[A-Za-z0-9\-._~:/?#@!$&*+;=%]/
const FOUND = /https?:\\?\/\\?\/[^\s<>"'`，。；、！？（）《》【】]+/gi
/** What may stand behind an address in a text, and in one. */
const TRAILING = /[.,;:!?)\]}*_~|\\]$/
const TRAILING_MAX = 6

/** Whether a text holds an address whole, verbatim or as texts spell the same: without its scheme, escaped for HTML or JSON, with
 *  characters that an address has percent-encoded. What the text spells decides: whoever asks has no choice of spellings. */
export function holdsAddress(text: string, address: string): boolean {
  const wanted = spellingsOf(address)
  if (wanted.some((spelling) => holdsWhole(text, spelling))) return true
  const { hostname } = new URL(address)
  const mayHold = hostname.includes('xn--') || text.toLowerCase().includes(plainHost(hostname))
  return mayHold && (text.match(FOUND) ?? []).some((found) => meanings(found).some((one) => wanted.includes(one)))
}

/** As it is written, and as a page may write the same: with or without the slash that ends it, without fragment or scheme. */
function spellingsOf(address: string): string[] {
  const url = new URL(address)
  const bare = url.href.slice(0, url.href.length - url.hash.length)
  const whole = [address, url.href, bare, bare.endsWith('/') ? bare.slice(0, -1) : `${bare}/`]
  return [...new Set([...whole, ...whole.map((one) => one.replace(/^https?:\/\//i, ''))])]
}

function holdsWhole(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const begins = /^https?:/i.test(address) || !/[A-Za-z0-9\-._~@%/]/.test(text[at - 1] ?? ' ')
    if (begins && !GOES_ON.test(text[at + address.length] ?? ' ')) return true
  }
  return false
}

/** Addresses that a piece of text can mean, normalised. */
function meanings(found: string): string[] {
  const ends = [found]
  while (ends.length <= TRAILING_MAX && TRAILING.test(ends.at(-1) ?? '')) ends.push((ends.at(-1) ?? '').slice(0, -1))
  const plain = ends.flatMap((end) => [end, end.replaceAll('&amp;', '&'), unescaped(end)])
  return [...new Set(plain)].flatMap((one) => {
    const url = URL.parse(one)
    if (url === null) return []
    url.hash = ''
    return [url.href, upperEscapes(url.href), decoded(url.href)]
  })
}

/** Without the escapes of JSON. */
function unescaped(text: string): string {
  const code = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  return text.replaceAll('\\/', '/').replaceAll(/\\u([0-9a-f]{4})/gi, code)
}

function upperEscapes(href: string): string {
  return href.replaceAll(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())
}

/** With the characters that need no percent sign written as they are, and the other escapes in upper case. */
function decoded(href: string): string {
  return upperEscapes(href).replaceAll(/%(2D|2E|5F|7E|3[0-9]|[46][1-9A-F]|[57][0-9A])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
