import { ownSpending } from '../../budget/spending.ts'
import { AUDIT_LIMITS } from '../../domain/audit.ts'
import { contentText } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Pending, ReportedPending } from '../../domain/pending.ts'
import type { ReportedTask } from '../../domain/task-id.ts'
import type { Spent } from '../../domain/usage.ts'
import type { SessionState } from '../../domain/state.ts'
import { isObject } from '../../lib/json.ts'
import { isActive, mayDequeue } from '../../log/branches.ts'
import type { Journal } from '../../log/journal.ts'
import { at } from '../../log/window.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageFor } from '../../engine/settings.ts'
import type { SessionReport, SessionPorts } from '../../run/ports.ts'
import { sessionSummary } from '../queries/session-data.ts'
import { askAwaited, tellAwaiters } from './awaited.ts'
import { rememberRuns } from './remember.ts'
import { notifyOutbox } from './outbox.ts'

/** Bring the list of sessions, what callbacks and sessions that wait are told, and what is remembered of the user, up to date. What cannot be reached is tried again by the
 *  alarm, or when the run that goes on comes to rest; then the answer is false. */
export async function publish(journal: Journal, ports: SessionPorts): Promise<boolean> {
  if (!journal.exists) return true
  const arrived = await Promise.all([
    reportTo(journal, ports),
    rememberRuns(journal, ports),
    askAwaited(journal, ports),
    tellAwaiters(journal, ports),
  ])
  const isOver = arrived.every(Boolean)
  if (!isOver && journal.exists && !goesOn(journal.state)) ports.alarm.set(ports.now() + LIMITS.run.watchdogMs)
  return isOver
}

function goesOn(state: SessionState): boolean {
  return isActive(state) || mayDequeue(state)
}

async function reportTo(journal: Journal, ports: SessionPorts): Promise<boolean> {
  const { tenant } = journal.record
  try {
    let since: number | null
    do {
      const acts = journal.acts.slice(0, AUDIT_LIMITS.actsPerReportMax)
      const heard = await ports.directory.put(tenant, { ...standing(journal, ports), acts })
      journal.actsArrived(acts)
      since = typeof heard === 'object' && heard !== null ? heard.since : heard
      if (journal.exists && typeof heard === 'object' && heard !== null) ports.room?.heard(heard.isFull)
    } while (journal.exists && journal.acts.length > 0)
    return !journal.exists || (await notifyOutbox(journal, ports, since))
  } catch (error) {
    ports.report(error)
    return false
  }
}

/** How the session is now: what happened while the last part of a longer report was under way belongs to the next. */
function standing(journal: Journal, { engine, room }: SessionPorts): Omit<SessionReport, 'acts'> {
  const summary = sessionSummary(journal.record, journal.state, engine)
  const pending = journal.state.pending.map(reported)
  const waits = pending.length > 0 ? { pending } : {}
  const kept = room ? { bytes: room.bytes() } : {}
  const task = taskOf(journal)
  const given = task ? { task } : {}
  return { summary, words: taskWords(journal, engine), ...waits, ...kept, ...given, spent: spentIn(journal) }
}

/** The newest run, where a door gave it out as a task. */
function taskOf(journal: Journal): ReportedTask | null {
  const { state, record } = journal
  const { run } = state
  const kept = run?.hasDoor ? journal.runStart?.door?.['a2a'] : undefined
  if (!run || !isObject(kept) || typeof kept['owner'] !== 'string') return null
  const { owner, contextId } = kept
  const context = typeof contextId === 'string' ? contextId : record.id
  return { owner, run: run.id, context, status: run.status, time: new Date(state.updatedTime).toISOString() }
}

/** A list has so much room for each. */
function reported(item: Pending): ReportedPending {
  const { arguments: args, ...rest } = item
  const isShort = args === undefined || JSON.stringify(args).length <= LIMITS.text.listedArgumentsChars
  return isShort ? item : { ...rest, arguments_cut: true }
}

/** What the session spent itself; what the log that it was copied from had spent is booked already. */
export function spentIn({ record, state }: Journal): Spent {
  return {
    session: record.id,
    user: record.user,
    skill: record.skill?.definition.name ?? null,
    rows: ownSpending(state.spending, record.copiedSpending),
  }
}

/** The newest task, as far as a search looks. */
function taskWords({ log, record, state }: Journal, engine: Engine): string {
  const said = contentText(at(log, state.taskSeq)[0]?.content ?? '', languageFor(engine, record))
  return said.slice(0, LIMITS.text.directoryTaskChars)
}
