import { type AppError, fail, type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { storedFile } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import { logRecord } from '../../domain/log-record.ts'
import type { NewMessageInput } from '../../domain/session-input.ts'
import { JsonReader, JsonReadError } from '../../lib/json-reader.ts'
import { readTexts } from '../../lib/streams.ts'
import { checkedBy, issuesOf } from '../../lib/zod.ts'
import { schemaProblem } from '../../skills/output-schema.ts'
import { firstTask, titleOf } from '../commands/create.ts'
import { importedFile, problemIssue } from './exported-files.ts'
import type { TakenDocument } from './imported-record.ts'
import type { Intake } from './intake.ts'

export { importedRecord } from './imported-record.ts'
export { closeCopy, Intake } from './intake.ts'

type Schemas = Awaited<ReturnType<typeof loadSchemas>>

const NOT_A_LOG: InputIssue = {
  path: 'events',
  message: 'a log that can be folded: what belongs together is there and in order',
}

/** Read an exported document value by value into a session of this id, which does not exist yet. What is wrong with it is said with paths. */
export async function readImport(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
  place: { intake: Intake; id: string },
): Promise<Result<TakenDocument>> {
  const reading = new DocumentReader(body, bytesMax, await loadSchemas(), place)
  try {
    return await reading.read().catch(async (error: unknown) => {
      if (!(error instanceof JsonReadError)) throw error
      // A body that is too long is refused as that, whatever else is wrong with it.
      if (error.reason === 'chars') await reading.passOver()
      return { ok: false, error: unreadable(error, reading.path) }
    })
  } catch (error) {
    if (error instanceof Unread) return { ok: false, error: error.reason }
    throw error
  } finally {
    await reading.close()
  }
}

/** They are made when they are first needed. */
async function loadSchemas() {
  const [{ importInput }, { loggedEvent, readStoredMessage }] = await Promise.all([
    import('../../domain/import-input.ts'),
    import('../../domain/event-input.ts'),
  ])
  return { importInput, loggedEvent, readStoredMessage, storedFile: storedFile(), logRecord }
}

/** Ends the reading of a document for a reason that its sender is told. */
class Unread extends Error {
  readonly reason: AppError

  constructor(reason: { ok: false; error: AppError }) {
    super(reason.error.code)
    this.reason = reason.error
  }
}

function unreadable({ reason, path: within }: JsonReadError, path: string): AppError {
  const { importDepthMax } = LIMITS.http
  const { valueCharsMax } = LIMITS.transfer
  if (reason === 'levels') return invalid([{ path: '', message: `nested deeper than ${importDepthMax} levels` }]).error
  if (reason === 'chars') return invalid([{ path, message: `at most ${valueCharsMax} characters` }]).error
  if (reason === 'twice')
    return invalid(
      [{ path: `${path}.${within}`, message: 'the only member of this name' }],
      'The body is no I-JSON (RFC 7493).',
    ).error
  return notJson().error
}

function notJson(): { ok: false; error: AppError } {
  return invalid([{ path: '', message: 'not valid JSON in UTF-8' }], 'The body is not valid JSON.')
}

/** Texts of the body; what is too long, breaks off or is not UTF-8 ends the reading. */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
  intake: Intake,
): AsyncGenerator<string, void, void> {
  const texts = readTexts(body, bytesMax)
  try {
    for (;;) {
      const next = await texts.next().catch(() => {
        throw new Unread(notJson())
      })
      if (next.done) return
      if (next.value === null) throw new Unread(fail({ code: 'body_too_large', bytesMax }))
      intake.sign()
      yield next.value
    }
  } finally {
    await texts.return()
  }
}

class DocumentReader {
  readonly #pieces: AsyncGenerator<string, void, void>
  readonly #reader: JsonReader
  readonly #schemas: Schemas
  readonly #intake: Intake
  readonly #id: string
  readonly #issues: InputIssue[] = []
  /** What is read now. */
  path = ''
  #title: string | null = null
  #lastRecordSeq = 0

