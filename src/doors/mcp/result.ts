import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Language } from '../../domain/language.ts'
import type { McpPlace } from '../../domain/mcp-session.ts'
import { errorSentences } from '../../domain/run.ts'
import { mediaTypeOf } from '../../lib/content-type.ts'
import { isObject } from '../../lib/json.ts'
import type { SessionHead } from '../../session/queries/projection.ts'
import { shownArguments, agreedWords } from './questions.ts'
import type { RestLine } from './lines.ts'
import { fileUri } from './place.ts'
import { wordsIn } from './words.ts'

/** What a run that rests is as the result of a tool. */

/** How a tool shows it. */
export interface ResultShape {
  language: Language
  /** Where people decide, of any session. */
  decideAt: string
  /** The answer is JSON that stands as the structure, of a skill with a schema; else the run is told as a structure. */
  isAnswerStructure: boolean
}

/** The structure that `run_task` and `session_status` give. */
export const RUN_SCHEMA = {
  type: 'object' as const,
  properties: {
    session_id: { type: 'string' },
    run_id: { type: ['string', 'null'] },
    status: { enum: ['idle', 'in_progress', 'interrupted', 'completed', 'failed', 'cancelled'] },
    finish_reason: { type: ['string', 'null'] },
    result: { type: ['string', 'null'] },
    error: { type: ['object', 'null'] },
    pending: { type: 'array', items: { type: 'object' } },
    files: { type: 'array', items: { type: 'object' } },
    usage: { type: 'object' },
  },
  required: ['session_id', 'status', 'result', 'pending'],
}

export function runResult(rest: RestLine, place: McpPlace, shape: ResultShape): CallToolResult {
  const { session, run } = place
  const { result, status, finish_reason: finishReason, error, pending, files, usage } = rest
  const isGood = status === 'completed' || (!shape.isAnswerStructure && isBounded(rest))
  const told = {
    session_id: session,
    run_id: run,
    status,
    finish_reason: finishReason,
    result,
    error,
    pending,
    files,
    usage,
  }
  const structure = shape.isAnswerStructure ? (isGood ? objectOf(result) : null) : told
  const isError = isGood ? shape.isAnswerStructure && structure === null : rest.isEnd || shape.isAnswerStructure
  return {
    content: [{ type: 'text', text: textOf(rest, { isGood, session }, shape) }, ...linksTo(files, session)],
    ...(structure ? { structuredContent: structure } : {}),
    ...(isError ? { isError: true } : {}),
    _meta: {
      'yaa/session': session,
      'yaa/run': run,
      ...(rest.isCut ? { 'yaa/finish_reason': 'length' } : {}),
    },
  }
}

/** Whether a limit ended the run with something to show. */
function isBounded({ isEnd, status, result, error, finish_reason: reason }: RestLine): boolean {
  return isEnd && status !== 'cancelled' && result !== null && (error === null || error.code === reason)
}

/** The files that a run wrote, as resources. */
function linksTo(files: RestLine['files'], session: string) {
  return files.map(({ path, size }) => ({
    type: 'resource_link' as const,
    uri: fileUri(session, path),
    name: path,
    mimeType: mediaTypeOf(path),
    size,
  }))
}

/** What a run says in words. */
function textOf(
  { isEnd, result, status, error, pending }: RestLine,
  { isGood, session }: { isGood: boolean; session: string },
  shape: ResultShape,
): string {
  const words = wordsIn(shape.language)
  if (!isEnd) return waitingText(pending, session, shape)
  if (status === 'cancelled') return words.cancelled
  if (result !== null && (isGood || !error)) return result
  if (!error) return words.nothing
  return words.failed(errorSentences(error))
}

/** What waits, and where it is decided. */
export function waitingText(
  pending: RestLine['pending'],
  session: string,
  { language, decideAt }: Pick<ResultShape, 'language' | 'decideAt'>,
): string {
  const words = wordsIn(language)
  const items = pending.map((one) => {
    const asked = one.type === 'question' ? one.question : agreedWords(one, language)
    return asked === null ? words.call(one, shownArguments(one)) : words.question({ id: one.id, question: asked })
  })
  return words.waits(items.join('\n'), `${decideAt}${session}`)
}

function objectOf(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** How the newest run of a session stands. */
export function statusResult(
  head: SessionHead,
  { run, files }: Pick<RestLine, 'files'> & { run: string | null },
  shape: Pick<ResultShape, 'language' | 'decideAt'>,
): CallToolResult {
  const { id, status, finish_reason: finishReason, result, error, pending, usage } = head
  const words = wordsIn(shape.language)
  const waits = pending.length > 0 ? waitingText(pending, id, shape) : null
  const failure = error && words.failed(errorSentences(error))
  return {
    content: [{ type: 'text', text: result ?? waits ?? failure ?? words.stands(status) }, ...linksTo(files, id)],
    structuredContent: {
      session_id: id,
      run_id: run,
      status,
      finish_reason: finishReason,
      result,
      error,
      pending,
      files,
      usage,
    },
    _meta: { 'yaa/session': id, ...(run === null ? {} : { 'yaa/run': run }) },
  }
}
