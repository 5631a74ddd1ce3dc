import type { SaidPiece } from '../kernel/said-reply.ts'

/** A part of a message as its client is told it. Source: AI SDK, "Stream protocols", data stream protocol. */
export interface Chunk {
  type: string
  [field: string]: unknown
}

/** A call that a client is told of. `isOurs`: the server makes it. */
export interface ToldCall {
  id: string
  tool: string
  input: Readonly<Record<string, unknown>>
  isOurs: boolean
  /** The sub-task or role that makes it. */
  scope: string | null
}

/** Which parts of a message its client has before the stream begins. */
export interface HeldParts {
  calls: readonly string[]
  approvals: readonly { id: string; callId: string }[]
}

const KINDS = { thoughts: 'reasoning', words: 'text', answer: 'text' } as const

/** Writes the chunks of one message after the other, in the order that clients hold them to: no piece of a text that did not begin, no result of a
 *  call that the message does not have. */
export class ChunkWriter {
  #chunks: Chunk[] = []
  #open: { kind: SaidPiece['kind']; id: string } | null = null
  #texts = 0
  #steps = 0
  #inStep = false
  /** Calls that were told here, each with its step. */
  #calls = new Map<string, { call: ToldCall; step: number }>()
  /** Calls that the client had before, those that have a result, and approvals that it was asked for. */
  #held: Set<string>
  #done = new Set<string>()
  #approvals: Set<string>

  constructor({ calls, approvals }: HeldParts) {
    this.#held = new Set(calls)
    this.#approvals = new Set(approvals.map(({ id }) => id))
  }

  put(chunk: Chunk): void {
    this.#chunks.push(chunk)
  }

  take(): Chunk[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }

  /** Another message begins, which has nothing yet. */
  begin(start: Omit<Chunk, 'type'>): void {
    this.#calls = new Map()
    this.#held = new Set()
    this.#done = new Set()
    this.#approvals = new Set()
    this.put({ type: 'start', ...start })
  }

  get inStep(): boolean {
    return this.#inStep
  }

  beginStep(): void {
    this.endStep()
    this.#steps += 1
    this.#inStep = true
    this.put({ type: 'start-step' })
  }

  endStep(): void {
    this.endText()
    if (this.#inStep) this.put({ type: 'finish-step' })
    this.#inStep = false
  }

  /** What was told since the step began is void. */
  resetStep(): void {
    this.#open = null
    for (const [id, { step }] of this.#calls) if (step === this.#steps) this.#calls.delete(id)
    this.put({ type: 'reset-step' })
  }

  text({ kind, text }: SaidPiece): void {
    if (this.#open?.kind !== kind) {
      this.endText()
      this.#open = { kind, id: `${KINDS[kind]}-${++this.#texts}` }
      this.put({ type: `${KINDS[kind]}-start`, id: this.#open.id })
    }
    this.put({ type: `${KINDS[kind]}-delta`, id: this.#open.id, delta: text })
  }

  endText(): void {
    if (this.#open) this.put({ type: `${KINDS[this.#open.kind]}-end`, id: this.#open.id })
    this.#open = null
  }

  /** A call with its arguments. One that the message has already is told with those that it has now. */
  call(call: ToldCall): void {
    const { id: toolCallId, tool: toolName, input, isOurs, scope } = call
    this.endText()
    const about = {
      toolCallId,
      toolName,
      ...(isOurs ? { dynamic: true, providerExecuted: true } : {}),
      ...(scope === null ? {} : { toolMetadata: { scope } }),
    }
    if (!this.has(toolCallId)) {
      this.put({ type: 'tool-input-start', ...about })
      this.put({ type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) })
    }
    this.put({ type: 'tool-input-available', ...about, input })
    this.#calls.set(toolCallId, { call, step: this.#steps })
  }

  has(callId: string): boolean {
    return this.#calls.has(callId) || this.#held.has(callId)
  }

  approval(approvalId: string, toolCallId: string, reason: string | undefined): void {
    this.put({ type: 'tool-approval-request', approvalId, toolCallId, ...(reason === undefined ? {} : { reason }) })
    this.#approvals.add(approvalId)
  }

  decided(approvalId: string, approved: boolean, reason: string | undefined): void {
    if (!this.#approvals.has(approvalId)) return
    this.put({ type: 'tool-approval-response', approvalId, approved, ...(reason === undefined ? {} : { reason }) })
  }

  /** What a call came to. Nothing where the message does not have the call, or has its result. */
  result(toolCallId: string, result: { output: unknown } | { errorText: string } | 'denied'): void {
    if (!this.has(toolCallId) || this.#done.has(toolCallId)) return
    this.#done.add(toolCallId)
    if (result === 'denied') return this.put({ type: 'tool-output-denied', toolCallId })
    const type = 'output' in result ? 'tool-output-available' : 'tool-output-error'
    this.put({ type, toolCallId, ...result })
  }

  /** Calls that the server makes and that have no result yet. */
  get openCalls(): ToldCall[] {
    return [...this.#calls.values()].flatMap(({ call }) => (this.#done.has(call.id) || !call.isOurs ? [] : [call]))
  }
}
