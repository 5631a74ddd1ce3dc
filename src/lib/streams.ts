const encoder = new TextEncoder()

interface TextStreamOptions {
  head?: string
  onCancel?: () => void
}

/** A byte stream of the pieces that a source gives, pulled at the reader's pace. */
export function byteStream(source: Iterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = source.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A byte stream of the texts that a source gives, pulled at the reader's pace. */
export function textStream(
  source: AsyncIterator<string> | Iterator<string>,
  { head, onCancel }: TextStreamOptions = {},
): ReadableStream<Uint8Array> {
  let first = head
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = first
        first = undefined
        if (text !== undefined) return controller.enqueue(encoder.encode(text))
        const next = await source.next()
        if (next.done) controller.close()
        else controller.enqueue(encoder.encode(next.value))
      },
      cancel: () => onCancel?.(),
    },
    { highWaterMark: 0 },
  )
}

/** A longer chunk is read in parts. */
const TEXT_BYTES = 65_536

/** The texts in UTF-8 that a byte stream brings, in short pieces; null and no more when it has more than `bytesMax`.
 *  Throws a TypeError for bytes that are not UTF-8. */
export async function* readTexts(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<string | null, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > bytesMax) return yield null
    for (let at = 0; at < chunk.byteLength; at += TEXT_BYTES)
      yield decoder.decode(chunk.subarray(at, at + TEXT_BYTES), { stream: true })
  }
  yield decoder.decode()
}

/** The whole of it; null when it has more than `bytesMax`: the rest is not read. */
export async function readAllText(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<string | null> {
  const pieces: string[] = []
  for await (const text of readTexts(body, bytesMax)) {
    if (text === null) return null
    pieces.push(text)
  }
  return pieces.join('')
}

/** A stream whose end is heard of, however it comes: to its end, by its reader or by an error. */
export function endedStream(stream: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const read = await reader.read()
          if (!read.done) return controller.enqueue(read.value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: async (reason) => {
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

interface Validity {
  isValid: () => Promise<boolean>
  /** Unix ms. */
  now: () => number
  everyMs: number
  /** What is said at such an end; absent: nothing. */
  last?: Uint8Array | undefined
}

/** A stream that ends with the right to read it: that is looked at before a chunk which comes `everyMs` or more after the last look. */
export function whileValid(
  stream: ReadableStream<Uint8Array>,
  { isValid, now, everyMs, last }: Validity,
): ReadableStream<Uint8Array> {
  let lookedAt = now()
  const guard = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (chunk, controller) => {
      // The clock may have been set back.
      if (Math.abs(now() - lookedAt) >= everyMs) {
        if (!(await isValid())) {
          if (last) controller.enqueue(last)
          return controller.terminate()
        }
        lookedAt = now()
      }
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(guard)
}
