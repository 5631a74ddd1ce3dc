import { abortable } from '../lib/wait.ts'

type Body = ReadableStream<Uint8Array>

/** `complete` false: there was more than `bytes`, and it was not read. */
export interface ReadBody {
  bytes: Uint8Array<ArrayBuffer>
  complete: boolean
}

/** Read a body, at most `bytesMax` bytes of it; more cancels it. Rejects with the signal's reason or the stream's error. */
export async function readBounded(body: Body | null, bytesMax: number, signal: AbortSignal): Promise<ReadBody> {
  if (body === null) return { bytes: new Uint8Array(0), complete: true }
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    while (size <= bytesMax) {
      const { done, value } = await abortable(reader.read(), signal)
      if (done) return { bytes: joined(chunks, size), complete: true }
      chunks.push(value)
      size += value.byteLength
    }
    return { bytes: joined(chunks, bytesMax), complete: false }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Let go of a body that nobody will read. */
export function discardBody(body: Body | null): void {
  body?.cancel().catch(() => {})
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, size - offset), offset)
    offset += chunk.byteLength
  }
  return bytes
}
