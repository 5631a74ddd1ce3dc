import { IMAGE_TYPES, type Part, type ReadText } from '../../../domain/content.ts'
import { type BytesPartInput, type ContentInput, inputWords } from '../../../domain/content-input.ts'
import { fail, invalid, ok, type Result } from '../../../domain/errors.ts'
import { type FileEntry, filePath } from '../../../domain/file.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { contentTypeOf } from '../../../lib/content-type.ts'
import { fenceMark } from '../../../lib/fence.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import { newId } from '../../../lib/id.ts'
import { estimateTokens, graphemeStart } from '../../../lib/text.ts'
import { describeFailure } from '../../../net/outcome.ts'
import { readSource } from '../../../reader/read-source.ts'
import { PATH_TEXTS } from '../../../tools/files/texts.ts'
import { placeParts } from './place.ts'
import type { TakenPart, TakenParts, TakingPorts } from './taken.ts'

interface FoundBytes {
  bytes: Uint8Array
  /** What who sent them says that they are. */
  mediaType: string | null
  name: string | null
  /** The file that they are of; null: they are new. */
  entry: FileEntry | null
}

const NO_IMAGE = 'a PNG, JPEG, GIF or WebP image'

/** Takes the bytes that the parts of one request bring along, within its limits. */
export class Taking {
  readonly #ports: TakingPorts
  #bytesLeft: number = LIMITS.parts.requestBytesMax
  #addressesLeft: number = LIMITS.parts.addressesMax
  #fetchMsLeft: number = LIMITS.parts.fetchMs

  constructor(ports: TakingPorts) {
    this.#ports = ports
  }

  /** `pathOf`: of each part in its request. `isPast`: a file that is not there any more is left as it was named. */
  async take(
    content: Exclude<ContentInput, string>,
    pathOf: (index: number) => string,
    isPast: boolean,
  ): Promise<Result<TakenParts>> {
    const chars = content.reduce((sum, one) => sum + (one.type === 'text' ? one.text.length : 0), 0)
    const charsMax = LIMITS.text.contentCharsMax
    if (chars > charsMax)
      return invalid([{ path: pathOf(0), message: `at most ${charsMax} characters of text in all` }])
    let filesLeft = content.filter((one) => 'source' in one).length
    let tokensLeft = this.#ports.tokensMax
    const taken: TakenPart[] = []
    for (const [index, one] of content.entries()) {
      if (!('source' in one)) {
        taken.push(one)
        continue
      }
      const part = await this.#part(one, pathOf(index), { isPast, tokensMax: tokensLeft / filesLeft })
      if (!part.ok) return part
      filesLeft -= 1
      tokensLeft -= tokensIn(part.value)
      taken.push(part.value)
    }
    return ok({ words: inputWords(content), place: (files, before) => placeParts(taken, files, before) })
  }

