import { LIMITS } from '../domain/limits.ts'
import type { Journal } from './journal.ts'
import type { SessionPorts } from './ports.ts'
import { sessionSummary } from './projections.ts'

const RETRY_MS = 30_000

/** Bring the list of sessions up to date. A list that cannot be reached is tried again by the alarm; then the answer is false. */
export async function publish(journal: Journal, ports: SessionPorts): Promise<boolean> {
  if (!journal.exists) return true
  const summary = sessionSummary(journal.record, journal.state, ports.engine.config.character ?? 'yaa')
  try {
    await ports.directory.put(journal.record.tenant, summary, taskWords(journal))
    return true
  } catch (error) {
    ports.report(error)
    ports.alarm.set(ports.now() + RETRY_MS)
    return false
  }
}

/** The newest task, as far as a search looks. */
function taskWords({ log, state }: Journal): string {
  const task = log.messages({ after: state.taskSeq - 1, before: state.taskSeq + 1, limit: 1 })[0]
  return task?.content.slice(0, LIMITS.text.directoryTaskChars) ?? ''
}
