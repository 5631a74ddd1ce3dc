import * as z from 'zod'
import { fromBase64 } from '../lib/base64.ts'
import { bytesOf } from '../lib/bytes.ts'
import { textOf } from '../lib/text.ts'
import { LIMITS } from './limits.ts'

const { perMessageMax, mediaTypeCharsMax } = LIMITS.parts
const { contentCharsMax, nameCharsMax } = LIMITS.text

/** Where the bytes of a part are: here, at an address, or in the workspace already. */
export type PartSource =
  | { from: 'bytes'; bytes: Uint8Array<ArrayBuffer>; mediaType: string | null }
  | { from: 'address'; address: string }
  | { from: 'path'; path: string }

const NO_BASE64 = 'bytes in base64'
const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i
/** What stands before the comma of a `data:` address. */
const DATA_HEAD_CHARS_MAX = 300

const base64 = z
  .string()
  .transform((text, context): PartSource => {
    const bytes = fromBase64(text)
    if (bytes !== null) return { from: 'bytes', bytes, mediaType: null }
    context.addIssue({ code: 'custom', message: NO_BASE64 })
    return z.NEVER
  })
  .describe('Bytes in base64.')

const address = z
  .string()
  .min(1)
  .transform((text, context): PartSource => {
    const read = sourceOf(text)
    if (typeof read !== 'string') return read
    context.addIssue({ code: 'custom', message: read })
    return z.NEVER
  })
  .describe('An http or https address, which is fetched once, or a data: URL.')

/** A text; else what it should be. */
function sourceOf(text: string): PartSource | string {
  if (!/^data:/i.test(text)) {
    const isAddress = text.length <= LIMITS.web.urlCharsMax && /^https?:\/\//i.test(text) && URL.canParse(text)
    return isAddress ? { from: 'address', address: text } : 'an http or https address, or a data: URL'
  }
  const [head, mediaType = '', parameters = ''] = DATA_URL.exec(text.slice(0, DATA_HEAD_CHARS_MAX)) ?? []
  if (head === undefined) return 'a data: URL, such as data:image/png;base64,…'
  const body = text.slice(head.length)
  const isBase64 = /;\s*base64\s*$/i.test(parameters)
  const bytes = isBase64 ? fromBase64(body) : percentDecoded(body)
  if (bytes === null) return isBase64 ? NO_BASE64 : 'percent-encoded bytes'
  return { from: 'bytes', bytes, mediaType: mediaType.trim() === '' ? null : mediaType.trim().toLowerCase() }
}

function percentDecoded(text: string): Uint8Array<ArrayBuffer> | null {
  const written = new TextEncoder().encode(text)
  const bytes = new Uint8Array(written.length)
  let length = 0
  for (let at = 0; at < written.length; at++) {
    const code = written[at] === PERCENT ? String.fromCharCode(...written.subarray(at + 1, at + 3)) : null
    if (code !== null && !/^[\da-f]{2}$/i.test(code)) return null
    bytes[length++] = code === null ? (written[at] ?? 0) : parseInt(code, 16)
    if (code !== null) at += 2
  }
  return bytes.slice(0, length)
}

const PERCENT = 0x25

const mediaType = z
  .string()
  .max(mediaTypeCharsMax)
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(?:\s*;.*)?$/i, 'a media type such as application/pdf')

const sources = {
  data: base64.optional(),
  url: address.optional(),
  path: z
    .string()
    .min(1)
    .max(2_000)
    .transform((path): PartSource => ({ from: 'path', path }))
    .describe('A file that is in the workspace.')
    .optional(),
}
const about = {
  name: z.string().min(1).max(nameCharsMax).optional(),
  media_type: mediaType.describe('Not given: what the bytes say.').optional(),
  /** What a stored part has beside: it may come back as it is, and is not looked at. */
  size: z.number().optional(),
  untrusted: z.boolean().optional(),
}

