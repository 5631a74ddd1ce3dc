import { changeProblem, type ChangeProblem, type FileChange } from '../../domain/file.ts'
import type { SessionEvent, NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import type { GivenMessage } from '../../domain/message.ts'
import type { Log, Now, StagedPart } from '../../domain/ports.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SessionState } from '../../domain/state.ts'
import type { Engine } from '../../engine/engine.ts'
import type { AppendExtras, Journal } from '../../log/journal.ts'
import { History } from '../commands/history.ts'
import { closedBy, closedEvents } from '../../engine/closing.ts'
import { endAll } from '../commands/queue.ts'

type Page = Required<Pick<StagedPart, 'texts'>> & { events: SessionEvent[]; files: FileChange[] }

/** What is taken in of a session that does not exist yet. A page of it is in memory; full ones are staged in its log, where nobody sees
 *  them before `commit`. */
export class Intake {
  readonly #journal: Journal
  readonly #now: Now
  /** When it began, and when it last gave a sign, Unix ms. */
  readonly time: number
  signTime: number
  readonly #onStage: () => void
  readonly #messages: Shelf<GivenMessage>
  readonly #records: Shelf<LogRecord>
  /** Of the events so far; null: they are no log. */
  #state: SessionState | null
  #page: Page = { events: [], texts: [], files: [] }
  #chars = 0
  /** So many events of the page are in the state. */
  #reduced = 0
  /** What was read of records that came before their events; null: no records came before the first event. */
  #recordsAhead: Generator<LogRecord, void, void> | null = null
  #nextRecord: LogRecord | null = null
  #hasEvents = false
  #isOver = false

  /** `onStage`: is told before something is written. */
  constructor(journal: Journal, { now, onStage }: { now: Now; onStage: () => void }) {
    this.#journal = journal
    this.#now = now
    this.time = now()
    this.signTime = this.time
    this.#onStage = onStage
    this.#state = journal.state
    const stage = (part: Omit<StagedPart, 'time'>) => this.#stage(part)
    this.#messages = new Shelf('messages', journal.log, stage)
    this.#records = new Shelf('records', journal.log, stage)
  }

  /** False: the events cannot be reduced, or leave ever more open. */
  isLog(): boolean {
    this.#reduce()
    return this.#state !== null
  }

  /** It is alive. */
  sign(): void {
    this.signTime = this.#now()
  }

  /** Nothing is written any more. */
  end(): void {
    this.#isOver = true
  }

  /** Events come, one or none. */
  beginEvents(): void {
    this.#hasEvents = true
    if (!this.#records.isEmpty) this.#recordsAhead = this.#records.items()
    this.#nextRecord = this.#recordsAhead?.next().value ?? null
  }

  /** `chars`: of its JSON, as with all that is added. */
  addEvent(event: SessionEvent, chars: number): void {
    this.#page.events.push(event)
    this.#grow(chars)
  }

  /** A message, which counts where there are no events. */
  addMessage(message: GivenMessage, chars: number): void {
    if (!this.#hasEvents) this.#messages.put(message, chars)
  }

  addRecord(record: LogRecord, chars: number): void {
    this.#records.put(record, chars)
  }

  addText(key: string, text: string): void {
    this.#page.texts.push({ key, text })
    this.#grow(text.length)
  }

  /** Why it cannot be taken; null: it is. */
  addFile(change: FileChange, chars: number): ChangeProblem | null {
    const problem = changeProblem(this.#journal.log.files, change, this.#page.files)
    const isTwice = this.#page.files.some(({ path }) => path === change.path)
    if (problem || isTwice) return problem ?? 'stale'
    this.#page.files.push(change)
    this.#grow(chars)
    return null
  }

  /** Make the session of it, at once. */
  commit(engine: Engine, extras: AppendExtras & { record: SessionRecord }): void {
    this.#flush()
    if (this.#state && this.#hasEvents) {
      this.#stageLateRecords(this.#state.lastSeq)
      this.#journal.adopt(this.#state, extras)
    } else {
      this.#journal.append([], extras)
      const history = new History(this.#journal, engine)
      for (const page of this.#messages.pages()) this.#journal.append(page.map((message) => history.event(message)))
    }
    const forgottenTexts = [...this.#messages.keys, ...this.#records.keys]
    if (forgottenTexts.length > 0) this.#stage({ forgottenTexts })
  }

  #grow(chars: number): void {
    this.#chars += chars
    const isFull = this.#chars >= LIMITS.transfer.pageCharsMax || this.#page.events.length >= LIMITS.store.eventsPerFold
    if (isFull) this.#flush()
  }

  #reduce(): void {
    const events = this.#page.events.slice(this.#reduced)
    this.#reduced = this.#page.events.length
    if (this.#state && events.length > 0) this.#state = this.#journal.reduced(this.#state, events)
  }

  #flush(): void {
    this.#reduce()
    this.#reduced = 0
    const page = this.#page
    this.#page = { events: [], texts: [], files: [] }
    this.#chars = 0
    const isEmpty = page.events.length + page.texts.length + page.files.length === 0
    if (this.#state && !isEmpty) this.#stage({ ...page, ...this.#recordsUpTo(this.#state.lastSeq) })
  }

  #stage(part: Omit<StagedPart, 'time'>): void {
    if (this.#isOver) return
    this.#onStage()
    this.#journal.log.stage({ ...part, time: this.time })
  }

  /** The records of a page whose last event has this seq; none where none came before the events. */
  #recordsUpTo(seq: number): Pick<StagedPart, 'records'> {
    if (this.#recordsAhead === null) return {}
    const records: LogRecord[] = []
    while (this.#nextRecord && this.#nextRecord.seq <= seq) {
      records.push(this.#nextRecord)
      this.#nextRecord = this.#recordsAhead.next().value ?? null
    }
    return { records }
  }

  #stageLateRecords(lastSeq: number): void {
    if (this.#recordsAhead !== null) return
    for (const page of this.#records.pages()) {
      const recordsOfBefore = page.filter(({ seq }) => seq <= lastSeq)
      if (recordsOfBefore.length > 0) this.#stage({ recordsOfBefore })
    }
  }
}

/** What is read now and needed later, in pages among the texts of the log. */
class Shelf<T> {
  readonly #name: string
  readonly #log: Log
  readonly #stage: (part: Pick<StagedPart, 'texts'>) => void
  readonly keys: string[] = []
  #items: T[] = []
  #chars = 0

  constructor(name: string, log: Log, stage: (part: Pick<StagedPart, 'texts'>) => void) {
    this.#name = name
    this.#log = log
    this.#stage = stage
  }

  get isEmpty(): boolean {
    return this.keys.length + this.#items.length === 0
  }

  put(item: T, chars: number): void {
    this.#items.push(item)
    this.#chars += chars
    if (this.#chars < LIMITS.transfer.pageCharsMax) return
    const key = `import:${this.#name}:${this.keys.length}`
    this.keys.push(key)
    this.#stage({ texts: [{ key, text: JSON.stringify(this.#items) }] })
    this.#items = []
    this.#chars = 0
  }

  *pages(): Generator<T[], void, void> {
    for (const key of this.keys) {
      const page: T[] = JSON.parse(this.#log.text(key) ?? '[]')
      yield page
    }
    if (this.#items.length > 0) yield this.#items
  }

  *items(): Generator<T, void, void> {
    for (const page of this.pages()) yield* page
  }
}

/** End what a copied log leaves open. Nobody here decided what it says that was decided, so nothing of it may run: a run in progress
 *  ends as cancelled, those of queued messages too, and one that can be carried on asks anew. */
export function closeCopy(journal: Journal, engine: Engine): void {
  write(journal, closedBy('copied', { journal, engine }))
  const { status } = journal.state
  if (status !== 'in_progress' && status !== 'interrupted')
    write(journal, [...closedEvents(journal, engine), ...closedBy('copied-rest', { journal, engine })])
  endAll(journal, engine)
}

function write(journal: Journal, events: readonly NewEvent[]): void {
  if (events.length > 0) journal.append(events)
}
