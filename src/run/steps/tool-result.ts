import { toolFailureText, resultText, withEdited, withFeedback } from '../../agent/texts.ts'
import type { Content } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import { fileEvent, type Outcome } from '../../engine/job.ts'
import type { Truncated } from '../../domain/message.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { Tool, ToolOutcome } from '../../domain/tool.ts'
import { fingerprint } from '../../lib/hash.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { editedArguments } from '../../engine/open.ts'
import { languageFor } from '../../engine/settings.ts'
import { type Cutter, shownOutput } from './tool-output.ts'
import { askedOf, feedbackOn } from './tool-talk.ts'

/** A call that was run. */
export interface FinishedCall {
  tool: Tool
  args: Record<string, unknown>
  open: OpenCall
  outcome: ToolOutcome
  /** Null: the text of the outcome is within the tool's limits. */
  cutter: Cutter | null
  ms: number
  scope: string | null
}

/** The end of a call in the log: its one result, or the question that it has first. */
export function resultOf(done: FinishedCall, context: MoveContext): Outcome {
  if (!done.outcome.ok && done.outcome.asks)
    return askedOf(done.tool.id, { scope: done.scope, callId: done.open.id }, done.outcome.asks, context)
  const { tool, outcome, open, scope, cutter } = done
  const { journal, engine } = context
  const language = languageFor(engine, journal.record)
  const files = outcome.ok ? (outcome.files ?? []) : []
  const output = shownOutput({ callId: open.id, outcome, cutter }, context)
  const name = tool.names[language]
  const shown = outcome.ok
    ? resultText(name, output.content, language)
    : toolFailureText(name, output.content ?? '', language)
  const ran = withEdited(shown, editedArguments(context, open), language)
  const told = withFeedback(ran, feedbackOn(open, context), language)
  const images = outcome.ok ? (outcome.images ?? []) : []
  const content = images.length > 0 ? [{ type: 'text' as const, text: told }, ...images] : told
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
      { scope, callId: open.id, tool: open.client ?? tool.id, content, truncated: output.truncated },
      outcome.untrusted ? { untrusted: true } : {},
    ),
    ...files.map((change) => fileEvent(change, scope)),
  ]
  const kept = outcome.ok ? (outcome.keep ?? []).map(({ key, text }) => ({ key: keptKey(tool, key), text })) : []
  return { events, texts: [...output.texts, ...kept], ...(files.length > 0 ? { files } : {}) }
}

/** Equal for outcomes that tell the model the same. */
function digestOf(outcome: ToolOutcome): string {
  return fingerprint(outcome.ok ? (outcome.essence ?? outcome.content ?? '') : outcome.reason)
}

/** Where a tool keeps a text in the session. */
export function keptKey(tool: Tool, key: string): string {
  return `kept:${tool.id}:${key}`
}

interface ResultMessage {
  scope: string | null
  callId: string
  tool: string
  content: Content
  truncated?: Truncated | null
}

/** The one message that answers a call. */
export function resultMessage(
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
