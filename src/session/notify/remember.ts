import { contentText } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { EndedRun } from '../../domain/memory.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { cutText } from '../../lib/text.ts'
import { withinTime } from '../../lib/wait.ts'
import type { Journal } from '../../log/journal.ts'
import { languageFor } from '../../engine/settings.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { eventsBehind } from '../../log/read-pages.ts'

/** Under this key of the log's texts stands the seq up to which runs were saved. */
const SAVED = 'memory'

interface Batch {
  runs: EndedRun[]
  seq: number
}

/** Save the runs that ended since the last save in the memory of the session's user. The log says up to which seq they are saved: after a crash a run
 *  may be saved once more, which changes nothing. False: the save failed and has to be tried again. */
export async function rememberRuns(journal: Journal, ports: SessionPorts): Promise<boolean> {
  const { tenant, user } = journal.record
  const { engine } = ports
  if (user === null || engine.memory === null) return true
  const memory = engine.memory(tenant, user)
  const language = languageFor(engine, journal.record)
  try {
    for (let batch = nextBatch(journal, language); batch !== null; batch = nextBatch(journal, language)) {
      await withinTime(memory.save(batch.runs), LIMITS.memory.saveMs)
      if (!journal.exists) return true
      markRemembered(journal, batch.seq)
    }
    return true
  } catch (error) {
    ports.report(error)
    return false
  }
}

/** Runs that ended up to a seq need not be saved: they are, or they ended in the session that this one is a copy of. */
export function markRemembered(journal: Journal, seq: number = journal.state.lastSeq): void {
  if (journal.record.user !== null && seq > savedSeq(journal))
    journal.append([], { texts: [{ key: SAVED, text: String(seq) }] })
}

function savedSeq({ log }: Journal): number {
  return Number(log.text(SAVED) ?? 0)
}

/** The oldest runs that ended and are not saved; null: none. */
function nextBatch(journal: Journal, language: Language): Batch | null {
  const saved = savedSeq(journal)
  if ((journal.state.run?.endSeq ?? 0) <= saved) return null
  const untrusted = journal.state.taint.length > 0
  const tasks = new Map<string, string>()
  const ended = new Map<string, EndedRun>()
  let seq = saved
  for (const event of eventsBehind(journal, saved)) {
    const runId = event.run_id ?? ''
    if (event.type === 'message' && event.scope === null && event.message.kind === 'task')
      tasks.set(runId, contentText(event.message.content, language))
    if (event.type !== 'run-end') continue
    const task = tasks.get(runId) ?? taskOf(journal, runId, event.seq, language)
    ended.set(runId, { ...endedRun(event, runId, task, journal), untrusted })
    seq = event.seq
    if (ended.size === LIMITS.memory.savedAtOnceMax) break
  }
  return { runs: [...ended.values()], seq }
}

function endedRun(
  { status, result, time }: Extract<SessionEvent, { type: 'run-end' }>,
  runId: string,
  task: string,
  { record }: Journal,
): Omit<EndedRun, 'untrusted'> {
  const cut = (text: string) => cutText(text, LIMITS.memory.textCharsMax)
  return {
    runId,
    sessionId: record.id,
    task: cut(task),
    result: result === null ? null : cut(result),
    status,
    time: Date.parse(time),
  }
}

/** The task of a run that was carried on after its end. */
function taskOf({ log }: Journal, runId: string, before: number, language: Language): string {
  const limit = LIMITS.store.messagesPerPage
  for (let at = before; at > 0;) {
    const page = log.messages({ scope: null, before: at, limit, newestFirst: true })
    const task = page.find(({ kind, run_id: run }) => kind === 'task' && run === runId)
    if (task || page.length < limit) return contentText(task?.content ?? '', language)
    at = page.at(-1)?.seq ?? 0
  }
  return ''
}
