import type { ThreadRun } from './thread.ts'

/** How a request that begins a run is answered. */

/** What is told of a run: as it happens, or as a whole once it rests. */
export type RunBody = ReadableStream<Uint8Array> | string
type ToldAnswer = Extract<ThreadRun['answer'], { form: 'stream' | 'whole' }>

export function isTold(answer: ThreadRun['answer']): answer is ToldAnswer {
  return 'form' in answer && (answer.form === 'stream' || answer.form === 'whole')
}

/** What was asked in the background is answered as it began; its reader leaves then. */
export async function lineOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of body) {
    line += decoder.decode(chunk, { stream: true })
    if (line.endsWith('\n')) break
  }
  return line
}
