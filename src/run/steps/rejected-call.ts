import { answerLesson } from '../../agent/lesson.ts'
import { saidInReply } from '../../agent/text-calls.ts'
import { notRunText, problemText, resultText, severalCallsText } from '../../agent/texts.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import type { OpenCall } from '../../domain/state.ts'
import { branchOf } from '../../log/branches.ts'
import type { Journal } from '../../log/journal.ts'
import { at } from '../../log/window.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import type { MoveOf, Refusal } from '../../engine/move.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { Language } from '../../domain/language.ts'
import { fingerprint } from '../../lib/hash.ts'
import { openCallOf } from '../../engine/open.ts'
import type { Outcome } from '../../engine/job.ts'
import { resultMessage } from './tool-result.ts'
import { feedbackOn } from './tool-talk.ts'

/** The result of a call that is not run, in words of the session's language. */
export function rejectionEvents(move: MoveOf<'reject-call'>, worker: Worker, context: MoveContext): NewEvent[] {
  const open = openCallOf(context, move.scope, move.callId)
  if (!open) return []
  const counts = move.refusal.code === 'problem' ? { counts_as_error: true } : {}
  const content = refusalText(move.refusal, open, worker, context)
  return [
    resultMessage(context, { scope: move.scope, callId: open.id, tool: open.client ?? open.tool, content }, counts),
  ]
}

function refusalText(refusal: Refusal, open: OpenCall, { offered, language }: Worker, context: MoveContext): string {
  if (refusal.code === 'problem') return problemText(refusal.problem, offered, language)
  return notRunText(nameOf(context, open, language), refusal.code, language, feedbackOn(open, context))
}

/** The human's answer as the result of the call that asked, or what the caller's tool gave. */
export function answerEvents(
  move: MoveOf<'answer-call'>,
  { language }: Worker,
  context: MoveContext,
): NewEvent[] | Promise<Outcome> {
  const open = openCallOf(context, move.scope, move.callId)
  if (!open) return []
  if (open.client !== undefined)
    return import('./client-result.ts').then((made) => made.clientResult(open, move.scope, context))
  const content = resultText(nameOf(context, open, language), open.feedback ?? '', language)
  return [
    {
      type: 'tool-end',
      scope: move.scope,
      call_id: open.id,
      ok: true,
      ms: 0,
      digest: fingerprint(open.feedback ?? ''),
    },
    resultMessage(context, { scope: move.scope, callId: open.id, tool: open.tool, content }),
  ]
}

function nameOf({ engine }: MoveContext, open: OpenCall, language: Language): string {
  return toolOf(engine, open.tool)?.names[language] ?? open.tool
}

/** What the model did wrong, said to it. */
export function warningEvents(move: MoveOf<'warn'>, worker: Worker, { journal }: MoveContext): NewEvent[] {
  const { problem, scope } = move
  const circles = problem.code === 'going_in_circles' || problem.code === 'repeated_reply'
  const { offered, language } = worker
  const lesson = problem.code === 'repeated_reply' ? lessonAfter(scope, worker, journal) : ''
  const content = problemText(problem, offered, language) + lesson
  return [
    journal.messageEvent(
      warning(content, move.scope),
      circles ? { tells_of_circles: true } : { counts_as_error: true },
    ),
  ]
}

/** How the words of the replies that could not be followed are given as the answer. */
function lessonAfter(
  scope: string | null,
  { offered, language, outputSchema }: Worker,
  { log, state }: Journal,
): string {
  const { words } = state.run ? branchOf(state.run, scope) : {}
  const [reply] = words ? at(log, words.seq) : []
  const said = reply ? saidInReply(contentText(reply.content, null), reply.tool_calls ?? [], offered) : ''
  const lesson = answerLesson(said, offered, { protocol: state.run?.protocol ?? 'native', language, outputSchema })
  return lesson === null ? '' : `\n\n${lesson}`
}

/** That calls of its reply were not run, said to the model. */
export function droppedEvents(move: MoveOf<'note-dropped'>, { journal, engine }: MoveContext): NewEvent[] {
  const language = languageFor(engine, journal.record)
  const result = journal.log.messages({ scope: move.scope, limit: 1, newestFirst: true })[0]
  const tool = toolOf(engine, result?.tool_name ?? '')
  const content = severalCallsText(tool?.names[language] ?? result?.tool_name ?? '', move.count, language)
  return [journal.messageEvent(warning(content, move.scope))]
}

export function warning(content: string, scope: string | null): Pick<Message, 'role' | 'kind' | 'content' | 'scope'> {
  return { role: 'system', kind: 'warning', content, scope }
}
