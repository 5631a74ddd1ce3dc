import { sessionConfig, type SessionConfig } from '../../domain/config.ts'
import { EXPORT_VERSION, importInput, type ImportInput } from '../../domain/event-input.ts'
import { type AppError, fail, type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { unmasked } from '../../domain/masked-config.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SessionSkill, SkillDefinition } from '../../domain/skill.ts'
import { isDeeper } from '../../lib/json-depth.ts'
import { readAllText } from '../../lib/read-all.ts'
import { issuesOf } from '../../lib/zod-issues.ts'
import type { Engine } from '../engine.ts'
import type { AppendExtras, Journal } from '../journal.ts'
import { pagesOf, sessionHead } from '../projections.ts'
import { markRemembered } from '../remember.ts'
import { markTold } from '../tell.ts'
import { checkNewSession, firstTask, historyEvents, titleOf } from './create.ts'
import { endAll } from './queue.ts'
import { issuesIn } from './team.ts'
import { fileTexts } from './transfer-files.ts'

export interface ExportOptions {
  /** The last event that is in it. */
  atSeq: number
  character: string
  /** True for a fork within the server: the copy keeps the secrets of the config. */
  secrets: boolean
}

/** A session as one JSON document, written piece by piece: what it is, its messages, its log, its whole tool results,
 *  its files. */
export function* exportTexts(
  journal: Journal,
  { atSeq, character, secrets }: ExportOptions,
): Generator<string, void, void> {
  const head = sessionHead(journal, character)
  const { skill, team, workers, workerTeams } = journal.record
  const cast = Object.entries({ skill, team, workers, worker_teams: workerTeams }).flatMap(([name, value]) =>
    value ? [`,"${name}":${JSON.stringify(value)}`] : [],
  )
  const session = secrets ? { ...head, config: journal.record.config } : head
  yield `{"object":"session.export","version":${EXPORT_VERSION},"session":${JSON.stringify(session).slice(0, -1)},"messages":`
  yield* listTexts(messagesUpTo(journal, atSeq))
  yield `}${cast.join('')},"events":`
  yield* listTexts(eventsUpTo(journal, atSeq))
  yield ',"results":{'
  let separator = ''
  for (const callId of resultsUpTo(journal, atSeq)) {
    yield `${separator}${JSON.stringify(callId)}:${JSON.stringify(journal.log.text(`result:${callId}`) ?? '')}`
    separator = ','
  }
  yield '},"files":'
  yield* fileTexts(journal.log.files, atSeq)
  yield '}'
}

function* listTexts(pages: Iterable<readonly unknown[]>): Generator<string, void, void> {
  let separator = '['
  for (const page of pages) {
    if (page.length > 0) yield separator + page.map((item) => JSON.stringify(item)).join(',')
    if (page.length > 0) separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function* messagesUpTo(journal: Journal, atSeq: number): Generator<readonly unknown[]> {
  for (const page of pagesOf(journal, 0)) {
    yield page.filter(({ seq }) => seq <= atSeq)
    if ((page.at(-1)?.seq ?? 0) >= atSeq) return
  }
}

function* eventsUpTo({ log }: Journal, atSeq: number): Generator<SessionEvent[]> {
  for (let after = 0; after < atSeq;) {
    const page = log.events(after, LIMITS.store.messagesPerPage).filter(({ seq }) => seq <= atSeq)
    if (page.length === 0) throw new Error('the session was deleted while it was exported')
    yield page
    after = page.at(-1)?.seq ?? atSeq
  }
}

function* resultsUpTo(journal: Journal, atSeq: number): Generator<string> {
  for (const page of messagesUpTo(journal, atSeq)) {
    for (const message of page as { truncated?: unknown; tool_call_id?: string }[]) {
      if (message.truncated && message.tool_call_id !== undefined) yield message.tool_call_id
    }
  }
}

/** Read an exported document. What is wrong with it is said with paths, and nothing is kept of it. */
export async function readImport(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Result<ImportInput>> {
  const json = await readJson(body, bytesMax)
  if (!json.ok) return json
  const parsed = importInput.safeParse(json.value)
  if (!parsed.success)
    return invalid(
      issuesOf(parsed.error).slice(0, LIMITS.http.issuesMax),
      'This is not an export that can be read; see errors.',
    )
  const issue = placeIssue(parsed.data.events ?? [])
  return issue ? invalid([issue]) : ok(parsed.data)
}

/** The first event that is not in its place; messages are found by theirs. */
function placeIssue(events: readonly SessionEvent[]): InputIssue | null {
  for (const [index, event] of events.entries()) {
    const path = `events.${index}`
    if (event.seq !== index + 1)
      return { path: `${path}.seq`, message: `${index + 1}: events are numbered from 1 without gaps` }
    if (event.type !== 'message') continue
    const { message, covers } = event
    if (message.seq !== event.seq) return { path: `${path}.message.seq`, message: 'the seq of its event' }
    if ((message.scope ?? null) !== event.scope) return { path: `${path}.message.scope`, message: 'that of its event' }
    if (covers && covers.seq >= event.seq) return { path: `${path}.covers.seq`, message: 'of an earlier event' }
  }
  return null
}

async function readJson(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Result<unknown>> {
  const levelsMax = LIMITS.http.importDepthMax
  try {
    const text = await readAllText(body, bytesMax)
    if (text === null) return fail({ code: 'body_too_large', bytesMax })
    const value: unknown = JSON.parse(text)
    return isDeeper(value, levelsMax)
      ? invalid([{ path: '', message: `nested deeper than ${levelsMax} levels` }])
      : ok(value)
  } catch {
    return invalid([{ path: '', message: 'not valid JSON in UTF-8' }], 'The body is not valid JSON.')
  }
}

/** The error with its places in a document that holds them under a member. */
function under(member: string, error: AppError): AppError {
  if (!('issues' in error)) return error
  return { ...error, issues: error.issues.map((issue) => ({ ...issue, path: `${member}.${issue.path}` })) }
}

/** The record of the copy, or why this server does not run it. */
export function importedRecord(
  input: ImportInput,
  id: string,
  tenant: string,
  engine: Engine,
  now: number,
): Result<SessionRecord> {
  const { session } = input
  const config = sessionConfig.safeParse(session.config ?? {})
  if (!config.success) return invalid(issuesOf(config.error, 'session.config'))
  const kept = unmasked(config.data, {})
  const skill = importedSkill(input, engine)
  if (!skill.ok) return skill
  const workers = importedWorkers(input, engine)
  if (!workers.ok) return workers
  const teams = importedTeams(input, engine, kept)
  if (!teams.ok) return teams
  const team = input.team ?? null
  const issues = team ? issuesIn(engine, team, { config: kept }) : []
  if (issues.length > 0) return invalid(issues)
  const cast = { skill: skill.value, team }
  const refused = checkNewSession(engine, { orchestrator: session.orchestrator, config: kept }, cast)
  if (refused) return fail(under('session', refused))
  return ok({
    id,
    tenant,
    title: session.title?.slice(0, LIMITS.text.titleCharsMax) ?? titleOf(firstTask(session.messages ?? [])),
    character: session.character ?? null,
    orchestrator: session.orchestrator ?? 'agent',
    skill: skill.value,
    ...(team ? { team } : {}),
    ...(workers.value ? { workers: workers.value } : {}),
    ...(teams.value ? { workerTeams: teams.value } : {}),
    user: session.user ?? null,
    metadata: session.metadata ?? {},
    config: kept,
    createdTime: now,
  })
}

/** The skill that the session runs, if this server could run it. */
function importedSkill({ skill }: ImportInput, engine: Engine): Result<SessionSkill | null> {
  if (!skill) return ok(null)
  const checked = engine.skills.check(skill.definition)
  if (checked.ok) return ok({ definition: checked.skill, inputs: skill.inputs })
  return fail(under('skill.definition', invalid(checked.issues).error))
}

/** The skills that its plan gave work to, if this server could run them. */
function importedWorkers({ workers }: ImportInput, engine: Engine): Result<SessionRecord['workers'] | null> {
  const checked: Record<string, SkillDefinition> = {}
  for (const [name, given] of Object.entries(workers ?? {})) {
    const one = engine.skills.check(given)
    if (!one.ok) return fail(under(`workers.${name}`, invalid(one.issues).error))
    checked[name] = one.skill
  }
  return ok(workers ? checked : null)
}

/** The teams that worked at its sub-tasks, likewise. */
function importedTeams(
  { worker_teams: teams }: ImportInput,
  engine: Engine,
  config: SessionConfig,
): Result<SessionRecord['workerTeams'] | null> {
  for (const [name, team] of Object.entries(teams ?? {})) {
    const issues = issuesIn(engine, team, { config })
    if (issues.length > 0) return fail(under(`worker_teams.${name}`, invalid(issues).error))
  }
  return ok(teams ?? null)
}

const NOT_A_LOG: InputIssue = {
  path: 'events',
  message: 'a log that can be folded: what belongs together is there and in order',
}

/** Fill a new session with what an export holds; what is open or pending in it comes as cancelled. */
export function adopt(
  journal: Journal,
  engine: Engine,
  input: ImportInput,
  extras: AppendExtras & { record: SessionRecord },
): Result<null> {
  const { events } = input
  if (events) {
    const placed = events.map((event) => moved(event, extras.record))
    if (!journal.adopt(placed, { ...extras, texts: textsOf(input) })) return invalid([NOT_A_LOG])
  } else {
    journal.append([], extras)
    journal.append(historyEvents(journal, engine, input.session.messages ?? []))
  }
  endAll(journal, engine)
  markRemembered(journal)
  markTold(journal)
  return ok(null)
}

/** An event in its new session: nothing of it is later than now, and the rest of a result is found where it now is. */
function moved(event: SessionEvent, { id, createdTime }: SessionRecord): SessionEvent {
  const time = Date.parse(event.time) > createdTime ? new Date(createdTime).toISOString() : event.time
  const placed = { ...event, time }
  if (placed.type !== 'message' || !placed.message.truncated) return placed
  const rest = `/v1/sessions/${id}/results/${placed.message.tool_call_id}`
  return { ...placed, message: { ...placed.message, truncated: { ...placed.message.truncated, rest } } }
}

function textsOf({ results = {} }: ImportInput): { key: string; text: string }[] {
  return Object.entries(results).map(([callId, text]) => ({ key: `result:${callId}`, text }))
}
