import type { EventType, SessionEvent } from '../../domain/event.ts'
import type { StoredFile } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import type { Pending } from '../../domain/pending.ts'
import type { SessionData } from '../../domain/session.ts'
import { textStream } from '../../lib/streams.ts'
import type { Journal } from '../../log/journal.ts'
import { follow, type FollowedPart, type ObservedEvent, upToNow } from '../../log/observe.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { historyWith } from '../../domain/thread.ts'
import type { MessagesPart, SessionText, View } from '../call.ts'
import { endsByReplyOf, languageFor } from '../../engine/settings.ts'
import { onDemand } from '../../lib/shape.ts'
import { eventsBehind } from '../../log/read-pages.ts'
import { pagesOf, sessionHead } from './session-data.ts'

/** A session without its messages. */
export type SessionHead = Omit<SessionData, 'messages'>

/** What a projection may know of the stream that it shows. */
export interface StreamAbout {
  sessionId: string
  /** The run whose events are sent; null: those of all. */
  runId: string | null
  /** What the door gave along with the name. */
  options: unknown
  /** That of the session. */
  language: () => Language
  /** The session as it stands now. */
  head: () => SessionHead
  /** Its answers have to fit a schema, unless a run says otherwise. */
  isStructured: boolean
  /** A file of the workspace as it is now, with its bytes if they are no more than these; null: there is none. */
  file: (path: string, bytesMax: number) => { mediaType: string; bytes: Uint8Array | null } | null
  /** Whether a reply that calls nothing is the answer as it is written, and the names by which texts call tools. */
  reply: () => { isAnswer: boolean; toolNames: readonly string[] }
  /** What the log has of these types, from its beginning. */
  past: (types: readonly EventType[]) => Iterable<SessionEvent>
  /** Of a session that its caller keeps: what it needs to go on, at the end of the stream. */
  kept: () => { files?: StoredFile[]; pending?: Pending[] }
}

/** A stream as one reader of a door is sent it. */
export interface Frames {
  /** Before all others. */
  head?: string
  /** Of one event or delta; often none. */
  of(observed: ObservedEvent): readonly string[]
  /** True: nothing follows what was told, and the reader is let go. */
  isOver?: boolean
  /** When all is told that there was as the reader came; not if the run rests by then. */
  caughtUp?(): string
  /** After a silence, so that proxies and readers see life; empty: nothing. */
  beat: string
  /** When the run rests. */
  end?: () => string
  /** What its client will continue, as it was given it: noted before the end. Null: nothing. */
  left?: () => LeftThread | null
}

/** How a thread was left: by the hash of a request, and of the history that it gave, with what was answered. */
export interface LeftThread {
  request: string
  history: string
  answer: unknown
}

/** Events → frames of a door. Pure: it is run where the session lives, once for each reader. */
export type StreamProjection = (about: StreamAbout) => Frames
/** The session → its text, messages a page at a time. */
export type DocumentProjection = (
  head: SessionHead,
  pages: Iterable<readonly Message[]>,
  past: StreamAbout['past'],
) => Iterator<string>

/** How doors show sessions, by names that calls give. What few streams need is imported when one asks for it. */
export interface Projections {
  streams: Readonly<Record<string, StreamProjection | { load: () => Promise<StreamProjection> }>>
  documents: Readonly<Record<string, DocumentProjection>>
}

/** Of calls that name none. */
const DEFAULT: Readonly<Record<keyof Projections, View>> = {
  streams: { name: 'sse' },
  documents: { name: 'session-json' },
}

/** The queries of a session whose answers have the shape of a door. */
export class Views {
  readonly #journal: Journal
  readonly #ports: Pick<SessionPorts, 'engine' | 'threads' | 'report'>
  readonly #projections: Projections

  constructor(journal: Journal, ports: Pick<SessionPorts, 'engine' | 'threads' | 'report'>, projections: Projections) {
    this.#journal = journal
    this.#ports = ports
    this.#projections = projections
  }

  /** What is observed from a cursor on. */
  stream(view: View | undefined, part: FollowedPart): ReadableStream<Uint8Array> {
    const gone = new AbortController()
    const texts = this.#texts(view, part, follow(this.#journal, { ...part, signal: gone.signal }))
    return textStream(texts, { onCancel: () => gone.abort() })
  }

  /** The same once the run rests: a text where that is short. */
  whole(view: View | undefined, part: FollowedPart): Promise<string | ReadableStream<Uint8Array>> {
    const { signal } = new AbortController()
    return textOrStreamOf(this.#texts(view, part, follow(this.#journal, { ...part, isAtRest: true, signal })))
  }

  #texts(
    view: View | undefined,
    { untilRestOf: run }: FollowedPart,
    observed: ReturnType<typeof follow>,
  ): AsyncGenerator<string, void, void> {
    const leave = (left: LeftThread) => this.#leave(left, run)
    return frameTexts(observed, this.frames(view, run), { goesAhead: run === null, leave })
  }

