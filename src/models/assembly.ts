import type { DeltaKind, ModelReply, ReplyObserver, ArgumentsPiece, RawToolCall } from '../domain/model.ts'
import type { ProviderCall } from './provider.ts'
import { estimateReply, estimateRequest } from './estimate.ts'
import { LIMITS } from '../domain/limits.ts'
import { MaskedText } from '../lib/masked-text.ts'

/** What a whole answer or one chunk of a stream says, whoever wrote it. */
export interface Piece {
  content: string
  reasoning: string
  calls: CallPiece[]
  stopReason: string | null
  usage: ReportedUsage | null
  /** Of the whole answer; absent: it is not said. */
  id?: string
}

export interface CallPiece {
  index: number | null
  id: string
  name: string
  /** Text of the arguments or a part of it; whole when they came as an object. */
  arguments: string
}

/** Null: not reported, or not to be believed. */
export interface ReportedUsage {
  prompt: number | null
  completion: number | null
  cached: number
  reasoning: number
}

/** Puts a reply together from its pieces, text and arguments to whoever watches as they come, without the secrets of its service. */
export class ReplyAssembly {
  readonly #observer: ReplyObserver
  readonly #calls: CallAssembly
  readonly #masked: Record<DeltaKind, MaskedText>
  #content = ''
  #reasoning = ''
  #usage: ReportedUsage | null = null
  /** What the service calls its answer; undefined: nothing. */
  id: string | undefined
  /** The provider's last word on why it stopped; null: none yet. */
  stopReason: string | null = null
  /** UTF-16 units taken in so far. */
  chars = 0

  constructor(observer: ReplyObserver, secrets: readonly string[] = []) {
    this.#observer = observer
    this.#calls = new CallAssembly(secrets)
    this.#masked = { content: new MaskedText(secrets), reasoning: new MaskedText(secrets) }
  }

  add(piece: Piece): void {
    this.chars += piece.content.length + piece.reasoning.length
    this.#content += this.#hear('content', this.#masked.content.next(piece.content))
    this.#reasoning += this.#hear('reasoning', this.#masked.reasoning.next(piece.reasoning))
    for (const call of piece.calls) {
      this.chars += call.arguments.length
      this.#hearCall(this.#calls.add(call))
    }
    this.stopReason = piece.stopReason ?? this.stopReason
    this.#usage = piece.usage ?? this.#usage
    this.id ??= piece.id
  }

  /** Tell what was held back, as nothing more comes. */
  flush(): void {
    this.#content += this.#hear('content', this.#masked.content.end())
    this.#reasoning += this.#hear('reasoning', this.#masked.reasoning.end())
    for (const written of this.#calls.flush()) this.#hearCall(written)
  }

  /** The reply as it stands, or null when it holds neither text nor calls and that is no reply here. What the service did not count is estimated. */
  finish({ request, silence }: Pick<ProviderCall, 'request' | 'silence'>, newId: () => string): ModelReply | null {
    const toolCalls = this.#calls.finish(newId)
    const isEmpty = this.#content.trim() === '' && toolCalls.length === 0
    if (isEmpty && !isReply(silence, this.stopReason)) return null
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
    if (text !== '') this.#observer.onDelta(kind, text)
    return text
  }

  #hearCall(written: ArgumentsPiece | null): void {
    if (written) this.#observer.onArguments(written)
  }
}

/** Whether a reply that says nothing is one, as the service says why it stopped. */
function isReply(silence: ProviderCall['silence'], stopReason: string | null): boolean {
  return silence === 'output' ? stopReason !== null : silence === 'reply' && stopReason === 'stop'
}

interface Draft {
  /** Its place among the calls of the reply; -1: it is not kept. */
  place: number
  id: string
  name: string
  arguments: string
  masked: MaskedText
}

/** Puts tool calls together from the pieces that services send. Pieces come with or without `index`; ids are missing, repeated or the same
 *  for all; names come once or in every piece. At most `LIMITS.model.callsPerReplyMax` calls. */
export class CallAssembly {
  readonly #secrets: readonly string[]
  readonly #drafts: Draft[] = []
  readonly #byIndex = new Map<number, Draft>()
  #last: Draft | undefined

  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets
  }

  /** Gives the piece of arguments that it brings; null: it brings none that is kept. */
  add(piece: CallPiece): ArgumentsPiece | null {
    const draft = this.#draftOf(piece)
    const target = draft && continues(piece, draft) ? draft : this.#begin(piece.index)
    target.id ||= piece.id
    if (target.name !== piece.name) target.name += piece.name
    return writtenTo(target, target.masked.next(piece.arguments))
  }

  /** What was held back of arguments, as nothing more comes. */
  flush(): (ArgumentsPiece | null)[] {
    return this.#drafts.map((draft) => writtenTo(draft, draft.masked.end()))
  }

  /** The calls so far; those without a name are left out. `newId` names those that have no id of their own. */
  finish(newId: () => string): RawToolCall[] {
    const taken = new Set<string>()
    return this.#drafts
      .filter((draft) => draft.name !== '')
      .map((draft) => {
        const id = draft.id === '' || taken.has(draft.id) ? newId() : draft.id
        taken.add(id)
        return { id, name: draft.name, arguments: draft.arguments.trim() === '' ? '{}' : draft.arguments }
      })
  }

  /** The call that a piece speaks of by its index, else by its id, else the last one. */
  #draftOf(piece: CallPiece): Draft | undefined {
    if (piece.index !== null) return this.#byIndex.get(piece.index)
    const sameId = piece.id === '' ? undefined : this.#drafts.findLast((draft) => draft.id === piece.id)
    return sameId ?? this.#last
  }

  /** A new call; over the limit it is taken in and not kept. */
  #begin(index: number | null): Draft {
    const isOver = this.#drafts.length >= LIMITS.model.callsPerReplyMax
    const place = isOver ? -1 : this.#drafts.length
    const draft = { place, id: '', name: '', arguments: '', masked: new MaskedText(this.#secrets) }
    this.#last = draft
    if (isOver) return draft
    this.#drafts.push(draft)
    if (index !== null) this.#byIndex.set(index, draft)
    return draft
  }
}

function writtenTo(draft: Draft, text: string): ArgumentsPiece | null {
  const isFirst = draft.arguments === ''
  draft.arguments += text
  const { place, name } = draft
  return text === '' || place < 0 ? null : { call: place, name, text, isFirst }
}

/** False when the piece is the start of another call: a name with an id of its own, or a name after whole arguments. */
function continues(piece: CallPiece, draft: Draft): boolean {
  if (piece.name === '') return true
  if (piece.id !== '' && draft.id !== '' && piece.id !== draft.id) return false
  if (draft.arguments === '') return piece.index !== null || piece.name === draft.name
  if (piece.name !== draft.name) return false
  return !(/^\s*\{/.test(piece.arguments) && /\}\s*$/.test(draft.arguments.slice(-8)) && isWhole(draft.arguments))
}

function isWhole(args: string): boolean {
  try {
    return JSON.parse(args) !== undefined
  } catch {
    return false
  }
}
