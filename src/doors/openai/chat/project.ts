import { callsInAnyForm } from '../../../client/call-begins.ts'
import { createReplyFilter, isUnseen, type ReplyFilter, type ReplyPiece } from '../../../client/reply-filter.ts'
import { isDelta, type SessionEvent, type StreamedDelta } from '../../../domain/event.ts'
import type { Language } from '../../../domain/language.ts'
import type { Message } from '../../../domain/message.ts'
import { isCutReason } from '../../../domain/cut-reason.ts'
import type { Pending } from '../../../domain/pending.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../../session/queries/projection.ts'
import { isControl } from '../../../tools/control.ts'
import { SaidReply } from '../../kernel/said-reply.ts'
import { planWords, teamWords } from '../../kernel/progress-words.ts'
import { TokenSum } from '../token-sum.ts'
import { type ChatFailure, type ChatView, idOf, type Rest, saidBefore, type Told, toldOf, usageOf } from './answer.ts'
import { AnswerText } from './answer-text.ts'

/** Events → chunks of chat completions. Source: OpenAI's API reference, "The chat completion chunk object". */

interface Delta {
  role?: 'assistant'
  content?: string
  reasoning_content?: string
  tool_calls?: object[]
}

export const chatChunks: StreamProjection = (about) => new ChatFrames(about, about.options as ChatView)

/** What one client is sent of one run. */
class ChatFrames implements Frames {
  readonly beat: string
  readonly #about: StreamAbout
  readonly #view: ChatView
  readonly #text: AnswerText
  readonly #tokens = new TokenSum()
  readonly #pending = new Map<string, Pending>()
  readonly #unseen = new Set<string>()
  #filter: { message: string; of: ReplyFilter } | null = null
  #firstTime = ''
  #head: string | null = null
  #isCut = false
  /** The answer has to fit a schema: what does not fit is asked for again, so it is told when it is whole. */
  #isStructured: boolean
  #told: Told | null = null

