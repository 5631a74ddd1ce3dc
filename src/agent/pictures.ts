import { IMAGE_TYPES, type ImagePart, imagesIn } from '../domain/content.ts'
import type { FileEntry, Files } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import { type ModelMessage, type ModelRequest, type ModelSpec, textIn } from '../domain/model.ts'
import type { SessionState } from '../domain/state.ts'
import { toBase64 } from '../lib/base64.ts'
import type { Pictures } from './history.ts'

/** The session whose messages they are. */
interface Seen {
  log: { files: Files }
  state: Pick<SessionState, 'refusedImages'>
}

/** What is shown: a message, which its event has a seq of. */
type Shown = Pick<Message, 'content' | 'seq'>

/** What a model is shown of the images of its window: the newest, as many as one call takes, whose files are still there, and that its service
 *  did not refuse. Null: it sees none. */
export function picturesOf(
  messages: readonly Shown[],
  { vision, alias }: Pick<ModelSpec, 'vision' | 'alias'>,
  { log: { files }, state: { refusedImages: refused } }: Seen,
): Pictures | null {
  if (!vision) return null
  const { imagesPerCallMax, imageBytesPerCallMax } = LIMITS.parts
  const images = messages
    .flatMap(({ content, seq }) => (refused?.model === alias && seq <= refused.seq ? [] : imagesIn(content)))
    .toReversed()
  if (images.length === 0) return null
  const shown = new Map<ImagePart, FileEntry>()
  let bytes = 0
  for (const image of images) {
    const entry = files.stat(image.path)
    if (!entry || !IMAGE_TYPES.has(entry.contentType)) continue
    bytes += entry.size
    if (shown.size === imagesPerCallMax || bytes > imageBytesPerCallMax) break
    shown.set(image, entry)
  }
  return (image) => {
    const entry = shown.get(image)
    const found = entry ? files.read(entry.path) : null
    return entry && found ? { mediaType: entry.contentType, base64: toBase64(found) } : null
  }
}

/** A request whose last message has the images of what it speaks of. */
export function withPictures(
  request: ModelRequest,
  said: readonly Shown[],
  spec: ModelSpec,
  session: Seen,
): ModelRequest {
  const pictures = picturesOf(said, spec, session)
  const shown = said.flatMap(({ content }) => imagesIn(content).flatMap((image) => pictures?.(image) ?? []))
  const last = request.messages.at(-1)
  if (last?.role !== 'user' || shown.length === 0) return request
  const text = { type: 'text' as const, text: textIn(last.content) }
  const images = shown.map((image) => ({ type: 'image' as const, ...image }))
  const seen: ModelMessage = { role: 'user', content: [text, ...images] }
  return { ...request, messages: [...request.messages.slice(0, -1), seen] }
}
