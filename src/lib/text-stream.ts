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
