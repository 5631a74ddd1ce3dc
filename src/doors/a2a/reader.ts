import { fileAddress } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import type { StreamAbout } from '../../session/queries/projection.ts'
import type { Streamed } from './shapes.ts'
import { TaskStanding } from './standing.ts'

/** How a task is told. `stream`: as it stands, then what happens to it; `whole`: when it rests, or as it stands; `begun`: as it began. */
export interface TaskView {
  form: 'stream' | 'whole' | 'begun'
  /** The task is a member of what is answered. */
  isNamed: boolean
  /** The JSON-RPC request that is answered; absent: none, it is HTTP+JSON. */
  rpc?: { id: string | number | null }
  owner: string
  /** Null: that of the session. */
  language: Language | null
  /** Where this server is reached from outside. */
  origin: string
  /** The newest messages that are told; null: all. */
  historyLength: number | null
  /** Without its artifacts. */
  isShort?: boolean
}

/** What a request says of its task that the task says again. */
export interface KeptOfTask {
  contextId?: string
  accepts?: string[]
}

/** Who is told of a task: the frames that are still to be sent. */
export class TaskReader {
  readonly about: StreamAbout
  readonly view: TaskView
  readonly task: TaskStanding
  kept: KeptOfTask = {}
  /** The reader knows how the task stands. */
  #isTold = false
  #frames: string[] = []

  constructor(about: StreamAbout, view: TaskView) {
    this.about = about
    this.view = view
    this.task = new TaskStanding({ session: about.sessionId, run: about.runId ?? '', owner: view.owner })
  }

  /** From here on the reader is told what happens. False: it was before. */
  open(): boolean {
    const { form, historyLength } = this.view
    if (this.#isTold || form === 'whole') return false
    const task = this.task.task({ historyLength })
    this.#isTold = true
    if (form === 'begun') this.#frames.push(`${JSON.stringify(this.#enveloped({ task }))}\n`)
    else this.send({ task })
    return true
  }

  send(update: Streamed): void {
    if (this.#isTold && this.view.form === 'stream')
      this.#frames.push(`data: ${JSON.stringify(this.#enveloped(update))}\n\n`)
  }

  take(): string[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  /** The task as one answer; empty: the reader has it. */
  whole(): string {
    if (this.#isTold) return ''
    const { historyLength, isShort = false, isNamed } = this.view
    const task = this.task.task({ historyLength, artifacts: !isShort })
    return JSON.stringify(this.#enveloped(isNamed ? { task } : task))
  }

  /** Where a file of the session is. */
  addressOf(path: string): string {
    return `${this.view.origin}${fileAddress(this.about.sessionId, path)}`
  }

  #enveloped(result: object): object {
    const { rpc } = this.view
    return rpc ? { jsonrpc: '2.0', id: rpc.id, result } : result
  }
}

export function nameIn(path: string): string {
  return path.split('/').at(-1) ?? path
}

/** Whether a client that named what it takes takes a media type. Whoever named nothing takes anything. */
export function takes(accepted: readonly string[] | undefined, mediaType: string): boolean {
  if (accepted === undefined || accepted.length === 0) return true
  const type = plain(mediaType)
  return accepted.map(plain).some((one) => one === type || one === '*/*' || (one.endsWith('/*') && isOf(type, one)))
}

function isOf(type: string, range: string): boolean {
  return type.startsWith(range.slice(0, -1))
}

/** Clients of before name `text` alone. */
function plain(mediaType: string): string {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'text' ? 'text/plain' : type
}
