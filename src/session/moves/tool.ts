import { failureText, notRunText, problemText, resultText, withFeedback } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolCall, Truncated } from '../../domain/message.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { Tool, ToolOutcome } from '../../domain/tool.ts'
import { textOf } from '../../lib/text-of.ts'
import { fingerprint } from '../../lib/fingerprint.ts'
import type { Move, Refusal } from '../../orchestrators/move.ts'
import { execute } from '../../tools/execute.ts'
import { cutOutput } from '../../tools/output.ts'
import { outputLimitsOf } from '../../tools/registry.ts'
import { languageFor, settingsOf, toolOf } from '../engine.ts'
import { offeredTools } from '../offer.ts'
import { scopeOf } from '../state.ts'
import type { Job, MoveContext, Outcome } from './job.ts'

type ToolMove = Extract<Move, { type: 'call-tool' }>

/** One tool call: started in the log, run, and its one result. */
export function toolJob(move: ToolMove, context: MoveContext): Job {
  const { journal, engine } = context
  const open = openCallOf(context, move.scope, move.callId)
  const tool = open && toolOf(engine, open.tool)
  if (!open || !tool) throw new Error(`call ${move.callId} is not open or its tool is gone`)
  const args = argumentsOf(context, move.scope, open)
  const startedTime = journal.now()
  return {
    begin: [
      {
        type: 'tool-start',
        scope: move.scope,
        call_id: move.callId,
        tool: tool.id,
        arguments: args,
        attempt: move.attempt,
      },
    ],
    isCurrent: () => openCallOf(context, move.scope, move.callId)?.status === 'started',
    work: async (signal) => {
      const outcome = await execute(tool, args, {
        callId: move.callId,
        sessionId: journal.record.id,
        tenant: journal.record.tenant,
        user: journal.record.user,
        language: languageFor(engine, journal.record),
        task: taskOf(context),
        signal,
        recall: (key) => journal.log.text(keptKey(tool, key)),
        result: (callId) => journal.log.text(`result:${callId}`),
      })
      return resultOf({ tool, args, open, outcome, ms: journal.now() - startedTime, scope: move.scope }, context)
    },
  }
}

export function openCallOf({ journal }: MoveContext, scope: string | null, callId: string): OpenCall | undefined {
  const run = journal.state.run
  return run ? scopeOf(run, scope).calls.find((call) => call.id === callId) : undefined
}

/** The arguments to run with: the human's where they were edited, else those of the reply that made the call. */
export function argumentsOf(context: MoveContext, scope: string | null, open: OpenCall): Record<string, unknown> {
  return open.edited ?? storedCall(context, scope, open.id)?.arguments ?? {}
}

/** A call is looked for in so many of the newest messages before it is in more. */
const CALL_NEAR = 4

/** A call as the last replies wrote it. */
function storedCall({ journal }: MoveContext, scope: string | null, callId: string): ToolCall | undefined {
  for (const limit of [CALL_NEAR, LIMITS.model.callsPerReplyMax * 2]) {
    const recent = journal.log.messages({ scope, limit, newestFirst: true })
    const found = recent.flatMap((message) => message.tool_calls ?? []).find((call) => call.id === callId)
    if (found) return found
  }
  return undefined
}

/** The reason that `finish` was called with: the result of a line of work. */
export function finishReason(context: MoveContext, scope: string | null, callId: string): string {
  return textOf(storedCall(context, scope, callId)?.arguments['reason'])
}

function taskOf({ journal: { log, state } }: MoveContext): string {
  return log.messages({ after: state.taskSeq - 1, before: state.taskSeq + 1, limit: 1 })[0]?.content ?? ''
}

interface Done {
  tool: Tool
  args: Record<string, unknown>
  open: OpenCall
  outcome: ToolOutcome
  ms: number
  scope: string | null
}

function resultOf(done: Done, context: MoveContext): Outcome {
  const { tool, outcome, open, scope } = done
  const { journal, engine } = context
  const language = languageFor(engine, journal.record)
  const cut =
    outcome.ok && outcome.content !== null
      ? cutOutput(outcome.content, outputLimitsOf(tool, settingsOf(engine, journal.record)), language)
      : null
  const name = tool.names[language]
  const told = outcome.ok
    ? resultText(name, cut?.text ?? outcome.content, language)
    : failureText(name, outcome.reason, language)
  const content = withFeedback(told, open.feedback, language)
  const rest = `/v1/sessions/${journal.record.id}/results/${open.id}`
  const truncated: Truncated | null = cut && { original_length: cut.originalLength, kept_length: cut.keptLength, rest }
  const events: NewEvent[] = [
    { type: 'tool-end', scope, call_id: open.id, ok: outcome.ok, ms: done.ms, digest: digestOf(outcome) },
    resultMessage(context, { scope, callId: open.id, tool: tool.id, content, truncated }),
  ]
  const whole =
    cut && outcome.ok && outcome.content !== null
      ? [{ key: `result:${open.id}`, text: outcome.content.slice(0, LIMITS.tool.keptCharsMax) }]
      : []
  const kept = outcome.ok ? (outcome.keep ?? []).map(({ key, text }) => ({ key: keptKey(tool, key), text })) : []
  return { events, texts: [...whole, ...kept] }
}

/** Equal for outcomes that tell the model the same. */
function digestOf(outcome: ToolOutcome): string {
  return fingerprint(outcome.ok ? (outcome.essence ?? outcome.content ?? '') : outcome.reason)
}

function keptKey(tool: Tool, key: string): string {
  return `kept:${tool.id}:${key}`
}

interface ResultMessage {
  scope: string | null
  callId: string
  tool: string
  content: string
  truncated?: Truncated | null
}

function resultMessage(
  { journal }: MoveContext,
  { scope, callId, tool, content, truncated }: ResultMessage,
  extra = {},
): NewEvent {
  const message = {
    role: 'tool',
    kind: 'tool_result',
    content,
    scope,
    tool_call_id: callId,
    tool_name: tool,
    ...(truncated ? { truncated } : {}),
  } as const
  return journal.messageEvent(message, extra)
}

/** The result of a call that is not run, in words of the session's language. */
export function refusalEvents(move: Extract<Move, { type: 'refuse-call' }>, context: MoveContext): NewEvent[] {
  const open = openCallOf(context, move.scope, move.callId)
  if (!open) return []
  const counts = move.refusal.code === 'problem' ? { counts_as_error: true } : {}
  const content = refusalText(move.refusal, open, move.scope, context)
  return [resultMessage(context, { scope: move.scope, callId: open.id, tool: open.tool, content }, counts)]
}

function refusalText(refusal: Refusal, open: OpenCall, scope: string | null, context: MoveContext): string {
  const { engine, journal } = context
  const language = languageFor(engine, journal.record)
  if (refusal.code === 'problem') return problemText(refusal.problem, offeredTools(context, scope), language)
  return notRunText(
    nameOf(context, open, language),
    refusal.code,
    language,
    refusal.code === 'refused' ? open.feedback : null,
  )
}

/** The human's answer as the result of the call that asked. */
export function answerEvents(move: Extract<Move, { type: 'answer-call' }>, context: MoveContext): NewEvent[] {
  const open = openCallOf(context, move.scope, move.callId)
  if (!open) return []
  const language = languageFor(context.engine, context.journal.record)
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