  constructor(
    body: ReadableStream<Uint8Array>,
    bytesMax: number,
    schemas: Schemas,
    { intake, id }: { intake: Intake; id: string },
  ) {
    const limits = { charsMax: LIMITS.transfer.valueCharsMax, levelsMax: LIMITS.http.importDepthMax }
    this.#pieces = piecesOf(body, bytesMax, intake)
    this.#reader = new JsonReader(this.#pieces, limits)
    this.#schemas = schemas
    this.#intake = intake
    this.#id = id
  }

  /** Nothing more is asked of the sender. */
  async close(): Promise<void> {
    await this.#pieces.return()
  }

  /** What comes behind is not looked at. */
  async passOver(): Promise<void> {
    while (!(await this.#pieces.next()).done);
  }

  async read(): Promise<Result<TakenDocument>> {
    const { shape } = this.#schemas.importInput
    const isObject = (await this.#reader.peek()) === '{'
    const rest = isObject ? await this.#members('', shape, (name) => this.#member(name)) : await this.#reader.value()
    await this.#reader.end()
    if (this.#issues.length === 0 && !this.#intake.isLog()) this.#note([NOT_A_LOG])
    const parsed = checkedBy(this.#schemas.importInput, rest)
    if (!parsed.ok) this.#note(parsed.issues)
    if (this.#issues.length > 0 || !parsed.ok) throw this.#unread()
    return ok({ input: parsed.value, title: this.#title ?? '' })
  }

  /** The members of an object that a schema knows. Of what `take` takes in an empty value is left; nothing is kept of others. */
  async #members(root: string, known: object, take: (name: string) => Promise<unknown>): Promise<object> {
    const found = new Map<string, unknown>()
    for await (const name of this.#reader.members()) {
      this.path = root + name
      if (found.has(name)) this.#note([{ path: this.path, message: 'the only member of this name' }])
      const value = await take(name)
      if (Object.hasOwn(known, name)) found.set(name, value)
    }
    return Object.fromEntries(found)
  }

  async #member(name: string): Promise<unknown> {
    const begins = await this.#reader.peek()
    const { shape } = this.#schemas.importInput.shape.session
    if (begins === '{' && name === 'session')
      return this.#members('session.', shape, (inner) => this.#sessionMember(inner))
    if (begins === '{' && name === 'results') return this.#results()
    if (begins !== '[') return this.#reader.value()
    if (name === 'events') {
      if (this.#issues.length === 0) this.#intake.beginEvents()
      return this.#elements((given, chars, index) => this.#event(given, chars, index))
    }
    if (name === 'records') return this.#elements((given, chars) => this.#record(given, chars))
    if (name === 'files') return this.#elements((given, chars, index) => this.#file(given, chars, index))
    return this.#reader.value()
  }

  async #sessionMember(name: string): Promise<unknown> {
    if (name !== 'messages' || (await this.#reader.peek()) !== '[') return this.#reader.value()
    return this.#elements((given, chars) => this.#message(given, chars))
  }

  async #elements(take: (given: unknown, chars: number, index: number) => void | Promise<void>): Promise<[]> {
    const list = this.path
    try {
      for await (const { index, values, chars } of this.#reader.elements()) {
        for (const [at, value] of values.entries()) {
          this.path = `${list}.${index + at}`
          const taken = take(value, chars / values.length, index + at)
          if (taken) await taken
        }
        this.path = `${list}.${index + values.length}`
      }
    } catch (error) {
      // Its path begins with the element.
      if (error instanceof JsonReadError && error.reason === 'twice') this.path = list
      throw error
    }
    this.path = list
    return []
  }

  #event(given: unknown, chars: number, index: number): void {
    const read = this.#schemas.loggedEvent.safeParse(given)
    if (!read.success) return this.#note(issuesOf(read.error, this.path))
    const issue = placeIssue(read.data, index)
    if (issue) return this.#note([{ ...issue, path: `${this.path}.${issue.path}` }])
    if (this.#issues.length > 0) return
    this.#intake.addEvent(moved(read.data, this.#id, this.#intake.time), chars)
  }

  #message(given: unknown, chars: number): void {
    const read = this.#schemas.readStoredMessage(given)
    if (!read.success) return this.#note(issuesOf(read.error, this.path))
    if (read.data.role === 'user') this.#title ??= titleOf(firstTask([read.data]))
    if (this.#issues.length === 0) this.#intake.addMessage(read.data, chars)
  }

  /** What is out of order is left out. */
  #record(given: unknown, chars: number): void {
    const read = this.#schemas.logRecord.safeParse(given)
    if (!read.success) return this.#note(issuesOf(read.error, this.path))
    if (read.data.seq <= this.#lastRecordSeq || this.#issues.length > 0) return
    this.#lastRecordSeq = read.data.seq
    this.#intake.addRecord(read.data, chars)
  }

  async #results(): Promise<object> {
    for await (const callId of this.#reader.members()) {
      this.path = `results.${callId}`
      const read = this.#schemas.importInput.shape.results.safeParse({ [callId]: await this.#reader.value() })
      if (!read.success) this.#note(issuesOf(read.error, 'results'))
      else if (this.#issues.length === 0)
        for (const [key, text] of Object.entries(read.data ?? {})) this.#intake.addText(`result:${key}`, text)
    }
    return {}
  }

  async #file(given: unknown, chars: number, index: number): Promise<void> {
    if (index >= LIMITS.files.filesMax)
      throw this.#unread({ path: 'files', message: `at most ${LIMITS.files.filesMax}` })
    const read = this.#schemas.storedFile.safeParse(given)
    if (!read.success) return this.#note(issuesOf(read.error, this.path))
    const change = await importedFile(read.data, this.path)
    if (!change.ok) throw this.#unread(...('issues' in change.error ? change.error.issues : []))
    if (this.#issues.length > 0) return
    const problem = this.#intake.addFile(change.value, chars)
    if (problem) this.#note([problemIssue(problem, this.path)])
  }

  /** So many places are told of one document; nothing behind the last of them is read. */
  #note(issues: readonly InputIssue[]): void {
    this.#issues.push(...issues)
    if (this.#issues.length >= LIMITS.http.issuesMax) throw this.#unread()
  }

  #unread(...more: InputIssue[]): Unread {
    const issues = [...this.#issues, ...more].slice(0, LIMITS.http.issuesMax)
    return new Unread(invalid(issues, 'This is not an export that can be read; see errors.'))
  }
}

/** Why an event is not in its place; messages are found by theirs, and what waits is ended in its own. */
function placeIssue(event: SessionEvent, index: number): InputIssue | null {
  if (event.seq !== index + 1) return { path: 'seq', message: `${index + 1}: events are numbered from 1 without gaps` }
  if (event.type === 'pending' && (event.pending.scope ?? null) !== event.scope)
    return { path: 'pending.scope', message: 'that of its event' }
  if (event.type === 'run-start' || event.type === 'message-queued') return schemaIssue(event)
  if (event.type !== 'message') return null
  const { message, covers } = event
  if (message.seq !== event.seq) return { path: 'message.seq', message: 'the seq of its event' }
  if ((message.scope ?? null) !== event.scope) return { path: 'message.scope', message: 'that of its event' }
  return covers && covers.seq >= event.seq ? { path: 'covers.seq', message: 'of an earlier event' } : null
}

/** Why what the answer of a run is to fit cannot be used. */
function schemaIssue({ output_schema: schema }: Pick<NewMessageInput, 'output_schema'>): InputIssue | null {
  const message = schema ? schemaProblem(schema) : null
  return message === null ? null : { path: 'output_schema', message }
}

/** An event in its new session: nothing of it is later than now, the rest of a result is found where it now is, and nobody whom this server
 *  knows decided what it says that was decided. */
function moved(event: SessionEvent, id: string, now: number): SessionEvent {
  const placed = unsigned(Date.parse(event.time) > now ? { ...event, time: new Date(now).toISOString() } : event)
  if (placed.type !== 'message' || !placed.message.truncated) return placed
  const rest = `/v1/sessions/${id}/results/${placed.message.tool_call_id}`
  return { ...placed, message: { ...placed.message, truncated: { ...placed.message.truncated, rest } } }
}

function unsigned(event: SessionEvent): SessionEvent {
  if (event.type !== 'pending-end') return event
  const { by: _, ...others } = event
  return others
}