  /** What was observed from a cursor on, up to now. */
  replay(view: View, options: FollowedPart): ReadableStream<Uint8Array> {
    const frames = this.frames(view, options.untilRestOf)
    return textStream(frameTexts(upToNow(this.#journal, options), frames, { goesAhead: false }))
  }

  /** The frames for a new reader; a promise where the projection is imported first. */
  frames(view: View = DEFAULT.streams, runId: string | null = null): Frames | Promise<Frames> {
    const found = this.#projections.streams[view.name]
    if (!found) throw new Error(`no stream is shown as ${view.name}`)
    const about = aboutStream(this.#journal, this.#ports.engine, { runId, options: view.options })
    return typeof found === 'function' ? found(about) : found.load().then((project) => project(about))
  }

  /** A thread that cannot be noted is found no more: its next request makes a session of the history. */
  async #leave({ request, history, answer }: LeftThread, run: string | null): Promise<void> {
    const { id: session, tenant } = this.#journal.record
    if (run === null || !this.#ports.threads) return
    const rest = { request, history: await historyWith(history, answer), session, run }
    await this.#ports.threads.leave(tenant, rest).catch((error) => this.#ports.report(error))
  }

  /** The session, its messages written page by page. */
  document(part: MessagesPart, view: View = DEFAULT.documents): SessionText {
    const project = this.#projections.documents[view.name]
    if (!project) throw new Error(`no session is shown as ${view.name}`)
    const head = sessionHead(this.#journal, this.#ports.engine)
    const after = { all: 0, last_run: (this.#journal.state.run?.firstSeq ?? 1) - 1, none: Infinity }[part]
    const pages = after === Infinity ? [] : pagesOf(this.#journal, after)
    const past: StreamAbout['past'] = (types) => eventsBehind(this.#journal, 0, types)
    return { etag: head.etag, body: textOrStream(project(head, pages, past)) }
  }
}

export function aboutStream(
  journal: Journal,
  engine: Pick<Engine, 'config' | 'orchestrators' | 'tools' | 'chooseModel'>,
  { runId, options }: { runId: string | null; options?: unknown },
): StreamAbout {
  const sessionId = journal.record.id
  const reply = onDemand(() => replyOf(journal, engine))
  const past = (types: readonly EventType[]) => eventsBehind(journal, 0, types)
  const file: StreamAbout['file'] = (path, bytesMax) => {
    const { files } = journal.log
    const entry = files.stat(path)
    return entry && { mediaType: entry.contentType, bytes: entry.size > bytesMax ? null : files.read(path) }
  }
  const head = () => sessionHead(journal, engine)
  const isStructured = journal.record.outputSchema !== undefined
  const language = () => languageFor(engine, journal.record)
  return { sessionId, runId, options, language, head, isStructured, file, reply, past, kept: () => ({}) }
}

interface FrameOptions {
  /** The head is sent at once. A run has events to tell at once, so the head goes with them: a chunk less on the way to the first token. */
  goesAhead: boolean
  /** Told how a thread was left, before the end. */
  leave?: (left: LeftThread) => Promise<void>
}

function replyOf(
  { record, state }: Journal,
  engine: Pick<Engine, 'config' | 'tools' | 'chooseModel'>,
): ReturnType<StreamAbout['reply']> {
  const choice = engine.chooseModel(record.config)
  const declared = choice.ok ? choice.spec.protocol : 'auto'
  const protocol = declared === 'auto' ? (state.run?.protocol ?? declared) : declared
  const isAnswer = protocol !== 'xml' && endsByReplyOf(engine, record, protocol) === 'always'
  return { isAnswer, toolNames: engine.tools.flatMap(({ id, names }) => [id, ...Object.values(names)]) }
}

/** What is observed as text, a batch at a time. */
export async function* frameTexts(
  observed: AsyncIterable<ObservedEvent[] | null> | Iterable<ObservedEvent[]>,
  loading: Frames | Promise<Frames>,
  { goesAhead, leave }: FrameOptions,
): AsyncGenerator<string, void, void> {
  const frames = loading instanceof Promise ? await loading : loading
  let before = frames.head ?? ''
  if (goesAhead && before !== '') {
    yield before
    before = ''
  }
  for await (const batch of observed) {
    const text = before + textOf(frames, batch)
    before = ''
    if (text !== '') yield text
    if (frames.isOver) break
  }
  const left = leave && frames.left?.()
  if (left) await leave(left)
  const end = before + (frames.end?.() ?? '')
  if (end !== '') yield end
}

function textOf(frames: Frames, batch: readonly ObservedEvent[] | null): string {
  if (batch === null) return frames.beat
  return batch.length === 0 ? (frames.caughtUp?.() ?? '') : batch.flatMap((one) => frames.of(one)).join('')
}

/** The same of texts that come. */
async function textOrStreamOf(source: AsyncIterator<string>): Promise<string | ReadableStream<Uint8Array>> {
  let text = ''
  while (text.length <= LIMITS.stream.wholeCharsMax) {
    const next = await source.next()
    if (next.done) return text
    text += next.value
  }
  return textStream(source, { head: text })
}

/** The texts of a source as one, or as a stream when they are long. */
function textOrStream(source: Iterator<string>): string | ReadableStream<Uint8Array> {
  let text = ''
  while (text.length <= LIMITS.stream.wholeCharsMax) {
    const next = source.next()
    if (next.done) return text
    text += next.value
  }
  return textStream(source, { head: text })
}
