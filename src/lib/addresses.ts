import { plainHost } from './glob.ts'
import { SECRET_MASK } from './text.ts'

const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const WEB_SCHEME = /^https?:/i
/** A host that nobody takes for a word: with a dot, with a port, or `localhost`. */
const HOST = /^(?:[^\s/?#:@]+\.[^\s/?#:@]+|\[[0-9a-f:.]+\]|localhost|[^\s/?#:@]+(?=:\d))\.?(?::\d{1,5})?(?=[/?#]|$)/i

/**
 * The http or https address that somebody meant: white space and `<…>` around it gone, `https://` put before a bare host.
 * Null for anything else; whether it may be visited is not asked here.
 */
export function webAddress(written: string): string | null {
  const bare = written
    .trim()
    .replace(/^<(.*)>$/s, '$1')
    .trim()
  if (bare === '' || /\s/.test(bare)) return null
  const address = WEB_SCHEME.test(bare) ? bare : withScheme(bare)
  return address !== null && URL.canParse(address) ? address : null
}

function withScheme(bare: string): string | null {
  if (ANY_SCHEME.test(bare)) return null
  const host = bare.startsWith('//') ? bare.slice(2) : bare
  return HOST.test(host) ? `https://${host}` : null
}

/** How a parameter of a query is called whose value is a secret, such as `api_key`, `exaApiKey`, `access_token`. */
const NAMES_SECRET = /(?:key|token|secret|password|signature|credentials?|auth)$|^(?:code|sig|pwd)$/i
const PARAMETER = /([?&])([^=&#]*)=([^&#]+)/g

/** An address as it is shown: a user name and a password in it are secrets, and so is what its query says under the name of one. */
export function shownAddress(address: string): string {
  return address
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${SECRET_MASK}@`)
    .replace(PARAMETER, (all, mark: string, name: string) =>
      NAMES_SECRET.test(name) ? `${mark}${name}=${SECRET_MASK}` : all,
    )
}

/** An address that comes back: what is masked in its query is what the known one has there, at the same origin. */
export function withKnownSecrets(address: string, known: string): string {
  if (URL.parse(address)?.origin !== URL.parse(known)?.origin) return address
  const values = new Map(Array.from(known.matchAll(PARAMETER), ([, , name = '', value = '']) => [name, value]))
  return address.replace(PARAMETER, (all, mark: string, name: string, value: string) =>
    value === SECRET_MASK && values.has(name) ? `${mark}${name}=${values.get(name)}` : all,
  )
}

const SCHEMED = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,31}:\/\/[^\s<>"'`，。；、！？（）《》【】]+/gi

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** What ends a sentence rather than an address. */
const SENTENCE_END = /[.,;:!?)\]}*_|]+$/

/** Addresses of any scheme that a text holds, as they are written there. */
export function addressesIn(text: string): string[] {
  const found = text.match(SCHEMED)?.map((one) => one.replace(SENTENCE_END, '')) ?? []
  return found.filter((one) => URL.canParse(one))
}

/** Addresses in a value of an argument: those that its texts hold, names of fields too, and texts that are one without its scheme.
 *  What is nested deeper than `depthMax` is looked through as its JSON. */
export function addressesWithin(value: unknown, depthMax: number): string[] {
  const texts = textsWithin(value, depthMax)
  return [...new Set(texts.flatMap((text) => [...addressesIn(text), ...bareAddress(text)]))]
}

/** A file name has one dot at most. */
const BARE = /[/?#:]|\.[^.]+\.[a-z\u0080-\uffff-]+$/i

/** An address that stands alone without its scheme. */
function bareAddress(text: string): string[] {
  const bare = text.trim()
  const address = SCHEME.test(bare) ? null : webAddress(bare)
  return address !== null && BARE.test(bare.replace(/^\/\//, '')) ? [address] : []
}

/** Every text of a value, names of fields too. */
export function textsWithin(value: unknown, depthMax: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? [String(value)] : []
  if (depthMax === 0) return [JSON.stringify(value)]
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value).flatMap((inner) => textsWithin(inner, depthMax - 1))]
}

const BARE_HOST =
  /(?<![a-z0-9-])(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,10}[a-z][a-z0-9-]{1,62}|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi
/** A host that stands apart from other words, in any script. */
const APART =
  /(?<![^\s<>"'`，。；、！？（）《》【】：“”])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,10}(?:[a-z]{2,20}|[\p{Lo}\p{M}]{2,6})(?![^\s<>"'`，。；、！？（）《》【】：“”/:?#])/gu
/** Ends of file names that are ends of hosts too: alone, with one dot, they mean a file. */
const FILE_NAME = /^[^.]+\.(?:md|rs|py|sh|zip|mov|pl|ps|so|cc)$/i

/** Hosts that a text names, alone or in an address, as an address would have them; each once. */
export function hostsIn(text: string): string[] {
  const inAddresses = addressesIn(text).flatMap((address) => webHost(address) ?? [])
  const bare = [...(text.match(BARE_HOST) ?? []), ...foreignHosts(text)]
  const named = bare.filter((host) => !FILE_NAME.test(host)).flatMap((host) => webHost(`http://${host}`) ?? [])
  return [...new Set([...inAddresses, ...named])]
}

function foreignHosts(text: string): string[] {
  return text.match(APART)?.filter((host) => /[^\u0020-\u007e]/.test(host)) ?? []
}

function webHost(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.hostname : null
}

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

/** Host and port of an address, the port written out. */
export function hostPort(address: string): string {
  const { protocol, hostname, port } = new URL(address)
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`
}

/** A path of files as it stands in an address. */
export function inAddress(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
