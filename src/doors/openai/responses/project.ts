import { isUnseen } from '../../../client/reply-filter.ts'
import { isDelta, type SessionEvent, type StreamedDelta } from '../../../domain/event.ts'
import { contentText } from '../../../domain/content.ts'
import type { Message } from '../../../domain/message.ts'
import { isCutReason } from '../../../domain/cut-reason.ts'
import type { Pending } from '../../../domain/pending.ts'
import type { PlanData } from '../../../domain/plan.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../../session/queries/projection.ts'
import { planWords, teamWords } from '../../kernel/progress-words.ts'
import { type PlacedPiece, type SaidPiece, SaidReply } from '../../kernel/said-reply.ts'
import { isControl } from '../../../tools/control.ts'
import { type Ownership, responseId, tokenOf, waitingId } from './ids.ts'
import { TellingItems } from './telling.ts'
import {
  type Echo,
  FINAL_EVENT,
  responseObjectOf,
  type Standing,
  standingOf,
  responseUsageOf,
  UNDER_WAY,
} from './response.ts'
import { closingNumber, numberAt, type Region } from './sequence.ts'
import type { OutputItem } from './shapes.ts'
import { TokenSum } from '../token-sum.ts'
import { FrameWriter } from './writer.ts'

/** Events → events of Responses. Source: OpenAI's API reference, "Streaming events". A response is what one run did from one of its events on,
 *  until it rested. */

/** How a reader is told. `stream`: frame by frame; `whole`: the response when it rests, or as it stands; `begun`: the response as it began. */
export interface ResponseView {
  form: 'stream' | 'whole' | 'begun'
  owner: Ownership
  /** The number of the last frame that the reader has; null: none. */
  after: number | null
}

const ASKING: readonly SessionEvent['type'][] = ['session-update', 'client-tools', 'pending-end']
/** Where in the numbers the texts of a reply are. */
const REGIONS = { thoughts: 1, words: 2, answer: 3 } as const satisfies Record<SaidPiece['kind'], Region>

const SAID_KINDS = ['thoughts', 'words', 'answer'] as const satisfies SaidPiece['kind'][]

/** A model call of the run itself. */
interface Call {
  id: string
  seq: number
  isSeen: boolean
  /** Its message is in the log. */
  isWhole: boolean
  reply: SaidReply
}

export const responseEvents: StreamProjection = (about) => new ResponseFrames(about, about.options as ResponseView)

class ResponseFrames implements Frames {
  readonly beat: string
  readonly #about: StreamAbout
  readonly #view: ResponseView
  readonly #writer: FrameWriter
  readonly #output: TellingItems
  readonly #tokens = new TokenSum()
  /** Calls of tools that are under way, by their ids: their place, and whether they went well, once that is known. */
  readonly #tools = new Map<string, { index: number; isOk: boolean }>()
  readonly #questions: Pending[] = []
  #first: { seq: number; time: string } | null = null
  /** What all ids of the response are made of. */
  #token = ''
  /** What the request said; null: nobody was told of the response yet. */
  #echo: Echo | null = null
  #call: Call | null = null
  #isCut = false
  /** The answer has to fit a schema: it is told when it is whole. */
  #isStructured: boolean
  #lastSeq = 0
  #standing: Standing = UNDER_WAY
  /** It rests for the caller or a human. */
  #isWaiting = false

  constructor(about: StreamAbout, view: ResponseView) {
    this.#about = about
    this.#view = view
    this.beat = view.form === 'stream' ? ': keep-alive\n\n' : ''
    this.#writer = new FrameWriter(view.form === 'stream' ? (view.after ?? -1) : Infinity)
    this.#output = new TellingItems(this.#writer, () => this.#token)
    this.#isStructured = about.isStructured
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    const isBegun = this.#echo !== null
    if (!isDelta(event)) this.#event(event)
    else if (isBegun) this.#delta(event)
    return this.#view.form === 'begun' && !isBegun && this.#echo
      ? [`${JSON.stringify(this.#response)}\n`]
      : this.#writer.take()
  }

