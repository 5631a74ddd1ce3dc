export interface Validity {
  isValid: () => Promise<boolean>
  /** Unix ms. */
  now: () => number
  everyMs: number
}

/** A stream that ends with the right to read it: that is looked at before a chunk which comes `everyMs` or more after the last look. */
export function whileValid(
  stream: ReadableStream<Uint8Array>,
  { isValid, now, everyMs }: Validity,
): ReadableStream<Uint8Array> {
  let lookedAt = now()
  const guard = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (chunk, controller) => {
      if (now() - lookedAt >= everyMs) {
        if (!(await isValid())) return controller.terminate()
        lookedAt = now()
      }
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(guard)
}
