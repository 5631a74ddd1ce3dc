import { createParser } from 'eventsource-parser'

/** The data of each frame of a door's stream, in order. `isEnough`: the reader leaves behind it. True: it ended by itself, false: the line broke or the reader
 *  left. */
export async function readFrames(response: Response, isEnough: (data: string) => boolean): Promise<boolean> {
  if (response.body === null) return false
  const frames: string[] = []
  const parser = createParser({ onEvent: ({ data }) => frames.push(data) })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return true
      parser.feed(value)
      for (const data of frames.splice(0)) {
        if (!isEnough(data)) continue
        await reader.cancel()
        return false
      }
    }
  } catch {
    return false
  }
}