  end(): string {
    const { form } = this.#view
    if (form === 'whole') return this.#first ? JSON.stringify(this.#response) : ''
    if (form === 'begun' || this.#standing !== UNDER_WAY) return ''
    this.#writer.place(numberAt(this.#lastSeq + 1, 0))
    this.#writer.put('error', { code: 'not_found', message: 'The session of this response is gone.', param: null })
    return this.#writer.take().join('')
  }

  get #response() {
    const { time: createdTime = new Date(0).toISOString() } = this.#first ?? {}
    const echo = this.#echo ?? {}
    return responseObjectOf({ id: responseId(this.#token), createdTime, echo }, this.#standing, this.#items)
  }

  /** Whoever is not told step by step has the answer alone; where the response waits for a call, what stands beside that, too. */
  get #items(): OutputItem[] {
    const all = this.#output.standing
    if (this.#view.form === 'stream' || this.#isWaiting) return all
    return all.filter((item) => item.type !== 'message' || item.phase === 'final_answer')
  }

  #event(event: SessionEvent): void {
    this.#lastSeq = event.seq
    this.#writer.place(numberAt(event.seq, 0))
    if (!this.#echo) this.#begin(event)
    switch (event.type) {
      case 'run-start':
        this.#isStructured ||= event.output_schema !== undefined && event.output_schema !== null
        return
      case 'model-start':
        return event.scope === null ? this.#called(event) : undefined
      case 'model-end':
        if (event.ok) this.#tokens.add(event.spent)
        if (event.ok && event.scope === null) this.#isCut = isCutReason(event.finish_reason)
        return
      case 'message':
        return this.#message(event.message)
      case 'tool-start':
        return this.#toolStart(event)
      case 'tool-end':
        return this.#toolEnd(event)
      case 'pending':
        return this.#waits(event.pending)
      case 'plan':
        return this.#plan(event.plan)
      case 'team-message':
        return this.#output.note(teamWords(event.message))
      case 'run-pause':
      case 'run-end':
        return this.#rests(event)
      default:
    }
  }

  /** A response begins with the first event of what was asked. What the request said stands with that, or with one behind it. */
  #begin(event: SessionEvent): void {
    const { seq } = (this.#first ??= { seq: event.seq, time: event.time })
    this.#token ||= tokenOf(this.#view.owner, { run: this.#about.runId ?? '', seq })
    const kept = 'door' in event ? event.door?.['responses'] : undefined
    if (kept === undefined && isAsking(event)) return
    this.#echo = kept ?? { model: this.#about.head().config.model ?? 'yaa' }
    if (this.#view.form !== 'stream') return
    this.#writer.place(numberAt(seq, 0))
    const response = this.#response
    this.#writer.put('response.created', { response })
    this.#writer.put('response.in_progress', { response })
    if (event.seq > seq) this.#writer.place(numberAt(event.seq, 0))
  }

  /** The next model call of the run itself. What the one before told stands as it is, unless that broke off. */
  #called({ message_id: id, seq, purpose }: SessionEvent & { type: 'model-start' }): void {
    const before = this.#call
    if (before && !before.isWhole)
      this.#output.retried(before.seq, (region) =>
        isSaid(before, region) ? 0 : this.#writer.knownOf(before.seq, region),
      )
    else this.#closeWords()
    this.#call = { id, seq, isSeen: !isUnseen(purpose), isWhole: false, reply: new SaidReply(this.#about.reply()) }
  }

  #closeWords(): void {
    this.#writer.place(numberAt(this.#lastSeq, 0))
    this.#output.close('words', 'commentary')
  }

  #delta(event: StreamedDelta): void {
    const call = this.#call
    if (event.scope !== null || !call?.isSeen || call.id !== event.message_id) return
    this.#tell(call, call.reply.delta(event, this.#isStructured))
  }

