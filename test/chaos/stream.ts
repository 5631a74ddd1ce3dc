import { createParser } from 'eventsource-parser'

/** One event of a stream as it came. */
export interface Told {
  id: string
  data: Record<string, unknown> & { type: string }
}

/** Events of an answer until it ends; true when it ended as it should, false when the line broke. */
export async function readTold(response: Response, onTold: (told: Told) => boolean | void): Promise<boolean> {
  if (response.body === null) return true
  const batch: Told[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => {
      if (id !== undefined) batch.push({ id, data: JSON.parse(data) as Told['data'] })
    },
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return true
      parser.feed(value)
      for (const told of batch.splice(0)) {
        if (onTold(told) !== true) continue
        await reader.cancel()
        return true
      }
    }
  } catch {
    return false
  }
}

export const isDelta = ({ data }: Told) => data.type.endsWith('-delta')
export const isRest = ({ data }: Told) => data.type === 'run-end' || data.type === 'run-pause'
