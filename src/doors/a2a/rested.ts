import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isAttachment } from '../../domain/file.ts'
import type { Pending } from '../../domain/pending.ts'
import { errorSentences } from '../../domain/run.ts'
import { toBase64 } from '../../lib/base64.ts'
import { waitingWords } from '../kernel/waiting-words.ts'
import { nameIn, type TaskReader, takes } from './reader.ts'
import type { Artifact, StateName, ToldMessage, ToldPart } from './shapes.ts'

/** The state in which a task rests, and what its status says; null: nothing. */
type Rest = [StateName, ToldMessage | null]

/** How a task rests: what waits, why it failed, and the files that it leaves. */
export class TaskRest {
  readonly #reader: TaskReader
  readonly #waiting = new Map<string, Pending>()
  readonly #files = new Set<string>()
  /** The service cut the newest reply at its limit. */
  isCut = false

  constructor(reader: TaskReader) {
    this.#reader = reader
  }

  asked(pending: Pending): void {
    this.#waiting.set(pending.id, pending)
  }

  decided(id: string): void {
    this.#waiting.delete(id)
  }

  file({ action, path }: SessionEvent & { type: 'file' }): void {
    if (isAttachment(path)) return
    if (action === 'write') this.#files.add(path)
    else this.#files.delete(path)
  }

  tell(event: SessionEvent & { type: 'run-end' | 'run-pause' }): void {
    const { task } = this.#reader
    this.#tellFiles()
    const { time, usage } = event
    const told: Record<string, unknown> = { 'yaa/usage': usage }
    if (this.isCut && event.status === 'completed') told['yaa/finish_reason'] = 'length'
    for (const [name, value] of Object.entries(told)) task.note(name, value)
    const [state, message] = event.type === 'run-pause' ? this.#waits(event) : this.#ended(event)
    this.#reader.send(task.to(state, time, { ...(message ? { message } : {}), metadata: told }))
  }

  #ended({ status, finish_reason: reason, error, seq }: SessionEvent & { type: 'run-end' }): Rest {
    if (status === 'completed') return ['TASK_STATE_COMPLETED', null]
    if (status === 'cancelled') return ['TASK_STATE_CANCELED', null]
    const { task } = this.#reader
    const code = error?.code ?? reason
    const text = error ? errorSentences(error) : code
    const failure = task.message('ROLE_AGENT', `status-${seq}`, [{ text }], { 'yaa/code': code })
    return ['TASK_STATE_FAILED', failure]
  }

  /** Something waits for the user, or for the caller whose tool is called. */
  #waits({ seq }: SessionEvent & { type: 'run-pause' }): Rest {
    const { task, view, about } = this.#reader
    const at = `${view.origin}/#/s/${about.sessionId}`
    const items = [...this.#waiting.values()]
    const asks = items.filter(({ type }) => type !== 'tool_call')
    const language = view.language ?? about.language()
    const texts = asks.map((item) => waitingWords(item, { language, at }))
    const words = texts.length > 0 ? [{ text: texts.join('\n\n') }] : []
    const data = items.map((item): ToldPart => ({ data: waitingData(item), mediaType: 'application/json' }))
    const parts = words.length + data.length > 0 ? [...words, ...data] : [{ text: '' }]
    return ['TASK_STATE_INPUT_REQUIRED', task.message('ROLE_AGENT', `status-${seq}`, parts)]
  }

  /** Files that the run wrote: short ones with their bytes, others by their addresses. */
  #tellFiles(): void {
    const { task, about, kept } = this.#reader
    for (const path of this.#files) {
      const file = about.file(path, LIMITS.door.rawFileBytesMax)
      if (!file || !takes(kept.accepts, file.mediaType)) continue
      const where = file.bytes ? { raw: toBase64(file.bytes) } : { url: this.#reader.addressOf(path) }
      const part: ToldPart = { ...where, mediaType: file.mediaType, filename: nameIn(path) }
      const artifact: Artifact = { artifactId: `file:${path}`, name: path, parts: [part] }
      task.keep(artifact)
      this.#reader.send(task.artifact({ ...artifact, append: false, lastChunk: true }))
    }
  }
}

/** What waits, for a program. */
function waitingData(item: Pending): object {
  const {
    id,
    type,
    tool,
    arguments: args,
    question,
    options,
    form,
    wait,
    connection,
    risk,
    reason,
    expires_time,
  } = item
  return {
    pending_id: id,
    type,
    ...(tool === undefined ? {} : { tool }),
    ...(args === undefined ? {} : { arguments: args }),
    ...(question === undefined ? {} : { question }),
    ...(options === undefined ? {} : { options }),
    ...(form === undefined ? {} : { form }),
    ...(item.default === undefined ? {} : { default: item.default }),
    ...(wait === undefined ? {} : { wait }),
    ...(connection === undefined ? {} : { connection }),
    ...(risk === undefined ? {} : { risk }),
    ...(reason === undefined ? {} : { reason }),
    expires_time,
  }
}
