import { failureText, notRunText, problemText, resultText, withFeedback } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import { changeProblem, type FileChange } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolCall, Truncated } from '../../domain/message.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { Tool, ToolOutcome } from '../../domain/tool.ts'
import { textOf } from '../../lib/text-of.ts'
import { fingerprint } from '../../lib/fingerprint.ts'
import type { Move, Refusal } from '../../orchestrators/move.ts'
import { execute } from '../../tools/execute.ts'
import { CHANGE_TEXTS } from '../../tools/files/texts.ts'
import { visibleFiles } from '../../tools/files/visible.ts'
import { mayShow } from '../../tools/permission.ts'
import { outputLimitsOf } from '../../tools/registry.ts'
import { assignmentOf, settingsFor } from '../assignment.ts'
import { languageFor, settingsOf, toolOf } from '../engine.ts'
import { isMadeUp } from '../caution.ts'
import { offeredTools } from '../offer.ts'
import { scopeOf } from '../state.ts'
import type { Job, MoveContext, Outcome } from './job.ts'
import { skillText } from './role.ts'
import { resultKey, toldOutput } from './tool-output.ts'
import { answerOf, askedOf, tellerOf } from './tool-talk.ts'

type ToolMove = Extract<Move, { type: 'call-tool' }>

/** One tool call: started in the log, run, and its one result. */
export function toolJob(move: ToolMove, context: MoveContext): Job {
  const { journal, engine } = context
  const open = openCallOf(context, move.scope, move.callId)
  const tool = open && toolOf(engine, open.tool)
  if (!open) throw new Error(`call ${move.callId} is not open`)
  if (!tool) return goneJob(move, open, context)
  const args = argumentsOf(context, move.scope, open)
  const startedTime = journal.now()
  const isCurrent = () => openCallOf(context, move.scope, move.callId)?.status === 'started'
  const isApproved = open.status === 'approved'
  const settings = settingsFor({ engine, record: journal.record, run: journal.state.run }, move.scope)
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
    isCurrent,
    work: async (signal) => {
      const outcome = await execute(tool, args, {
        callId: move.callId,
        home: journal,
        sessionId: journal.record.id,
        tenant: journal.record.tenant,
        user: journal.record.user,
        language: languageFor(engine, journal.record),
        signal,
        output: outputLimitsOf(tool, settingsOf(engine, journal.record)),
        skill: (name) => skillText(context, name, taskOf(context)),
        recall: (key) => journal.log.text(keptKey(tool, key)),
        result: (callId) => journal.log.text(resultKey(callId)),
        answer: answerOf(open, context),
        tell: tellerOf(move, isCurrent, context),
        tools: assignmentOf({ engine, record: journal.record, run: journal.state.run }, move.scope).tools,
        files: visibleFiles(journal.log.files, (path) => mayShow(tool, settings, path, isApproved)),
        tainted: journal.state.taint.length > 0,
        staysAtHost: (address) => !isApproved && isMadeUp(address, journal, engine),
      })
      const ms = journal.now() - startedTime
      return () => resultOf({ tool, args, open, outcome: possible(outcome, context), ms, scope: move.scope }, context)
    },
  }
}

/** The server that had the tool has it no more, or is no more: the model is told, and nothing is run. */
function goneJob(move: ToolMove, open: OpenCall, context: MoveContext): Job {
  const refusal = { code: 'problem', problem: { code: 'unknown_tool', name: open.tool } } as const
  return {
    begin: [],
    isCurrent: () => openCallOf(context, move.scope, move.callId) !== undefined,
    work: async () => refusalEvents({ type: 'refuse-call', scope: move.scope, callId: move.callId, refusal }, context),
  }
}

/** The outcome, unless the workspace does not take its changes any more. */
function possible(outcome: ToolOutcome, { journal, engine }: MoveContext): ToolOutcome {
  const changes = outcome.ok ? (outcome.files ?? []) : []
  const problem = changes.map((change) => changeProblem(journal.log.files, change)).find((found) => found !== null)
  return problem ? { ok: false, reason: CHANGE_TEXTS[languageFor(engine, journal.record)][problem] } : outcome
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
  if (!done.outcome.ok && done.outcome.asks)
    return askedOf(done.tool.id, { scope: done.scope, callId: done.open.id }, done.outcome.asks, context)
  const { tool, outcome, open, scope } = done
  const { journal, engine } = context
  const language = languageFor(engine, journal.record)
  const files = outcome.ok ? (outcome.files ?? []) : []
  const output = toldOutput(tool, open.id, outcome, context)
  const name = tool.names[language]
  const told = outcome.ok
    ? resultText(name, output.content, language)
    : failureText(name, output.content ?? '', language)
  const content = withFeedback(told, answerOf(open, context) ? null : open.feedback, language)
  const events: NewEvent[] = [
    {
      type: 'tool-end',
      scope,
      call_id: open.id,
      ok: outcome.ok,
      ms: done.ms,
      digest: digestOf(outcome),
      ...(outcome.ok && outcome.foundTools ? { found_tools: outcome.foundTools } : {}),
    },
    resultMessage(
      context,
      { scope, callId: open.id, tool: tool.id, content, truncated: output.truncated },
      outcome.untrusted ? { untrusted: true } : {},
    ),
    ...files.map((change) => fileEvent(change, scope)),
  ]
  const kept = outcome.ok ? (outcome.keep ?? []).map(({ key, text }) => ({ key: keptKey(tool, key), text })) : []
  return { events, texts: [...output.texts, ...kept], ...(files.length > 0 ? { files } : {}) }
}

/** What watchers are told of a change of the workspace. */
export function fileEvent(change: FileChange, scope: string | null): NewEvent {
  const size = change.action === 'write' ? change.bytes.byteLength : 0
  return { type: 'file', scope, action: change.action, path: change.path, size }
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