const oneOf = (names: readonly string[]) => ({
  holds: (given: object) => names.filter((name) => Reflect.get(given, name) !== undefined).length === 1,
  words: `one of ${names.join(', ')}`,
})
const IMAGE_SOURCE = oneOf(['image_url', 'data', 'url', 'path'])
const FILE_SOURCE = oneOf(['data', 'url', 'path'])

/** A part that brings bytes along. `field`: the one that says where they are. */
export interface BytesPartInput {
  type: 'image' | 'file'
  source: PartSource
  field: string
  name?: string
  mediaType?: string
}

interface Sources extends z.infer<z.ZodObject<typeof sources & typeof about>> {
  image_url?: PartSource | { url: PartSource } | undefined
}

/** `given` has one source. */
function bytesPart(type: BytesPartInput['type'], given: Sources): BytesPartInput {
  const { image_url: image, name, media_type: media } = given
  const told = image === undefined || 'from' in image ? image : image.url
  const found = Object.entries({ image_url: told, data: given.data, url: given.url, path: given.path })
  const [field, source] = found.find(([, one]) => one !== undefined) ?? []
  if (field === undefined || source === undefined) throw new Error('a part without a source was let through')
  const more = { ...(name === undefined ? {} : { name }), ...(media === undefined ? {} : { mediaType: media }) }
  return { type, source, field, ...more }
}

export const textPart = z.strictObject({ type: z.literal('text'), text: z.string().max(contentCharsMax) })
export const imagePart = z
  .strictObject({
    type: z.literal('image'),
    image_url: z
      .union([address, z.strictObject({ url: address, detail: z.enum(['auto', 'low', 'high']).optional() })])
      .optional(),
    ...sources,
    ...about,
  })
  .refine(IMAGE_SOURCE.holds, IMAGE_SOURCE.words)
  .transform((given) => bytesPart('image', given))
export const filePart = z
  .strictObject({ type: z.literal('file'), ...sources, ...about, read: z.unknown().optional() })
  .refine(FILE_SOURCE.holds, FILE_SOURCE.words)
  .transform((given) => bytesPart('file', given))
export const dataPart = z.strictObject({
  type: z.literal('data'),
  data: z.unknown().refine((value) => value !== undefined && jsonBytes(value) <= contentCharsMax, {
    error: `a JSON value of at most ${contentCharsMax} bytes`,
  }),
})

function jsonBytes(value: unknown): number {
  return bytesOf(JSON.stringify(value))
}

/** A part that brings bytes, where nothing else may stand. */
export const bytesPartInput = z.discriminatedUnion('type', [imagePart, filePart], {
  error: 'a part of type image or file',
})

/** A part of a message as a client sends it. The bytes of an image or a file go into the workspace. */
export const partInput = z.discriminatedUnion('type', [textPart, imagePart, filePart, dataPart])
export type PartInput = z.infer<typeof partInput>

export const partsInput = z.array(partInput).min(1).max(perMessageMax)

/** What a message says, as a client sends it. */
const CONTENT = { error: 'a text, or a list of parts' }
export const contentInput = z.union([z.string().min(1).max(contentCharsMax), partsInput], CONTENT)
/** The same of an older message, which may be empty. */
export const pastContentInput = z.union([z.string().max(contentCharsMax), partsInput], CONTENT)
export type ContentInput = z.infer<typeof contentInput>
/** As it is written, before it is read. */
export type WrittenContent = z.input<typeof contentInput>

/** The words that a content is told in: its text; its data only where it has no text. */
export function inputWords(content: ContentInput): string {
  if (typeof content === 'string') return content
  const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []))
  const data = content.flatMap((one) => (one.type === 'data' ? [textOf(one.data)] : []))
  return texts.join('\n') || data.join('\n')
}

/** Members of a part, and of a file, that hold bytes as text. */
const BYTES_MEMBERS: ReadonlySet<string> = new Set(['data', 'url', 'image_url'])

/** Characters of a JSON value that stand for the bytes of parts and files; its levels are bounded. */
export function partCharsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, one]) =>
      sum + (typeof one === 'string' ? (BYTES_MEMBERS.has(name) ? one.length : 0) : partCharsIn(one)),
    0,
  )
}
