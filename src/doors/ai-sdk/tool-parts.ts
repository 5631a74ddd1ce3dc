import { contentText } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isAttachment } from '../../domain/file.ts'
import type { Pending } from '../../domain/pending.ts'
import type { Status } from '../../domain/run.ts'
import { inAddress } from '../../lib/addresses.ts'
import { mediaTypeOf } from '../../lib/content-type.ts'
import { isControl } from '../../tools/control.ts'
import type { ChunkWriter, HeldParts, ToldCall } from './chunks.ts'

/** What the approval of a plan is the approval of. */
const PLAN = 'plan'

/** What is done by tools, and what waits for a human or the caller, as parts of a message: calls of ours are dynamic and made by the provider; those of
 *  the caller are static, so that its client makes them. */
export class ToolParts {
  readonly #writer: ChunkWriter
  readonly #filesAt: string
  readonly #calls = new Map<string, { call: ToldCall; isOk: boolean }>()
  /** What waits, as far as it was told here, and the calls that approvals are of. */
  readonly #pending = new Map<string, Pending>()
  readonly #approvals: Map<string, string>
  readonly #files = new Set<string>()

  constructor(writer: ChunkWriter, { filesAt, approvals }: { filesAt: string } & Pick<HeldParts, 'approvals'>) {
    this.#writer = writer
    this.#approvals = new Map(approvals.map(({ id, callId }) => [id, callId]))
    this.#filesAt = filesAt
  }

  /** Whether all that waits are questions. */
  get asksOnly(): boolean {
    return this.#pending.size > 0 && [...this.#pending.values()].every(({ type }) => type === 'question')
  }

  /** What is known of calls, whoever is told. */
  note(event: SessionEvent): void {
    if (event.type === 'tool-start' && !event.client && !isControl(event.tool)) {
      const { call_id: id, tool, arguments: input, scope } = event
      this.#calls.set(id, { call: { id, tool, input, scope, isOurs: true }, isOk: true })
    }
    const ended = event.type === 'tool-end' ? this.#calls.get(event.call_id) : undefined
    if (ended && event.type === 'tool-end') ended.isOk = event.ok
    if (event.type !== 'pending') return
    const { pending } = event
    this.#pending.set(pending.id, pending)
    if (pending.type === 'approval') this.#approvals.set(pending.id, callIdOf(pending))
  }

  tell(event: SessionEvent): void {
    switch (event.type) {
      case 'tool-start': {
        const known = this.#calls.get(event.call_id)
        if (known && (event.attempt === 1 || !this.#writer.has(event.call_id))) this.#writer.call(known.call)
        return
      }
      case 'message':
        if (event.message.role === 'tool' && !event.message.rejected)
          this.#result(event.message.tool_call_id ?? '', contentText(event.message.content, null))
        return
      case 'pending':
        return this.#waits(event.pending)
      case 'pending-end':
        return this.#decided(event)
      case 'file':
        if (event.action === 'write' && !isAttachment(event.path)) this.#file(event.path)
        return
      default:
    }
  }

  #result(callId: string, text: string): void {
    const known = this.#calls.get(callId)
    if (!known) return
    const { call, isOk } = known
    if (!this.#writer.has(callId)) this.#writer.call(call)
    this.#writer.result(callId, isOk ? { output: text } : { errorText: text })
    const { url } = call.input
    if (isOk && call.tool === 'web_access' && typeof url === 'string')
      this.#writer.put({ type: 'source-url', sourceId: callId, url })
  }

  #waits(item: Pending): void {
    const { id, type, reason, scope } = item
    if (type === 'question') return this.#writer.text({ kind: 'answer', text: questionText(item) })
    const callId = callIdOf(item)
    const { tool = PLAN, arguments: input = {} } = item
    this.#writer.call({ id: callId, tool, input, scope, isOurs: type === 'approval' })
    if (type === 'approval') this.#writer.approval(id, callId, reason)
  }

  #decided(event: SessionEvent & { type: 'pending-end' }): void {
    const { id, decision, feedback } = event
    const item = this.#pending.get(id)
    const callId = this.#approvals.get(id)
    this.#pending.delete(id)
    if (item?.type === 'tool_call') return this.#answered(callIdOf(item), event)
    if (callId === undefined) return
    if (decision === 'approve' || decision === 'reject') this.#writer.decided(id, decision === 'approve', feedback)
    if (decision === 'reject') this.#writer.result(callId, 'denied')
    else if (decision !== 'approve') this.#writer.result(callId, { errorText: decision })
    // What has no call of its own is a plan.
    else if (callId === id) this.#writer.result(callId, { output: 'approved' })
  }

  /** The caller has made a call, or will not. */
  #answered(callId: string, { decision, result, error }: SessionEvent & { type: 'pending-end' }): void {
    if (error === undefined && result !== undefined) return this.#writer.result(callId, { output: result })
    this.#writer.result(callId, { errorText: error ?? decision })
  }

  #file(path: string): void {
    if (this.#files.has(path)) return
    this.#files.add(path)
    const url = this.#filesAt + inAddress(path)
    this.#writer.put({ type: 'file', url, mediaType: mediaTypeOf(path) })
  }

  /** The run is over: what it was doing has no result any more. */
  close(status: Status): void {
    for (const { id } of this.#writer.openCalls) this.#writer.result(id, { errorText: status })
  }
}

const callIdOf = ({ call_id: callId, id }: Pending): string => callId ?? id

function questionText({ question = '', options = [] }: Pending): string {
  return [question, ...options.map((option) => `- ${option}`)].join('\n')
}
