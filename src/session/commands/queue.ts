import { fail, ok, type Result } from '../../domain/errors.ts'
import type { NewMessageInput } from '../../domain/session-input.ts'
import type { RunMode } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionConfig } from '../../domain/config.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { newId } from '../../lib/id.ts'
import type { Triggered } from '../call.ts'
import { closingEvents } from '../../engine/closing.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { mayDequeue } from '../../log/branches.ts'
import type { Placed } from './parts/taken.ts'
import type { Begin } from './begin.ts'
import { configEvents, configured } from './configure.ts'
import { CANCELLED, newTaskEvents } from './run.ts'

/** Keep a message until the run that is going is over; it has the id of its own run already. Its config, which may hold
 *  secrets, is kept beside the log. */
export function queueEvents(
  journal: Journal,
  {
    config,
    output_schema: schema,
    client_tools: tools,
    inputs,
  }: Pick<NewMessageInput, 'config' | 'output_schema' | 'client_tools' | 'inputs'>,
  { content, files }: Placed,
  mode: RunMode,
  triggered?: Triggered,
): Result<Begin> {
  const messagesMax = LIMITS.run.queuedMessagesMax
  if (journal.state.queue.length >= messagesMax) return fail({ code: 'queue_full', messagesMax })
  const runId = newId('run', journal.now())
  const texts = config ? [{ key: configKey(runId), text: JSON.stringify(config) }] : []
  const more = {
    ...(triggered?.untrusted ? { untrusted: true } : {}),
    ...(schema === undefined ? {} : { output_schema: schema }),
    ...(tools === undefined ? {} : { client_tools: tools }),
    ...(inputs === undefined ? {} : { inputs }),
  }
  return ok({ runId, events: [{ type: 'message-queued', queued_run_id: runId, mode, content, ...more }], texts, files })
}

/** Begin the run of the next queued message, unless the run before it is still going or waits for a human. True: it began. */
export function dequeue(journal: Journal, engine: Engine): boolean {
  const next = journal.state.queue[0]
  if (!next || !mayDequeue(journal.state)) return false
  const queued = journal.log.events(next.seq - 1, 1)[0]
  if (queued?.type !== 'message-queued') return false
  const key = configKey(next.runId)
  const text = journal.log.text(key)
  const record = text === null ? journal.record : recordWith(journal.record, engine, text)
  const triggered = { untrusted: queued.untrusted ?? false }
  const { payer, output_schema: outputSchema, client_tools: clientTools, inputs } = queued
  const about = { runId: next.runId, triggered, outputSchema, clientTools, inputs }
  const events = newTaskEvents(journal, engine, queued.content, next.mode, about).map((event) =>
    event.type === 'run-start' && payer !== undefined ? { ...event, payer } : event,
  )
  journal.append([...configEvents(journal.record, record), ...events], {
    record,
    ...(text === null ? {} : { texts: [{ key, text: NO_CONFIG }] }),
  })
  return true
}

/** End what is open, the runs of queued messages included, as cancelled. */
export function endAll(journal: Journal, engine: Engine): void {
  do {
    const { status } = journal.state
    if (status === 'in_progress' || status === 'interrupted') journal.append(closingEvents(journal, engine, CANCELLED))
  } while (dequeue(journal, engine))
}

/** What is left of a queued message's config, so that its secret is in one place. */
const NO_CONFIG = '{}'

/** The record with the config that a queued message brought along; as it was, if what was changed since does not go with it. */
function recordWith(record: SessionRecord, engine: Engine, text: string): SessionRecord {
  const changed = configured(engine, record, JSON.parse(text) as SessionConfig)
  return changed.ok ? changed.value : record
}

function configKey(runId: string): string {
  return `queued:${runId}`
}
