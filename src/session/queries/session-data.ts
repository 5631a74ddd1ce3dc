import type { LoggedError, RunError } from '../../domain/run.ts'
import { maskConfig } from '../../domain/config.ts'
import type { Message } from '../../domain/message.ts'
import type {
  AgentResponseData,
  SessionData,
  SessionRecord,
  SessionSummary,
  SkillResult,
} from '../../domain/session.ts'
import type { SessionState } from '../../domain/state.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import type { Engine, LogContext } from '../../engine/engine.ts'
import type { Progress, SessionPart } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import { LIMITS } from '../../domain/limits.ts'
import { cutText } from '../../lib/text.ts'
import { explained } from '../../engine/failures/failure-text.ts'
import type { Journal } from '../../log/journal.ts'
import { isControl } from '../../tools/control.ts'

/** The server's part in what is shown: its character, its language. */
type Configured = Pick<Engine, 'config' | 'orchestrators'>

/** The session without its messages (they may be long and are written apart). */
export function sessionHead(journal: Journal, engine: Configured): Omit<SessionData, 'messages'> {
  const { record, state } = journal
  return {
    ...sessionSummary(record, state, engine),
    error: shownError(state.run?.error, record, engine),
    config: maskConfig(record.config),
    result: resultOf(journal),
    pending: state.pending,
    usage: state.usage,
    ...partsOf({ journal, engine }),
    ...progressOf({ journal, engine }),
    ...(record.outputSchema ? { output_schema: record.outputSchema } : {}),
    ...(record.place ? { place: record.place } : {}),
    ...(state.needsNewer ? { needs_newer: true } : {}),
    last_seq: state.lastSeq,
    etag: etagOf(state),
  }
}

/** What orchestrators show. */
function partsOf(context: LogContext): SessionPart {
  return Object.assign({}, ...context.engine.orchestrators.all.map(({ view }) => view?.(context)))
}

/** How far the newest run is; nothing where nobody can say. */
function progressOf(context: LogContext): Partial<Progress> {
  const { record, state } = context.journal
  const { progress } = context.engine.orchestrators.find(state.run?.orchestrator ?? record.orchestrator) ?? {}
  return progress?.(context) ?? {}
}

export function sessionSummary(record: SessionRecord, state: SessionState, engine: Configured): SessionSummary {
  return {
    id: record.id,
    object: 'session',
    title: record.title,
    start_time: new Date(record.createdTime).toISOString(),
    updated_time: new Date(Math.max(record.createdTime, state.updatedTime)).toISOString(),
    character: record.character ?? engine.config.character ?? 'yaa',
    status: state.status,
    finish_reason: state.finishReason,
    error: listed(shownError(state.run?.error, record, engine)),
    ended_by: state.run?.endedBy ?? null,
    ...(state.run?.loop ? { loop: true } : {}),
    orchestrator: record.orchestrator,
    skill: record.skill?.definition.name ?? null,
    user: record.user,
    metadata: record.metadata,
  }
}

/** A list has so much room for each. */
function listed(error: RunError | null): RunError | null {
  const cut = (text: string) => cutText(text, LIMITS.text.listedErrorChars)
  return error && { ...error, detail: cut(error.detail), message: cut(error.message), hint: cut(error.hint) }
}

/** The answer of the newest run: what came after the last user message, and where it stands. */
export function agentResponse(journal: Journal, engine: Configured): AgentResponseData {
  const { record, state } = journal
  const { run } = state
  const ended = {
    status: state.status,
    result: resultOf(journal),
    error: shownError(run?.error, record, engine),
    ended_by: run?.endedBy ?? null,
    ...(run?.loop ? { loop: true as const } : {}),
    usage: run?.usage ?? NO_USAGE,
  }
  return {
    id: record.id,
    object: 'agent.response',
    title: record.title,
    start_time: new Date(record.createdTime).toISOString(),
    run_id: run?.id ?? null,
    finish_reason: state.finishReason,
    messages: [...pagesOf(journal, state.lastUserSeq)].flat(),
    pending: state.pending,
    ...progressOf({ journal, engine }),
    ...ended,
    ...skillResultOf(record, ended, run?.toolsUsed ?? []),
  }
}

/** What an error of a log is to a client; null: there is none. */
export function shownError(
  error: LoggedError | null | undefined,
  record: Pick<SessionRecord, 'config'>,
  engine: Configured,
): RunError | null {
  return error ? explained(languageFor(engine, record), error) : null
}

/** The answer of the newest run, once it has ended. */
function resultOf({ runEnd }: Journal): string | null {
  return runEnd?.result ?? null
}

/** Messages after a seq, a bounded page at a time. */
export function* pagesOf({ log }: Pick<Journal, 'log'>, after: number): Generator<Message[]> {
  const limit = LIMITS.store.messagesPerPage
  for (let page = log.messages({ after, limit }); page.length > 0;) {
    yield page
    const last = page.at(-1)
    page = page.length < limit || !last ? [] : log.messages({ after: last.seq, limit })
  }
}

/** The same text in the `ETag` header and in the field `etag`; it changes with every event. */
export function etagOf(state: SessionState): string {
  return `"${state.lastSeq}"`
}

/** Whether an `If-Match` header names the tag. Source: RFC 9110 §13.1.1; weak tags never match. */
export function namesEtag(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag)
}

/** How a run of a skill went, as the caller of a function would ask; nothing for a session without a skill. */
export function skillResultOf(
  { skill }: Pick<SessionRecord, 'skill'>,
  { status, result, error, usage }: Pick<AgentResponseData, 'status' | 'result' | 'error' | 'usage'>,
  toolsUsed: readonly string[],
): { skill_result?: SkillResult } {
  if (!skill) return {}
  return {
    skill_result: {
      success: status === 'completed',
      content: result,
      error: error?.detail ?? null,
      tools_used: toolsUsed.filter((tool) => !isControl(tool)),
      tokens_used: usage.total_tokens,
      cost: usage.cost,
    },
  }
}
