import { LIMITS } from '../../domain/limits.ts'
import type { Pending } from '../../domain/pending.ts'
import type { FinishReason, LoggedError, Status } from '../../domain/run.ts'
import type { Usage } from '../../domain/usage.ts'
import type { RunBody } from '../kernel/thread.ts'

/** What is told of a run to this door, a line of JSON each. Its session writes them (`project.ts`), and every answer is made of them. */
export type McpLine = BegunLine | ProgressLine | RestLine

/** The first of all: from which event on, and when that was. */
export interface BegunLine {
  type: 'begun'
  seq: number
  run: string
  time: string
}

export interface ProgressLine {
  type: 'progress'
  seq: number
  text: string
}

/** The run rests: at its end, or for somebody. */
export interface RestLine {
  type: 'rest'
  seq: number
  time: string
  isEnd: boolean
  status: Status
  finish_reason: FinishReason | null
  result: string | null
  /** The service cut the answer at its limit. */
  isCut?: boolean
  error: LoggedError | null
  usage: Usage
  /** What waits now. */
  pending: Pending[]
  /** Files that were written, with their sizes in bytes. */
  files: { path: string; size: number }[]
}

/** Reads the lines of a session's stream. Who reads no more closes it. */
export class LineReader {
  /** Null: there is nothing behind the text. */
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | null
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(body: RunBody) {
    if (typeof body === 'string') this.#text = body
    this.#reader = typeof body === 'string' ? null : body.getReader()
  }

  /** The next line; `beat`: nothing was heard for a while; null: the stream is over. */
  async next(): Promise<McpLine | 'beat' | null> {
    for (;;) {
      const end = this.#text.indexOf('\n')
      if (end >= 0) {
        const line = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 1)
        return line === '' ? 'beat' : (JSON.parse(line) as McpLine)
      }
      if (this.#text.length > LIMITS.mcpDoor.lineCharsMax) throw new Error('a line of a run is too long')
      const { done = true, value } = (await this.#reader?.read()) ?? {}
      if (done) return null
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  async close(): Promise<void> {
    await this.#reader?.cancel().catch(() => {})
  }
}
