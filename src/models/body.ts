import { LIMITS } from '../domain/limits.ts'

/** What the reader of a text wants next: more, nothing (the rest is only waited for shortly, so that the connection can
 *  be used again), or the stream cut off at once. */
export type Next = 'more' | 'last' | 'cut'

/** Decode a body as UTF-8 and hand it on as it arrives. Rejects with the signal's reason when that aborts, whether or not
 *  the stream knows of the signal, and with the stream's own error when it breaks. */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
  onText: (text: string) => Next,
): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  let linger: ReturnType<typeof setTimeout> | undefined
  try {
    await readAll(reader, signal, (text) => {
      if (linger !== undefined) return
      const next = onText(text)
      if (next === 'cut') cancel()
      if (next === 'last') linger = setTimeout(cancel, LIMITS.model.lingerMs)
    })
  } finally {
    clearTimeout(linger)
    signal.removeEventListener('abort', cancel)
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    signal.throwIfAborted()
    const text = decoder.decode(value, { stream: !done })
    if (text !== '') onText(text)
    if (done) return
  }
}

/** The first `charsMax` UTF-16 units of a body, and whether that was all of it. What breaks off counts as not all. */
export async function readStart(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
  charsMax: number,
): Promise<{ text: string; whole: boolean }> {
  let text = ''
  try {
    await readBody(body, signal, (more) => {
      text += more
      return text.length > charsMax ? 'cut' : 'more'
    })
  } catch {
    signal.throwIfAborted()
    return { text, whole: false }
  }
  return { text: text.slice(0, charsMax), whole: text.length <= charsMax }
}