  async #part(
    given: BytesPartInput,
    path: string,
    { isPast, tokensMax }: { isPast: boolean; tokensMax: number },
  ): Promise<Result<TakenPart>> {
    const found = await this.#bytes(given, `${path}.${given.field}`)
    if (!found.ok) return isPast && given.source.from === 'path' ? lostPart(given, found) : found
    const { bytes, entry } = found.value
    const told = given.mediaType ?? found.value.mediaType
    const name = given.name ?? found.value.name
    const sniffed = contentTypeOf(name ?? '', bytes)
    const isImage = IMAGE_TYPES.has(sniffed)
    if (given.type === 'image') {
      if (given.mediaType !== undefined && !/^image\//i.test(given.mediaType))
        return invalid([{ path: `${path}.media_type`, message: 'the media type of an image, such as image/png' }])
      if (!isImage) return invalid([{ path: `${path}.${given.field}`, message: NO_IMAGE }])
    }
    const mediaType = isImage ? sniffed : (told ?? entry?.contentType ?? sniffed)
    const facts = {
      media_type: mediaType.slice(0, LIMITS.parts.mediaTypeCharsMax),
      ...(name === null ? {} : { name }),
      size: bytes.byteLength,
      ...((entry?.untrusted ?? true) ? { untrusted: true as const } : {}),
    }
    const read = isImage
      ? null
      : await readText(bytes, { told, sniffed, secret: newId('part', this.#ports.now()) }, tokensMax)
    const part = isImage
      ? { type: 'image' as const, ...facts }
      : { type: 'file' as const, ...facts, ...(read && { read }) }
    if (entry) return ok({ ...part, path: entry.path })
    return ok({ part, bytes, sha256: await sha256Hex(bytes), fileName: name ?? given.type })
  }

  async #bytes({ source }: BytesPartInput, path: string): Promise<Result<FoundBytes>> {
    if (source.from === 'path') return this.#stored(source.path, path)
    const found =
      source.from === 'bytes'
        ? ok({ bytes: source.bytes, mediaType: source.mediaType, name: null, entry: null })
        : await this.#fetched(source.address, path)
    if (!found.ok) return found
    const size = found.value.bytes.byteLength
    const { partBytesMax } = LIMITS.parts
    if (size > partBytesMax) return tooLarge(path, partBytesMax, 'a part')
    if (size > this.#bytesLeft) return tooLarge(path, LIMITS.parts.requestBytesMax, 'all parts of a request')
    this.#bytesLeft -= size
    return found
  }

  #stored(written: string, path: string): Result<FoundBytes> {
    const checked = filePath(written)
    if (!checked.ok) return invalid([{ path, message: PATH_TEXTS.en[checked.problem] }])
    const { files } = this.#ports
    const entry = files.stat(checked.path)
    const bytes = files.read(checked.path)
    if (!entry || !bytes) return invalid([{ path, message: 'the path of a file in the workspace' }])
    return ok({ bytes, mediaType: null, name: lastName(checked.path), entry })
  }

  /** Whatever an address answers goes through the guard, as what a tool reads does. */
  async #fetched(address: string, path: string): Promise<Result<FoundBytes>> {
    const { addressesMax, partBytesMax, requestBytesMax } = LIMITS.parts
    if (this.#addressesLeft-- <= 0)
      return invalid([{ path, message: `at most ${addressesMax} addresses in a request` }])
    const began = this.#ports.now()
    const timeoutMs = Math.max(1, this.#fetchMsLeft)
    const bodyBytesMax = Math.min(partBytesMax, this.#bytesLeft)
    const outcome = await this.#ports.engine.fetchGuarded(address, { timeoutMs, bodyBytesMax })
    this.#fetchMsLeft = this.#fetchMsLeft - (this.#ports.now() - began)
    if (!outcome.ok) {
      if (outcome.code === 'too_large' && bodyBytesMax === partBytesMax) return tooLarge(path, partBytesMax, 'a part')
      if (outcome.code === 'too_large') return tooLarge(path, requestBytesMax, 'all parts of a request')
      return invalid([{ path, message: describeFailure(outcome, 'en') }])
    }
    const { status, headers, url, bytes } = outcome.response
    if (status < 200 || status > 299) return invalid([{ path, message: `an address that answers; it said ${status}` }])
    return ok({ bytes, mediaType: headers.get('content-type'), name: nameInAddress(url), entry: null })
  }
}

function tooLarge(path: string, bytesMax: number, of: string): Result<never> {
  return fail({ code: 'body_too_large', bytesMax, issues: [{ path, message: `at most ${bytesMax} bytes for ${of}` }] })
}

/** A file of an older message that is not in the workspace: the message goes on naming it. */
function lostPart({ type, source, name, mediaType }: BytesPartInput, refused: Result<never>): Result<Part> {
  const checked = source.from === 'path' ? filePath(source.path) : null
  if (!checked?.ok) return refused
  const media_type = mediaType ?? 'application/octet-stream'
  return ok({ type, path: checked.path, media_type, ...(name === undefined ? {} : { name }) })
}

function lastName(path: string): string | null {
  return path.split('/').at(-1) ?? null
}

function nameInAddress(address: string): string | null {
  const last = URL.parse(address)?.pathname.split('/').at(-1) ?? ''
  try {
    const name = decodeURIComponent(last).slice(0, LIMITS.text.nameCharsMax)
    return name === '' ? null : name
  } catch {
    return null
  }
}

/** The text of a file as our reader has it, as much as there is room for; null: it has none that can be read. */
async function readText(
  bytes: Uint8Array,
  { told, sniffed, secret }: { told: string | null; sniffed: string; secret: string },
  tokensMax: number,
): Promise<ReadText | null> {
  const { kind, markdown } = await readSource({ bytes, contentType: told ?? sniffed, url: '' })
  if (kind === 'binary' || markdown === '') return null
  const start = markdown.slice(0, LIMITS.parts.textCharsMax)
  const tokens = estimateTokens(start)
  const chars = tokens <= tokensMax ? start.length : Math.floor((start.length * tokensMax) / tokens)
  const text = markdown.slice(0, graphemeStart(markdown, chars)).toWellFormed()
  return { text, mark: await fenceMark(text, secret), length: markdown.length }
}

function tokensIn(taken: TakenPart): number {
  const part = 'part' in taken ? taken.part : taken
  return part.type === 'file' && part.read ? estimateTokens(part.read.text) : 0
}
