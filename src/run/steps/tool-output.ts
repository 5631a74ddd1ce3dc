import { contentText } from '../../domain/content.ts'
import type { Truncated } from '../../domain/message.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { OutputLimits, Tool, ToolOutcome, UnitsOf } from '../../domain/tool.ts'
import { estimateTokens, graphemeStart } from '../../lib/text.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { messageBudget, promptFor, protocolOf } from './request.ts'
import { enabledTools, outputLimitsOf } from '../../tools/registry.ts'
import { CHANGE_TEXTS } from '../../tools/files/texts.ts'
import type { cutOutput } from '../../tools/output.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { resultKey } from '../../engine/open.ts'
import { languageFor, settingsOf } from '../../engine/settings.ts'

/** What of a tool's text goes into its message; the whole of a text that was cut is kept beside it, to be read on. */
export interface ShownOutput {
  content: string | null
  truncated: Truncated | null
  texts: { key: string; text: string }[]
}

/** What cuts the text of an outcome. */
export interface Cutter {
  cutOutput: typeof cutOutput
  units: UnitsOf | null
  limits: OutputLimits
}

/** The limits that the text of an outcome is cut to; null: it stays whole. */
export function shownLimits(
  { tool, scope }: { tool: Tool; scope: string | null },
  outcome: ToolOutcome,
  context: MoveContext,
): OutputLimits | null {
  if (tool.paginates) return null
  const own = outputLimitsOf(tool, settingsOf(context.engine, context.journal.record))
  const limits = withinWindow((outcome.ok ? outcome.content : outcome.reason) ?? '', own, scope, context)
  const language = languageFor(context.engine, context.journal.record)
  // A change of files that cannot be made any more is told instead.
  const others = outcome.ok && outcome.files ? Object.values(CHANGE_TEXTS[language]) : []
  const texts = [outcome.ok ? (outcome.content ?? '') : outcome.reason, ...others]
  return texts.every((text) => fits(text, limits)) ? null : limits
}

/** What cuts the texts of a tool, which few results need. */
export async function loadCutter(tool: Tool, limits: OutputLimits): Promise<Cutter> {
  const [output, units] = await Promise.all([import('../../tools/output.ts'), tool.units?.() ?? null])
  return { cutOutput: output.cutOutput, units, limits }
}

/** The limits of a tool, and no more than half of what messages may take of the model's window. */
function withinWindow(content: string, limits: OutputLimits, scope: string | null, context: MoveContext): OutputLimits {
  if (content.length <= LIMITS.tool.shortChars) return limits
  const worker = workerOf(context, scope)
  if (!worker.choice.ok) return limits
  const { spec } = worker.choice
  const protocol = protocolOf(spec, context)
  const prompt = promptFor(protocol, worker, context.journal)
  const most = Math.floor(messageBudget({ spec, protocol, prompt }, worker) / 2)
  if (content.length <= most) return limits
  const tokens = estimateTokens(content)
  if (tokens <= most) return limits
  return { ...limits, charsMax: Math.min(limits.charsMax, Math.floor((content.length * most) / tokens)) }
}

function fits(text: string, { charsMax, linesMax }: OutputLimits): boolean {
  return text.length <= charsMax && text.split('\n').length <= linesMax
}

/** The text of an outcome, or the reason of a failure, within the tool's limits: where it is over them, what speaks of the
 *  user's words, else cut. */
export function shownOutput(
  { callId, outcome, cutter }: { callId: string; outcome: ToolOutcome; cutter: Cutter | null },
  context: MoveContext,
): ShownOutput {
  const content = outcome.ok ? outcome.content : outcome.reason
  const isUntrusted = outcome.untrusted ?? false
  const cut = content === null || !cutter ? null : cutContent(callId, { content, isUntrusted, cutter }, context)
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
  callId: string,
  { content, isUntrusted, cutter }: { content: string; isUntrusted: boolean; cutter: Cutter },
  context: MoveContext,
) {
  const { journal, engine } = context
  const settings = settingsOf(engine, journal.record)
  const canReadOn =
    journal.isLasting && enabledTools(engine.tools, settings).some(({ needs }) => needs === 'cut_result')
  return cutter.cutOutput(content, {
    limits: cutter.limits,
    language: languageFor(engine, journal.record),
    isUntrusted,
    callId: canReadOn ? callId : null,
    relevance: cutter.units && { units: cutter.units, words: userWords(context) },
  })
}

/** The task and what the user said to it since, approvals aside. */
function userWords({ journal: { log, state } }: MoveContext): string {
  const seqs = [...new Set([state.taskSeq, state.lastUserSeq])].filter((seq) => seq > 0)
  const messages = seqs.flatMap((seq) => log.messages({ after: seq - 1, before: seq + 1, limit: 1 }))
  return messages.flatMap(({ kind, content }) => (kind === 'approval' ? [] : [contentText(content, null)])).join('\n')
}