  constructor(about: StreamAbout, view: ChatView) {
    this.#about = about
    this.#view = view
    this.beat = view.form === 'stream' ? ': keep-alive\n\n' : ''
    this.#text = new AnswerText(view.stops)
    this.#isStructured = about.isStructured
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    const first = this.#firstTime === '' ? this.#begin(event) : []
    return [...first, ...(isDelta(event) ? this.#delta(event) : this.#event(event))]
  }

  #begin({ time }: SessionEvent | StreamedDelta): string[] {
    this.#firstTime = time
    if (this.#view.form === 'whole') return []
    return [this.#chunk({ role: 'assistant', content: '' })]
  }

  #delta(event: StreamedDelta): string[] {
    if (this.#view.form === 'whole' || event.scope !== null || this.#unseen.has(event.message_id)) return []
    if (event.type === 'reasoning-delta') return this.#progress(event.delta)
    if (this.#isStructured) return []
    const { isAnswer } = this.#about.reply()
    // Models write an answer twice, as text and as an argument: it is told once.
    if (event.type === 'answer-delta')
      return this.#say(
        `${event.message_id}/${event.call_id}`,
        isAnswer ? this.#filterFor(event.message_id).answer(event.delta) : event.delta,
      )
    // A reply in the text protocol calls something, or does not count.
    return this.#pieces(event.message_id, isAnswer ? this.#filterFor(event.message_id).push(event.delta) : [])
  }

  /** What was held back of words beside calls, as it might have been one. Of an answer the rest is told at the end. */
  #besideCalls({ id, tool_calls: calls = [] }: Message): string[] {
    const isAnswer = calls.length === 0 || calls.some(({ name }) => name === 'finish')
    return isAnswer || this.#filter?.message !== id ? [] : this.#pieces(id, this.#filter.of.flush(true))
  }

  #pieces(message: string, pieces: readonly ReplyPiece[]): string[] {
    return pieces.flatMap(({ kind, text }) => (kind === 'text' ? this.#say(message, text) : this.#progress(text)))
  }

  #filterFor(message: string): ReplyFilter {
    if (this.#filter?.message !== message)
      this.#filter = { message, of: createReplyFilter(this.#about.reply().toolNames, callsInAnyForm) }
    return this.#filter.of
  }

  #say(reply: string, text: string): string[] {
    return this.#contents(this.#text.say(reply, text))
  }

  #event(event: SessionEvent): string[] {
    switch (event.type) {
      case 'run-start':
        if (event.output_schema !== undefined) this.#isStructured = event.output_schema !== null
        return []
      case 'model-start':
        if (isUnseen(event.purpose)) this.#unseen.add(event.message_id)
        return []
      case 'model-end':
        if (event.ok) this.#tokens.add(event.spent)
        if (event.ok && event.scope === null) this.#isCut = isCutReason(event.finish_reason)
        return []
      case 'message':
        if (this.#view.form === 'stream') return this.#besideCalls(event.message)
        this.#reads(event.message)
        return []
      case 'tool-start':
        return this.#called(event)
      case 'plan':
        return this.#note(planWords(event.plan, this.#language))
      case 'team-message':
        return this.#note(teamWords(event.message))
      case 'pending':
        this.#pending.set(event.pending.id, event.pending)
        return []
      case 'pending-end':
        this.#pending.delete(event.id)
        return []
      case 'run-pause':
        return this.#rests({ ...event, finishReason: event.finish_reason, result: null, error: null })
      case 'run-end':
        return this.#rests({ ...event, finishReason: event.finish_reason })
      default:
        return []
    }
  }

  /** What stands beside calls is told where the run rests for what is called, as a stream would have told it. */
  #reads(message: Message): void {
    const { id, role, scope } = message
    if (role !== 'assistant' || scope !== null || this.#unseen.has(id)) return
    for (const { kind, text } of new SaidReply(this.#about.reply()).whole(message, this.#isStructured))
      if (kind !== 'thoughts') this.#text.say(kind === 'answer' ? `${id}/${kind}` : id, text)
  }

  #rests(how: Pick<Rest, 'status' | 'finishReason' | 'result' | 'error'>): string[] {
    const rest = { ...how, pending: this.#waiting(), isCut: this.#isCut }
    // Where it is streamed, stops were looked for as the words came.
    const stops = this.#view.form === 'stream' ? [] : this.#view.stops
    const told = toldOf(rest, this.#about.sessionId, { ...this.#view, language: this.#language, stops })
    this.#told = told
    if ('failure' in told) return []
    if (this.#view.form === 'whole') {
      if (how.status !== 'interrupted') return []
      this.#text.notice(told.text)
      this.#told = { ...told, text: this.#text.given }
      return []
    }
    const calls = told.calls.flatMap((call, index) => {
      const { name, arguments: text } = call.function
      const begun = { index, id: call.id, type: 'function', function: { name, arguments: '' } }
      return [
        this.#chunk({ tool_calls: [begun] }),
        this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ]
    })
    const unsaid = how.status === 'interrupted' ? this.#text.notice(told.text) : this.#text.end(told.text)
    return [...this.#contents(unsaid), ...calls]
  }

  get #language(): Language {
    return this.#view.language ?? this.#about.language()
  }

  /** What waits now; some of it may wait since before the first event. */
  #waiting(): Pending[] {
    const earlier = this.#about.head().pending.filter(({ created_time: time }) => time < this.#firstTime)
    return [...earlier, ...this.#pending.values()]
  }

  left() {
    const told = this.#told
    const { thread } = this.#view
    if (!thread || !told || 'failure' in told) return null
    const content = this.#view.form === 'stream' ? this.#text.given : told.text
    const answer = saidBefore({ role: 'assistant', content, calls: told.calls })
    return { ...thread, answer }
  }

  end(): string {
    const told = this.#told
    if (!told) return ''
    if (this.#view.form === 'whole') return JSON.stringify(this.#whole(told))
    if ('failure' in told) return `data: ${JSON.stringify({ error: errorIn(told.failure) })}\n\ndata: [DONE]\n\n`
    const last = this.#chunk({}, told.finish)
    const counted = this.#view.includeUsage ? this.#frame('[]', usageOf(this.#tokens.total)) : ''
    return `${last}${counted}data: [DONE]\n\n`
  }

  #whole(told: Told): ChatFailure | object {
    if ('failure' in told) return told
    const { text, calls, finish } = told
    const message = {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    return {
      id: idOf(this.#about.runId),
      object: 'chat.completion',
      created: secondsOf(this.#firstTime),
      model: this.#view.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage: usageOf(this.#tokens.total),
    }
  }

  #contents(text: string): string[] {
    return text === '' ? [] : [this.#chunk({ content: text })]
  }

  #called({ tool, arguments: args, client, attempt }: SessionEvent & { type: 'tool-start' }): string[] {
    const isNews = client === undefined && attempt === 1 && !isControl(tool)
    return isNews ? this.#note(`[${tool}] ${JSON.stringify(args)}`) : []
  }

  #note(words: string): string[] {
    return words === '' ? [] : this.#progress(`\n${words}\n`)
  }

  #progress(text: string): string[] {
    return this.#view.form === 'stream' && this.#view.tellsProgress && text !== ''
      ? [this.#chunk({ reasoning_content: text })]
      : []
  }

  #chunk(delta: Delta, finish: string | null = null): string {
    const choice = `[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]`
    return this.#frame(choice, null)
  }

  /** A client is sent one for each word: what is the same in all of them is written once. */
  #frame(choices: string, usage: object | null): string {
    this.#head ??= JSON.stringify({
      id: idOf(this.#about.runId),
      object: 'chat.completion.chunk',
      created: secondsOf(this.#firstTime),
      model: this.#view.model,
    }).slice(0, -1)
    const counted = this.#view.includeUsage ? `,"usage":${JSON.stringify(usage)}` : ''
    return `data: ${this.#head},"choices":${choices}${counted}}\n\n`
  }
}

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1_000)

function errorIn({ message, type, code }: { message: string; type: string; code: string }) {
  return { message, type, param: null, code }
}
