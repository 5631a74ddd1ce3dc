import type { Decided } from '../../domain/audit.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { FileChange } from '../../domain/file.ts'
import { languageOfWords } from '../../domain/language.ts'
import type { Pending } from '../../domain/pending.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { RunState } from '../../domain/state.ts'
import type { CallOptions } from '../call.ts'

/** What happens at once, in one transaction, before a run is driven. */
export interface Begin {
  events: NewEvent[]
  record?: SessionRecord
  /** What the session is in from here on, where nobody has said so before; null: it stays open. */
  language?: SpokenCast | null
  texts?: { key: string; text: string }[]
  files?: FileChange[]
  /** The run that the caller waits for, when it is not the newest. */
  runId?: string
}

/** The language of a first task: what the request asks for, else that of the words. */
export function firstLanguage(words: string, { language }: Pick<CallOptions, 'language'>): string | null {
  return language ?? languageOfWords(words)
}

/** A language, and whom a session is cast with in it. */
export interface SpokenCast extends Partial<Pick<SessionRecord, 'skill' | 'team'>> {
  language: string
}

export function withLanguage(record: SessionRecord, { language, ...cast }: SpokenCast): SessionRecord {
  return { ...record, ...cast, config: { ...record.config, language } }
}

/** The run that the caller of what begins waits for; null: there was none yet. */
export function awaitedRun({ runId, events }: Begin, newest: RunState | null): string | null {
  return runId ?? newRunIn(events) ?? newest?.id ?? null
}

/** The run that events begin, if they do. */
function newRunIn(events: readonly NewEvent[]): string | undefined {
  return events.find(({ type, run_id }) => type === 'run-start' && run_id !== undefined)?.run_id
}

/** Events with who asked: where a run was asked for, by whom, and who pays. */
export function signed(
  events: NewEvent[],
  { origin, by, payer, thread }: Pick<CallOptions, 'origin' | 'by' | 'payer' | 'thread'>,
  run: RunState | null,
): NewEvent[] {
  const paid = paidBy(events, payer, run)
  const asked = { ...(origin ? { origin } : {}), ...(by === undefined ? {} : { by }) }
  const keeper = thread?.kept ? keeperOf(paid) : undefined
  return paid.map((event) => {
    const door = event === keeper && thread?.kept ? { door: thread.kept } : {}
    if (event.type === 'run-start') return { ...event, ...asked, ...door }
    if (event.type === 'message') return { ...calledBy(event, thread), ...door }
    return event.type === 'run-resume' || event.type === 'pending-end' ? { ...event, ...door } : event
  })
}

/** The event with which the log keeps what a door wants to find again: the one by which the run begins or goes on; where it is going already,
 *  what was said or decided. */
function keeperOf(events: readonly NewEvent[]): NewEvent | undefined {
  return (
    events.find(({ type }) => type === 'run-start' || type === 'run-resume') ??
    events.find(({ type }) => type === 'message' || type === 'pending-end')
  )
}

/** The user's message, under the name that their client has for it too. */
function calledBy(
  event: NewEvent & { type: 'message' },
  thread: CallOptions['thread'],
): NewEvent & { type: 'message' } {
  const { message } = event
  if (thread?.messageId === undefined || message.role !== 'user' || message.scope !== null) return event
  return { ...event, message: { ...message, client_id: thread.messageId } }
}

/** Events that begin a run, queue it or go on with it say who pays, where that is another than before. Who only decides what
 *  waits does not. */
function paidBy(events: NewEvent[], payer: string | null | undefined, run: RunState | null): NewEvent[] {
  if (payer === undefined || events.some(({ type }) => type === 'pending-end')) return events
  return events.map((event) => {
    const goesOn = event.type === 'run-resume' || (event.type === 'run-start' && event.resumed)
    const begins = event.type === 'message-queued' || event.type === 'run-start'
    const known = goesOn ? (run?.payer ?? null) : null
    return (goesOn || begins) && payer !== known ? { ...event, payer } : event
  })
}

/** What events decide of what waits. */
export function decisionsIn(events: readonly NewEvent[], pending: readonly Pending[]): Decided[] {
  return events.flatMap((event) => {
    const item = event.type === 'pending-end' ? pending.find(({ id }) => id === event.id) : undefined
    if (event.type !== 'pending-end' || !item) return []
    const { id, tool, arguments_hash: hash } = item
    const about = { ...(tool === undefined ? {} : { tool }), ...(hash === undefined ? {} : { arguments_hash: hash }) }
    return [{ pending_id: id, decision: event.decision, ...about }]
  })
}