  #tell({ seq, reply }: Call, pieces: readonly PlacedPiece[]): void {
    for (const { kind, text, at } of pieces) {
      if (kind !== 'thoughts') this.#output.closeThoughts()
      const said = reply.said[kind].slice(0, at + text.length)
      this.#output.tell(kind === 'thoughts' ? kind : 'words', { seq, region: REGIONS[kind], said }, text)
    }
  }

  #message(message: Message): void {
    const { role, scope, id, tool_call_id: callId, content } = message
    if (role === 'tool' && callId !== undefined) return this.#toolResult(callId, contentText(content, null))
    const call = this.#call
    if (role !== 'assistant' || scope !== null || call?.id !== id) return
    call.isWhole = true
    if (call.isSeen) this.#tell(call, call.reply.whole(message, this.#isStructured))
    this.#output.closeThoughts()
  }

  #toolStart({
    call_id: id,
    tool,
    arguments: args,
    client,
    scope,
    attempt,
  }: SessionEvent & { type: 'tool-start' }): void {
    if (client || isControl(tool) || attempt > 1) return
    if (scope === null) this.#closeWords()
    this.#tools.set(id, { index: this.#output.toolCall(tool, JSON.stringify(args)), isOk: true })
  }

  #toolEnd({ call_id: id, ok: isOk }: SessionEvent & { type: 'tool-end' }): void {
    const tool = this.#tools.get(id)
    if (tool) tool.isOk = isOk
  }

  #toolResult(callId: string, text: string): void {
    const tool = this.#tools.get(callId)
    if (tool) this.#output.toolDone(tool.index, tool.isOk, text)
    this.#tools.delete(callId)
  }

  /** What waits: for the caller whose tool it is, or for a human. A question is asked when the run rests. */
  #waits(pending: Pending): void {
    const { id, type, tool = 'plan', arguments: args = {} } = pending
    if (type === 'question') return void this.#questions.push(pending)
    this.#closeWords()
    const { owner } = this.#view
    if (type === 'tool_call') this.#output.functionCall(waitingId('call', owner, id), tool, JSON.stringify(args))
    else this.#output.approvalRequest(waitingId('mcpr', owner, id), tool, JSON.stringify(args))
  }

  #plan(plan: PlanData): void {
    const words = planWords(plan, this.#about.language())
    if (words !== '') this.#output.note(words)
  }

  #rests(event: SessionEvent & { type: 'run-end' | 'run-pause' }): void {
    const { seq } = event
    const answer = event.type === 'run-end' ? (event.result ?? '') : this.#questions.map(questionText).join('\n\n')
    if (answer.trim() !== '') this.#answers(seq, answer)
    this.#writer.place(numberAt(seq, REGIONS.answer))
    this.#output.closeThoughts()
    this.#writer.place(numberAt(seq, REGIONS.answer))
    const isBroken = event.status === 'failed' || event.status === 'cancelled'
    this.#output.close('words', 'final_answer', isBroken ? 'incomplete' : 'completed')
    for (const { index } of this.#tools.values()) this.#output.toolDone(index, false, event.status)
    const isCancelled = event.type === 'run-pause' && this.#isStoppedBehind(event)
    this.#isWaiting = event.status === 'interrupted' && !isCancelled
    this.#standing = standingOf(
      isCancelled ? { ...event, status: 'cancelled' } : event,
      responseUsageOf(this.#tokens.total),
      this.#isCut,
    )
    if (this.#view.form !== 'stream') return
    // Its number is the same whatever this reader was told before.
    this.#writer.place(closingNumber(seq, REGIONS.answer))
    this.#writer.put(FINAL_EVENT[this.#standing.status], { response: this.#response })
  }

  /** Whether the run was stopped while it rested. */
  #isStoppedBehind({ seq, run_id: run }: SessionEvent): boolean {
    for (const event of this.#about.past(['run-resume', 'run-end']))
      if (event.seq > seq && event.run_id === run) return event.type === 'run-end' && event.status === 'cancelled'
    return false
  }

  /** The answer of the run, or what it asks, is told as far as it was not told as it was written. */
  #answers(seq: number, answer: string): void {
    const told = this.#output.openOf('words')?.text ?? ''
    // Whoever is told step by step has what stands beside a part of the answer; others are given the answer alone.
    const hasBoth = this.#view.form === 'stream' && this.#call?.reply.hasTold(answer)
    if (told !== '' && (told.trim() === answer.trim() || hasBoth)) return
    if (!answer.startsWith(told)) this.#closeWords()
    const from = answer.startsWith(told) ? told.length : 0
    this.#output.tell('words', { seq, region: REGIONS.words, said: answer }, answer.slice(from))
  }
}

/** Whether an event says what was asked; of these nothing is told. */
function isAsking(event: SessionEvent): boolean {
  return event.type === 'message' ? event.message.role === 'user' : ASKING.includes(event.type)
}

function questionText({ question = '', options = [] }: Pending): string {
  return [question, ...options.map((option) => `- ${option}`)].join('\n')
}

function isSaid({ reply }: Call, region: Region): boolean {
  return SAID_KINDS.some((kind) => REGIONS[kind] === region && reply.said[kind] !== '')
}
