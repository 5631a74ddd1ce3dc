import { contentText } from '../../domain/content.ts'
import type { Truncated } from '../../domain/message.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Tool, ToolOutcome } from '../../domain/tool.ts'
import { graphemeStart } from '../../lib/text.ts'
import { enabledTools, outputLimitsOf } from '../../tools/registry.ts'
import { cutOutput } from '../../tools/output.ts'
import { languageFor, type MoveContext, settingsOf } from '../../engine/engine.ts'

/** What of a tool's text goes into its message; the whole of a text that was cut is kept beside it, to be read on. */
export interface ShownOutput {
  content: string | null
  truncated: Truncated | null
  texts: { key: string; text: string }[]
}

export function resultKey(callId: string): string {
  return `result:${callId}`
}

/** The text of an outcome, or the reason of a failure, within the tool's limits: where it is over them, what speaks of the
 *  user's words, else cut. */
export function shownOutput(tool: Tool, callId: string, outcome: ToolOutcome, context: MoveContext): ShownOutput {
  const content = outcome.ok ? outcome.content : outcome.reason
  const isUntrusted = outcome.untrusted ?? false
  const cut = content === null || tool.paginates ? null : cutContent(tool, callId, { content, isUntrusted }, context)
  if (content === null || cut === null) return { content, truncated: null, texts: [] }
  const { record, isLasting } = context.journal
  const rest = isLasting ? `/v1/sessions/${record.id}/results/${callId}` : null
  const whole = content.slice(0, graphemeStart(content, LIMITS.tool.keptCharsMax))
  return {
    content: cut.text,
    truncated: { original_length: cut.originalLength, kept_length: cut.keptLength, rest },
    texts: isLasting ? [{ key: resultKey(callId), text: whole }] : [],
  }
}

function cutContent(
  tool: Tool,
  callId: string,
  { content, isUntrusted }: { content: string; isUntrusted: boolean },
  context: MoveContext,
) {
  const { journal, engine } = context
  const settings = settingsOf(engine, journal.record)
  const canReadOn =
    journal.isLasting && enabledTools(engine.tools, settings).some(({ needs }) => needs === 'cut_result')
  return cutOutput(content, {
    limits: outputLimitsOf(tool, settings),
    language: languageFor(engine, journal.record),
    isUntrusted,
    callId: canReadOn ? callId : null,
    relevance: tool.units && { units: tool.units, words: userWords(context) },
  })
}

/** The task and what the user said to it since, approvals aside. */
function userWords({ journal: { log, state } }: MoveContext): string {
  const seqs = [...new Set([state.taskSeq, state.lastUserSeq])].filter((seq) => seq > 0)
  const messages = seqs.flatMap((seq) => log.messages({ after: seq - 1, before: seq + 1, limit: 1 }))
  return messages.flatMap(({ kind, content }) => (kind === 'approval' ? [] : [contentText(content, null)])).join('\n')
}
