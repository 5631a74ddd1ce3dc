import { createInterface, type Interface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Where lines of the person come from. */
export interface Input {
  /** The next line, trimmed; null at the end of the input or at Ctrl-C. */
  ask(question: string): Promise<string | null>
  /** Whether it was Ctrl-C that ended the last question. */
  interrupted(): boolean
  close(): void
}

/** One readline for each question: between questions Ctrl-C is a signal, and nothing typed ahead answers one. */
export function terminalInput(stdin: Readable, stderr: NodeJS.WritableStream): Input {
  const history: string[] = []
  let interrupted = false
  return {
    close: () => {},
    interrupted: () => interrupted,
    ask: (question) =>
      new Promise((resolve) => {
        const lines = createInterface({ input: stdin, output: stderr, terminal: true, history: [...history] })
        let ended = false
        const end = (answer: string | null) => {
          if (ended) return
          ended = true
          if (answer === null) stderr.write('\n')
          resolve(answer)
          lines.close()
        }
        interrupted = false
        lines.once('SIGINT', () => {
          interrupted = true
          end(null)
        })
        lines.once('close', () => end(null))
        lines.question(question, (answer) => {
          if (answer.trim() !== '') history.unshift(answer)
          end(answer.trim())
        })
      }),
  }
}

/** Line by line from a pipe; questions are not shown. */
export function pipedInput(stdin: Readable): Input {
  let lines: Interface | undefined
  let source: AsyncIterator<string> | undefined
  return {
    close: () => lines?.close(),
    interrupted: () => false,
    ask: async () => {
      lines ??= createInterface({ input: stdin, terminal: false })
      source ??= lines[Symbol.asyncIterator]()
      const next = await source.next()
      return next.done ? null : next.value.trim()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A Ctrl-C comes twice when it is both the terminal's and passed on by a parent: that is one. */
const SAME_MS = 250

/** Calls `onSignal` for the first signal to end, `onRepeat` for those after it, until it is closed. */
export function onInterrupt(onSignal: () => void, onRepeat: () => void): () => void {
  let first: number | undefined
  const handle = () => {
    const now = Date.now()
    if (first === undefined) {
      first = now
      onSignal()
    } else if (now - first > SAME_MS) onRepeat()
  }
  for (const signal of SIGNALS) process.on(signal, handle)
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle)
  }
}
