import { finishAnswerOf, type StreamedDelta } from '../../client/client.ts'
import { createReplyFilter, isUnseen, type ReplyPiece, type ReplyFilter } from '../../client/reply-filter.ts'
import { contentText } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { Message } from '../../domain/message.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import { type Feedback, type Item, type ReplyItem, LiveText } from './item.ts'

type ModelEnd = Extract<SessionEvent, { type: 'model-end'; ok: true }>

const NOTHING_SAID: Feedback = { rating: null, comment: null }

interface Open {
  item: ReplyItem
  filter: ReplyFilter
  /** The call that is given the answer, and whether something of it is shown. */
  call: string | null
  answers: boolean
}

/** Replies as they are written and as they are when they are whole; calls within a text are left out. */
export class Replies {
  readonly #toolNames: readonly string[]
  readonly #language: Language
  readonly #open = new Map<string, Open>()
  readonly #unseen = new Set<string>()
  /** What their service cut. */
  readonly #tooLong = new Set<string>()
  /** What was said last of replies, by their ids, and where in the log. */
  readonly #said = new Map<string, Feedback & { seq: number }>()

  constructor(toolNames: readonly string[], language: Language) {
    this.#toolNames = toolNames
    this.#language = language
  }

  /** A call of a model is made, perhaps again. What was told of the one before it is void. */
  start(event: SessionEvent & { type: 'model-start' }): Set<Item> {
    if (isUnseen(event.purpose)) this.#unseen.add(event.message_id)
    return this.dropLive(event.scope)
  }

  /** The next piece of a reply; gives the item when it is its first. */
  delta(event: StreamedDelta): ReplyItem | null {
    if (this.#unseen.has(event.message_id)) return null
    const known = this.#open.get(event.message_id)
    const open = known ?? this.#begin(event)
    if (event.type === 'reasoning-delta') open.item.thinking.append(event.delta)
    else if (event.type === 'message-delta') put(open.item, open.filter.push(event.delta))
    else this.#answer(open, event)
    return known ? null : open.item
  }

  /** A reply that is whole; gives an item when none shows it yet. */
  whole(event: SessionEvent, message: Message): ReplyItem | null {
    if (this.#unseen.has(message.id)) return null
    const calls = (message.tool_calls ?? []).length > 0
    const open = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (open) {
      put(open.item, open.filter.flush(calls))
      this.#settle(open.item, event, message)
      return null
    }
    const item = this.#item(event, message.id)
    item.thinking.append(message.reasoning ?? '')
    const filter = createReplyFilter(this.#toolNames)
    put(item, [...filter.push(contentText(message.content, this.#language)), ...filter.flush(calls)])
    this.#settle(item, event, message)
    return isEmpty(item) ? null : item
  }

  /** What a person makes of a reply, which may stand in a part of the log that is read later. */
  rated({ seq, message_id: id, rating, comment }: SessionEvent & { type: 'feedback' }, items: readonly Item[]): void {
    if (seq < (this.#said.get(id)?.seq ?? 0)) return
    const feedback = { seq, rating, comment }
    this.#said.set(id, feedback)
    change(items, id, { feedback })
  }

  /** A call of a model ended well. Its reply may stand in a part of the log that is read later. */
  ended({ message_id: id, finish_reason: reason }: ModelEnd, items: readonly Item[]): void {
    if (!isCutReason(reason)) return
    this.#tooLong.add(id)
    change(items, id, { isTooLong: true })
  }

  /** Ends what is being written, of one branch or of all; gives the items that go. */
  dropLive(scope?: string | null): Set<Item> {
    const gone = [...this.#open].filter(([, { item }]) => scope === undefined || item.scope === scope)
    for (const [id] of gone) this.#open.delete(id)
    return new Set(gone.map(([, { item }]) => item))
  }

  /** The answer stands below what is said beside it. */
  #answer(open: Open, { call_id: call, delta }: StreamedDelta & { type: 'answer-delta' }): void {
    if (call !== open.call) {
      open.filter.nextAnswer()
      Object.assign(open, { call, answers: false })
    }
    const piece = open.filter.answer(delta)
    if (open.answers) open.item.text.append(piece)
    else if (piece !== '') append(open.item.text, piece)
    open.answers ||= piece !== ''
  }

  #begin(event: StreamedDelta): Open {
    const filter = createReplyFilter(this.#toolNames)
    const open: Open = { item: this.#item(event, event.message_id), filter, call: null, answers: false }
    open.item.isLive = true
    this.#open.set(event.message_id, open)
    return open
  }

  #settle(item: ReplyItem, event: SessionEvent, message: Message): void {
    const answer = finishAnswerOf(message)
    if (answer !== null && !item.text.whole.includes(answer.trim())) append(item.text, answer)
    item.isLive = false
    item.isRejected = message.rejected === true
    item.isCut = message.cut === true
    item.isPlain = (message.tool_calls ?? []).length === 0
    item.isAnswer = item.isPlain || answer !== null
    item.seq = event.seq
    item.rev += 1
  }

  #item({ seq, scope, time, run_id }: Pick<SessionEvent, 'seq' | 'scope' | 'time' | 'run_id'>, id: string): ReplyItem {
    const texts = { text: new LiveText(), thinking: new LiveText() }
    const states = {
      isLive: false,
      isPlain: false,
      isRejected: false,
      isCut: false,
      isTooLong: this.#tooLong.has(id),
      isAnswer: false,
    }
    const feedback = this.#said.get(id) ?? NOTHING_SAID
    return { kind: 'reply', key: id, seq, scope, time, run: run_id, rev: 0, feedback, ...states, ...texts }
  }
}

function change(items: readonly Item[], id: string, fields: Partial<ReplyItem>): void {
  const item = items.findLast(({ key }) => key === id)
  if (item?.kind === 'reply') Object.assign(item, { ...fields, rev: item.rev + 1 })
}

function put({ text, thinking }: ReplyItem, pieces: readonly ReplyPiece[]): void {
  for (const piece of pieces) (piece.kind === 'thinking' ? thinking : text).append(piece.text)
}

function append(text: LiveText, answer: string): void {
  text.append(text.whole.trim() === '' ? answer : `\n\n${answer}`)
}

const isEmpty = ({ text, thinking }: ReplyItem) => text.whole.trim() === '' && thinking.whole.trim() === ''
