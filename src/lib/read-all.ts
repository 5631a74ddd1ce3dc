/** The whole of a byte stream as text in UTF-8; null when it has more than `bytesMax`: the rest is not read.
 *  Throws a TypeError for bytes that are not UTF-8. */
export async function readAllText(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  const pieces: string[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > bytesMax) return null
    pieces.push(decoder.decode(chunk, { stream: true }))
  }
  pieces.push(decoder.decode())
  return pieces.join('')
}
