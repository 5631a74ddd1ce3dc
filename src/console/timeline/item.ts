import type { Content, ImagePart } from '../../domain/content.ts'
import type { FeedbackData } from '../../domain/feedback.ts'
import type { Decision } from '../../domain/pending.ts'
import type { Message, Truncated } from '../../domain/message.ts'
import type { PlanTask } from '../../domain/plan.ts'
import type { FinishReason, LoggedError, Status } from '../../domain/run.ts'
import type { TeamMessage } from '../../domain/team.ts'
import type { Usage } from '../../domain/usage.ts'
import type { FencedPart } from '../../lib/fence.ts'

interface Common {
  /** Unique within a session, and the same however often the log is read. */
  key: string
  seq: number
  /** The sub-task or role that it belongs to. */
  scope: string | null
  time: string
  run: string | null
  /** Grows with every change. */
  rev: number
}

/** What a person, the prompt or a summary says. */
export interface SaidItem extends Common {
  kind: 'said'
  message: Message
}

/** `rating` null: nothing was said. */
export type Feedback = Pick<FeedbackData, 'rating' | 'comment'>

/** A reply of a model, while it is written and after. */
export interface ReplyItem extends Common {
  kind: 'reply'
  text: LiveText
  thinking: LiveText
  isLive: boolean
  /** It calls nothing: it is the answer, or the model was warned of it. */
  isPlain: boolean
  isRejected: boolean
  /** It was stopped before it was whole. */
  isCut: boolean
  /** Its service cut it at `max_tokens`. */
  isTooLong: boolean
  /** It answers: it calls nothing, or ends the run with what it says. */
  isAnswer: boolean
  /** What a person makes of it. */
  feedback: Feedback
}

/** `refused`: a person did not want it, or nobody said anything in time. */
type CallStatus = 'made' | 'waiting' | 'running' | 'ok' | 'failed' | 'refused'

/** A call of a tool with what became of it. */
export interface CallItem extends Common {
  kind: 'call'
  tool: string
  arguments: Record<string, unknown>
  status: CallStatus
  ms: number | null
  result: string | null
  /** Images of the result. */
  images: ImagePart[]
  /** The part of the result that comes from outside. */
  outside: FencedPart | null
  truncated: Truncated | null
  progress: string | null
}

export interface TaskItem extends Common {
  kind: 'task'
  task: PlanTask
}

export interface TeamItem extends Common {
  kind: 'team'
  message: TeamMessage
  heardBy: string[]
}

/** A run has ended. */
export interface EndItem extends Common {
  kind: 'end'
  status: Status
  reason: FinishReason | null
  error: LoggedError | null
  /** A person refused a step of its workflow, and that was the end. */
  isRefused: boolean
  usage: Usage
  /** Null: it was shown already. */
  result: string | null
  /** The model went on giving the same reply: the best that it said is the answer. */
  isLoop: boolean
}

/** A line about what happened. */
export interface NoteItem extends Common {
  kind: 'note'
  note:
    /** `isCall`: a call of a model failed. */
    | { type: 'error'; code: string; detail: string; isCall?: true }
    | { type: 'again'; attempt: number }
    | { type: 'decision'; decision: Decision; feedback: string | null }
    | { type: 'plan'; round: number; tasks: number }
    | { type: 'round'; round: number; roles: string[] }
    | { type: 'route'; worker: string }
    | { type: 'queued'; content: Content }
    | { type: 'tools'; server: string }
    | { type: 'file'; action: 'write' | 'delete'; path: string; size: number }
    | { type: 'warning'; text: string }
}

export type Item = SaidItem | ReplyItem | CallItem | TaskItem | TeamItem | EndItem | NoteItem

/** A text that grows. Who shows it hears each piece, and never looks at the whole again. */
export class LiveText {
  #whole: string
  readonly #listeners = new Set<(piece: string) => void>()

  constructor(text = '') {
    this.#whole = text
  }

  get whole(): string {
    return this.#whole
  }

  append(piece: string): void {
    if (piece === '') return
    this.#whole += piece
    for (const listener of this.#listeners) listener(piece)
  }

  /** Tells every later piece; the function ends it. */
  listen(listener: (piece: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** What the model is told before anything is said; of interest to those who look at each step. */
export function isSystemPrompt({ kind, role }: Pick<Message, 'kind' | 'role'>): boolean {
  return kind === 'prompt' || role === 'system'
}
