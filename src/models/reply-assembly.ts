import type { DeltaKind, ModelReply, ReplyObserver } from '../domain/model.ts'
import { CallAssembly } from './call-assembly.ts'
import type { ProviderCall } from './provider.ts'
import { estimateReply, estimateRequest } from './estimate.ts'
import type { Piece, ReportedUsage } from './openai/wire-shapes.ts'

/** Puts a reply together from its pieces, text and arguments to whoever watches as they come. */
export class ReplyAssembly {
  readonly #observer: ReplyObserver
  readonly #calls = new CallAssembly()
  #content = ''
  #reasoning = ''
  #usage: ReportedUsage | null = null
  /** The provider's last word on why it stopped; null: none yet. */
  stopReason: string | null = null
  /** UTF-16 units taken in so far. */
  chars = 0

  constructor(observer: ReplyObserver) {
    this.#observer = observer
  }

  add(piece: Piece): void {
    this.#content += this.#hear('content', piece.content)
    this.#reasoning += this.#hear('reasoning', piece.reasoning)
    for (const call of piece.calls) {
      this.chars += call.arguments.length
      const written = this.#calls.add(call)
      if (written) this.#observer.onArguments(written)
    }
    this.stopReason = piece.stopReason ?? this.stopReason
    this.#usage = piece.usage ?? this.#usage
  }

  /** The reply as it stands, or null when it holds neither text nor calls. What the service did not count is estimated. */
  finish(
    { request, mayBeEmpty }: Pick<ProviderCall, 'request' | 'mayBeEmpty'>,
    newId: () => string,
  ): ModelReply | null {
    const toolCalls = this.#calls.finish(newId)
    const isEmpty = this.#content.trim() === '' && toolCalls.length === 0
    if (isEmpty && !(mayBeEmpty && this.stopReason !== null)) return null
    const reported = this.#usage
    const prompt = reported?.prompt ?? estimateRequest(request)
    const completion = reported?.completion ?? estimateReply(this.#content, this.#reasoning, toolCalls)
    const isReported = reported !== null && reported.prompt !== null && reported.completion !== null
    return {
      content: this.#content,
      reasoning: this.#reasoning,
      toolCalls,
      stopReason: this.stopReason,
      usage: {
        prompt_tokens: prompt,
        completion_tokens: completion,
        cached_tokens: Math.min(reported?.cached ?? 0, prompt),
        reasoning_tokens: Math.min(reported?.reasoning ?? 0, completion),
        ...(isReported ? {} : { estimated: true }),
      },
    }
  }

  #hear(kind: DeltaKind, text: string): string {
    this.chars += text.length
    if (text !== '') this.#observer.onDelta(kind, text)
    return text
  }
}
