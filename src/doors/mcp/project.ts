import { isDelta, type SessionEvent, type StreamedDelta } from '../../domain/event.ts'
import { isAttachment } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import type { PlanData } from '../../domain/plan.ts'
import { cutText } from '../../lib/text.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../session/queries/projection.ts'
import { isControl } from '../../tools/control.ts'
import type { McpLine, RestLine } from './lines.ts'

/** Events → lines of this door. Each has the seq of its event, so a reader who comes back is told what is behind the last that it has. */

export interface McpView {
  /** The seq of the last line that the reader has; null: none. */
  after: number | null
  language: Language
  /** Nobody asked to be told of progress: nothing of that is written. */
  isSilent?: boolean
}

export const mcpLines: StreamProjection = (about) => new RunLines(about, about.options as McpView)

class RunLines implements Frames {
  readonly beat = '\n'
  readonly #about: StreamAbout
  readonly #view: McpView
  readonly #files = new Map<string, number>()
  #hasBegun = false
  #isCut = false

  constructor(about: StreamAbout, view: McpView) {
    this.#about = about
    this.#view = view
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    if (isDelta(event)) return []
    const begun = this.#hasBegun ? [] : [this.#begun(event)]
    const line = this.#line(event)
    const { after } = this.#view
    const isKnown = line?.type === 'progress' && after !== null && event.seq <= after
    const lines: McpLine[] = [...begun, ...(line && !isKnown ? [line] : [])]
    return lines.map((one) => `${JSON.stringify(one)}\n`)
  }

  #begun({ seq, time, type }: SessionEvent): McpLine {
    this.#hasBegun = true
    if (type !== 'run-start') this.#noteFilesBefore(seq)
    return { type: 'begun', seq, time, run: this.#about.runId ?? '' }
  }

  /** A reader who comes in the midst of a run is told at its end of all files that it wrote. */
  #noteFilesBefore(seq: number): void {
    for (const event of this.#about.past(['file']))
      if (event.type === 'file' && event.seq < seq && event.run_id === this.#about.runId) this.#noteFile(event)
  }

  #noteFile(event: SessionEvent & { type: 'file' }): void {
    if (isAttachment(event.path)) return
    if (event.action === 'write') this.#files.set(event.path, event.size)
    else this.#files.delete(event.path)
  }

  #line(event: SessionEvent): McpLine | null {
    if (event.type === 'file') this.#noteFile(event)
    if (event.type === 'model-end' && event.ok && event.scope === null) this.#isCut = isCutReason(event.finish_reason)
    if (event.type === 'run-pause' || event.type === 'run-end') return this.#rest(event)
    const text = this.#view.isSilent ? null : this.#progressOf(event)
    return text === null
      ? null
      : { type: 'progress', seq: event.seq, text: cutText(text, LIMITS.mcpDoor.progressCharsMax) }
  }

  #progressOf(event: SessionEvent): string | null {
    switch (event.type) {
      case 'tool-start':
        return isControl(event.tool) || event.attempt > 1 ? null : `${event.tool} ${JSON.stringify(event.arguments)}`
      case 'tool-progress':
        return event.message
      case 'plan':
        return this.#plan(event.plan)
      case 'task-start':
        return `${event.task.name}: ${event.task.description}`
      case 'task-end':
        return `${event.task.name}: ${event.task.result ?? event.task.error ?? event.task.status}`
      case 'step-start':
        return event.unseen ? null : `${event.step} (${event.kind})`
      case 'team-message':
        return `${event.message.sent_from}: ${event.message.content}`
      case 'iteration-start':
        return this.#view.language === 'en' ? `Turn ${event.iteration}` : `第 ${event.iteration} 轮`
      default:
        return null
    }
  }

  #plan({ round, tasks }: PlanData): string | null {
    const names = tasks.filter((task) => task.round === round).map(({ name }) => name)
    if (names.length === 0) return null
    return this.#view.language === 'en' ? `Plan: ${names.join('; ')}` : `计划：${names.join('；')}`
  }

  #rest(event: SessionEvent & { type: 'run-pause' | 'run-end' }): RestLine {
    const { seq, time, status, finish_reason, usage } = event
    const isEnd = event.type === 'run-end'
    const files = Array.from(this.#files, ([path, size]) => ({ path, size })).slice(0, LIMITS.mcpDoor.filesMax)
    return {
      type: 'rest',
      seq,
      time,
      isEnd,
      status,
      finish_reason,
      usage,
      files,
      result: isEnd ? event.result : null,
      ...(this.#isCut && status === 'completed' ? { isCut: true } : {}),
      error: isEnd ? event.error : null,
      pending: isEnd ? [] : this.#about.head().pending,
    }
  }
}
