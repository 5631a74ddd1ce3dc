/** A `Content-Type` header in its parts, both lower case; empty and null where it says nothing. */
interface MediaType {
  type: string
  charset: string | null
}

export function parseMediaType(header: string | null): MediaType {
  const [type = '', ...parameters] = (header ?? '').split(';')
  const charset = parameters.map(charsetOf).find((value) => value !== null) ?? null
  return { type: type.trim().toLowerCase(), charset }
}

function charsetOf(parameter: string): string | null {
  const [name = '', value = ''] = parameter.split('=')
  const label = value
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase()
  return name.trim().toLowerCase() === 'charset' && label !== '' ? label : null
}

const TEXT_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  sql: 'application/sql',
}

const BINARY_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ico: 'image/x-icon',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  wasm: 'application/wasm',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  epub: 'application/epub+zip',
}

/** Null: any byte. */
const SIGNATURES: readonly { type: string; start: readonly (number | null)[] }[] = [
  { type: 'image/png', start: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'image/jpeg', start: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', start: [0x47, 0x49, 0x46, 0x38] },
  { type: 'image/webp', start: [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50] },
  { type: 'application/pdf', start: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { type: 'application/zip', start: [0x50, 0x4b, 0x03, 0x04] },
  { type: 'application/gzip', start: [0x1f, 0x8b] },
]

/** What is none of these by its first bytes is none by the ending of its name. */
const SIGNED: ReadonlySet<string> = new Set(SIGNATURES.map(({ type }) => type))

/** Documents that are archives inside. */
const ARCHIVES: ReadonlySet<string> = new Set(['docx', 'xlsx', 'pptx', 'epub'])

/** The media type of a file: by its first bytes, by the ending of its name where they agree, and else text or bytes. */
export function contentTypeOf(name: string, bytes: Uint8Array): string {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const signature = SIGNATURES.find(({ start }) => start.every((byte, at) => byte === null || bytes[at] === byte))
  if (signature) return (ARCHIVES.has(ending) && BINARY_TYPES[ending]) || signature.type
  const text = decodedText(bytes)
  const named = BINARY_TYPES[ending]
  if (text === null) return named === undefined || SIGNED.has(named) ? 'application/octet-stream' : named
  return `${TEXT_TYPES[ending] ?? 'text/plain'}; charset=${text.charset}`
}

/** The media type of a file by the ending of its name alone. */
export function mediaTypeOf(name: string): string {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return TEXT_TYPES[ending] ?? BINARY_TYPES[ending] ?? 'application/octet-stream'
}

/** The ending that names of files with a media type have; `bin` for one that is not known. */
export function endingOf(mediaType: string): string {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase()
  const known = Object.entries({ ...TEXT_TYPES, ...BINARY_TYPES }).find(([, one]) => one === type)
  return known?.[0] ?? 'bin'
}

interface DecodedText {
  text: string
  charset: string
}

/** Bytes as text where they are one for certain: UTF-8, UTF-16 with its mark, else GB 18030. Null: they are not. */
export function decodedText(bytes: Uint8Array): DecodedText | null {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isUtf16) return decoded(bytes, bytes[0] === 0xff ? 'utf-16le' : 'utf-16be')
  if (bytes.includes(0)) return null
  return decoded(bytes, 'utf-8') ?? decoded(bytes, 'gb18030')
}

function decoded(bytes: Uint8Array, charset: string): DecodedText | null {
  try {
    return { text: new TextDecoder(charset, { fatal: true, ignoreBOM: false }).decode(bytes), charset }
  } catch {
    return null
  }
}
